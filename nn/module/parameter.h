// Parameter and Buffer: the tensors that a module owns. Like every module, both can be moved but
// not copied: std::vector<Block>(6, Block(c)) would make six blocks that share their weights, so it
// does not compile (not_copied.h). To share on purpose, call tie(a, b). A Tensor copied from either
// shares its data and gradient, as always.
#pragma once

#include <slope/core/tensor/tensor.h>
#include <slope/nn/module/not_copied.h>

#include <optional>

namespace slope::nn {

// A leaf that requires grad. It remains the same tensor when it is loaded, converted or held by an
// optimizer.
class Parameter : public Tensor, NotCopied<Parameter> {
 public:
  // takes the value without its graph; floating-point dtypes only
  explicit Parameter(const Tensor& value);
  explicit Parameter(const Dims& shape) : Parameter(Tensor::empty(shape)) {}
  Parameter(const Parameter&) = default;
  Parameter(Parameter&&) noexcept = default;
  Parameter& operator=(const Parameter&) & = default;
  Parameter& operator=(Parameter&&) & noexcept = default;

 private:
  friend void tie(Parameter& kept, Parameter& replaced);
};

// Makes `replaced` the same tensor as `kept`: one tensor under two names, trained once, saved once.
// ShapeError or DTypeError if their shapes or dtypes differ.
void tie(Parameter& kept, Parameter& replaced);

enum class Saved { yes, no };

// A tensor that belongs to a module but is not trained (a table, a running mean). to(f64) converts
// it unless it holds integers; state_dict has it unless Saved::no.
class Buffer : public Tensor, NotCopied<Buffer> {
 public:
  explicit Buffer(const Tensor& value, Saved saved = Saved::yes)
      : Tensor(value), saved_(saved == Saved::yes) {}
  Buffer(const Buffer&) = default;
  Buffer(Buffer&&) noexcept = default;
  Buffer& operator=(const Buffer&) & = default;
  Buffer& operator=(Buffer&&) & noexcept = default;
  bool is_saved() const { return saved_; }

 private:
  bool saved_;
};

// An optional parameter as operations take it: linear(x, weight, or_none(bias)).
inline Tensor or_none(const std::optional<Parameter>& p) { return p ? Tensor(*p) : Tensor(); }

}  // namespace slope::nn
