// Every call of an operation that is recorded while a function runs, in order. Its inputs and
// outputs are held, so that an address identifies one tensor and nodes stay alive.
#pragma once

#include <slope/autograd/observer.h>

#include <string>
#include <vector>

namespace slope {

std::string place(const Op& op, const char* module);  // "mul", "mul in module encoder"

struct Call {
  const Op* op;
  const char* module;  // whose forward made the call; null outside modules
  const Op* rule;      // the operation in whose rule it ran; null outside rules
  const Node* node;    // lives as long as an output; null if no gradient is needed, or no output
  Tensors inputs, outputs;

  std::string place() const;  // "mul in module encoder", "mul in the rule of tanh"
};

struct Calls : Observer {
  std::vector<Call> list;

  bool sees_contributions() const override { return false; }
  void recorded(const Recorded& made) override;
  void node_begins(const Node& node, std::span<const Tensor> grads) override;
  void rule_ended(const Node& node) override;

  const Call* maker_of(const Tensor& y) const;  // the last call that returned y; null if none

 private:
  std::vector<const Op*> rules_;
};

}  // namespace slope
