// Overwrite: runs a function up to one of its calls, with outputs of earlier calls overwritten.
// Private to alone.cpp.
#pragma once

#include <slope/autograd/gradcheck/culprit/evaluation.h>
#include <slope/autograd/gradcheck/numeric/poke.h>
#include <slope/autograd/observer.h>

#include <memory>
#include <optional>
#include <vector>

namespace slope {
namespace {

struct Reached {};  // thrown to end an evaluation

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

// Overwrites outputs of calls with given values right after each call, until it ends. Stops after
// the last call, or where the function makes another call than in the evaluation `at`, which had no
// given values.
class Overwrite : public Calls {
 public:
  Overwrite(const Evaluation& at, size_t last) : at_(at), last_(last) {}
  ~Overwrite() override {  // last to first: two may write the same memory
    while (!poked_.empty()) poked_.pop_back();
  }
  struct Pin {
    Source at;
    std::vector<double> values;
  };
  std::vector<Pin> pins;
  Tensors outputs;            // of the last call; empty if it was not reached
  bool number_moves = false;  // whether one of its numeric attributes differs from the original's

  void recorded(const Recorded& made) override {
    const size_t n = list.size();
    Calls::recorded(made);
    if (n > last_ || !is_same_call(at_.calls.list[n], list[n])) throw Reached{};
    for (const Pin& pin : pins)
      if (pin.at.call == n)
        poked_.push_back(std::make_unique<Poke>(made.outputs[pin.at.output], pin.values));
    if (n < last_) return;
    outputs = list[n].outputs;
    number_moves = moving_number(*at_.calls.list[n].node, *made.node) != nullptr;
    throw Reached{};
  }

 private:
  const Evaluation& at_;
  const size_t last_;
  std::vector<std::unique_ptr<Poke>> poked_;
};

}  // namespace
}  // namespace slope
