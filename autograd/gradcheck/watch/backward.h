// Watches a backward pass, for messages: which rule wrote into its grad_output, and which gave
// another result than in the previous pass. What a rule wrote there is undone, so that the rules
// after it get what they should, and the pass can be compared.
#pragma once

#include <slope/autograd/observer.h>

#include <string>
#include <string_view>
#include <vector>

namespace slope {

// the words by which the diagnosis recognises this problem
inline constexpr std::string_view writes_text = "writes into the gradient that it is given";

struct Factors {  // powers of two
  double least = 0x1p-1000, most = 0x1p1000;
  void keep_in_range(double size, DType dtype);  // of a gradient
};

class WatchBackward : public Observer {
 public:
  // "bad in module m writes into the gradient that it is given: element 2 was …"; "" if none does
  const std::string& written() const { return written_; }
  // Whether a rule wrote into its grad_output and returned that memory as its result: undoing the
  // write spoils that result.
  bool returns_what_it_wrote() const { return returns_what_it_wrote_; }
  // Whether a rule rounded its gradients to bfloat16.
  bool has_bf16() const { return has_bf16_; }
  // by which all gradients of the pass may be multiplied without leaving the range of their dtypes
  const Factors& factors() const { return factors_; }
  // The first operation whose gradient differs between the two passes; empty if there is none.
  std::string first_change(const WatchBackward& other) const;

  void node_begins(const Node& node, std::span<const Tensor> grads) override;
  void rule_ended(const Node& node) override;
  void returned(const Node& node, size_t input, const Tensor& g) override;
  void contributed(const Node& node, size_t input, const Tensor& g) override;

 private:
  // What a rule contributed to its inputs. The hash is one of the values, so that a model's
  // gradients need not be stored.
  struct Run {
    const Node* node;
    const Op* op;
    const char* module;
    uint64_t hash = 0;
  };
  struct Running {  // rules nest if one runs a pass itself
    Run run;
    Tensors grads, copies;
  };
  std::vector<Run> runs_;  // in the order in which the rules ended
  std::vector<Running> running_;
  Tensors undone_;  // the grad_outputs into which the last rule wrote
  std::string written_;
  bool returns_what_it_wrote_ = false, has_bf16_ = false;
  Factors factors_;
};

}  // namespace slope
