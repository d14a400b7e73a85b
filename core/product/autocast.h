// Autocast: the precision of this thread's matrix products, for a scope, as torch.autocast:
//   { const Autocast autocast(bf16);  loss = model.loss(…);  loss.backward(); }
// Under bf16 a product of f32 matrices rounds its operands to bf16 (to nearest, ties to even) and
// sums in f32: linear, matmul, bmm, einsum, linear_cross_entropy, and attention where the CPU has a
// unit for it. Operands and results remain f32 tensors; products of f64 do not change. Backward
// uses the precision with which each operation was recorded.
#pragma once

#include <slope/core/tensor/dtype.h>

#include <string_view>

namespace slope {

DType autocast_dtype();  // f32 (the default) or bf16

// "f32", "bf16" as settings and flags name them; UsageError for other words
DType precision_named(std::string_view word);

class Autocast {
 public:
  explicit Autocast(DType dtype);  // DTypeError unless f32 or bf16
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  DType before_;
};

}  // namespace slope
