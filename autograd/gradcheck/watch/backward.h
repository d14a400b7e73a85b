// Watching a pass, for messages: which rule wrote into the gradient that it was given, and which
// gave another result than in the pass before.
#pragma once

#include <slope/autograd/observer.h>

#include <string>
#include <vector>

namespace slope {

class WatchBackward : public Observer {
 public:
  // "bad in module m writes into the gradient that it is given: element 2 was …"; empty: none
  const std::string& written() const { return written_; }
  // The first operation that gave another gradient here than there; empty where there is none.
  std::string first_change(const WatchBackward& other) const;

  void node_begins(const Node& node, std::span<const Tensor> grads) override;
  void rule_ended(const Node& node) override;
  void contributed(const Node& node, size_t input, const Tensor& g) override;

 private:
  struct Contribution {
    const Op* op;
    const char* module;
    size_t input;
    uint64_t hash;  // of the values: a pass of a whole model is compared without keeping it
  };
  struct Running {  // rules nest where one runs a pass itself
    Tensors grads, copies;
  };
  std::vector<Contribution> contributions_;
  std::vector<Running> running_;
  std::string written_;
};

}  // namespace slope
