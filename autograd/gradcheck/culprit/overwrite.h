// Overwrite: runs a function up to one of its calls with given values in place of its own. Private
// to alone.cpp.
#pragma once

#include <slope/autograd/gradcheck/culprit/evaluation.h>
#include <slope/autograd/gradcheck/numeric/poke.h>
#include <slope/autograd/observer.h>

#include <memory>
#include <optional>
#include <vector>

namespace slope {
namespace {

struct Reached {};  // thrown to end an evaluation after the call

// Where a tensor was made: output `output` of call `call`.
struct Source {
  size_t call, output;
  bool is_view;  // no call returned the tensor itself: it is a view of that output's memory
};
// Null if no call before `before` made x.
std::optional<Source> source_of(const Evaluation& at, size_t before, const Tensor& x) {
  for (const bool by_memory : {false, true})
    for (size_t n = before; n-- > 0;)
      for (size_t k = 0; k < at.calls.list[n].outputs.size(); ++k) {
        const Tensor& y = at.calls.list[n].outputs[k];
        if (y.is_same(x) || (by_memory && y.storage() == x.storage()))
          return Source{n, k, by_memory};
      }
  return std::nullopt;
}

std::vector<double> numbers_of(const Node& node) {
  std::vector<double> numbers;
  for (const Attribute& a : node.attributes)
    if (const auto* number = std::get_if<double>(&a.value)) numbers.push_back(*number);
  return numbers;
}

// Overwrites outputs of calls with given values right after each call; stops after the last call.
class Overwrite : public Observer {
 public:
  Overwrite(size_t last) : last_(last) {}
  struct Pin {
    Source at;
    std::vector<double> values;
  };
  std::vector<Pin> pins;
  Tensors outputs;              // of the last call
  std::vector<double> numbers;  // its arguments that are no tensors

  void restore() {
    while (!poked_.empty()) poked_.pop_back();
  }

  bool sees_contributions() const override { return false; }
  void recorded(const Recorded& made) override {
    for (const Pin& pin : pins)
      if (pin.at.call == next_)
        poked_.push_back(std::make_unique<Poke>(made.outputs[pin.at.output], pin.values));
    if (next_++ < last_) return;
    outputs.assign(made.outputs.begin(), made.outputs.end());
    if (made.node) numbers = numbers_of(*made.node);
    throw Reached{};
  }

 private:
  size_t last_, next_ = 0;
  std::vector<std::unique_ptr<Poke>> poked_;  // undone from the last: two may write the same memory
};

}  // namespace
}  // namespace slope
