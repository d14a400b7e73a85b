// Every recorded call of a function, in order, with the tensors that it took and gave: held, so
// that an address stands for one tensor and a node stays alive.
#pragma once

#include <slope/autograd/observer.h>

#include <string>
#include <vector>

namespace slope {

struct Call {
  const Op* op;
  const char* module;  // whose forward made it; null outside modules
  const Op* rule;      // in whose derivative it ran; null: in none
  const Node* node;    // null where it needs no gradient; alive while an output is
  Tensors inputs, outputs;

  std::string place() const;  // "mul in module encoder", "mul in the rule of tanh"
};

struct Calls : Observer {
  std::vector<Call> list;

  bool sees_contributions() const override { return false; }
  void recorded(const Recorded& made) override;
  void node_begins(const Node& node, std::span<const Tensor> grads) override;
  void rule_ended(const Node& node) override;

  const Call* maker_of(const Tensor& y) const;  // the last that gave it; null: none did

 private:
  std::vector<const Op*> rules_;
};

}  // namespace slope
