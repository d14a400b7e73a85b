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

// Overwrites outputs of calls with given values right after each call; stops after the last call.
class Overwrite : public Observer {
 public:
  // original: the node of the call `last` in an evaluation without given values
  Overwrite(size_t last, const Node& original) : last_(last), original_(original) {}
  struct Pin {
    Source at;
    std::vector<double> values;
  };
  std::vector<Pin> pins;
  Tensors outputs;            // of the last call
  bool number_moves = false;  // whether one of its numeric attributes is not the original's

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
    number_moves = made.node && moving_number(original_, *made.node);
    throw Reached{};
  }

 private:
  size_t last_, next_ = 0;
  const Node& original_;
  std::vector<std::unique_ptr<Poke>> poked_;  // undone from the last: two may write the same memory
};

}  // namespace
}  // namespace slope
