// The function under check, called repeatedly: its outputs as numbers L_k = <u_k, y_k>, and the
// reasons why it cannot be checked by differences.
#pragma once

#include <slope/autograd/gradcheck/numeric/differences.h>
#include <slope/core/tensor/named_tensor.h>

namespace slope {

// Ends a check; its message joins the report's problems.
struct Unfit : Error {
  using Error::Error;
};

// Unfit unless all of `again`, from a later call, have the shapes and dtypes of `first`.
void check_same_kind(const Tensors& first, const Tensors& again);

// "output 0, element 3 is nan: log made it, …" if y, output k of f, has such an element; else "".
std::string not_finite_text(const std::function<Tensors()>& f, const Tensor& y, size_t k);

class Forward {
 public:
  // Calls f twice. Throws Unfit if the outputs differ, f writes into a leaf, or no output is
  // floating-point.
  Forward(const std::function<Tensors()>& f, const NamedTensors& leaves, uint64_t seed);

  const Tensors& outputs() const { return outputs_; }  // of the first call, on the tape
  // u_k; undefined if output k is not checked: integers, elements that are not finite
  const Tensor& cotangent(size_t k) const { return cotangents_[k]; }
  bool is_checked(size_t k) const { return cotangents_[k].defined(); }
  std::string op(size_t k) const;  // the operation that made output k: "softmax"
  // The coarsest dtype to which values are rounded, which may show in the outputs: float32,
  // bfloat16 under Autocast(bf16), or else float64. Then every term of every L_k counts as rounded,
  // as it is not known which ones are: a copy hides where its values come from, and a term that
  // stays may be one whose change was rounded away. So beside a float32 step large terms in
  // float64, though exact, make a derivative too noisy to be checked; check them in a function of
  // their own.
  DType coarsest() const { return coarsest_; }
  // not_finite_text() for each output that has such an element
  const std::vector<std::string>& not_finite() const { return not_finite_; }

  // Calls f once more, when the leaves have their first values again. A message if the outputs are
  // not those of the first call: f keeps state that showed late, so that the differences say
  // nothing.
  std::string change() const;
  // L_k of each output for the leaves' current values. Throws Unfit if a shape has changed.
  std::vector<LossAt> losses() const;

 private:
  Tensors evaluate() const;

  const std::function<Tensors()>& f_;
  Tensors outputs_, cotangents_;
  std::vector<std::vector<double>> weights_;  // the cotangents' values
  std::vector<std::string> not_finite_;
  DType coarsest_ = f64;
  mutable bool needs_tape_ = false;
};

}  // namespace slope
