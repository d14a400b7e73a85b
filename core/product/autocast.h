// The precision of this thread's matrix products until the end of a scope, like torch.autocast:
//   { const Autocast autocast(bf16);  loss = model.loss(…);  loss.backward(); }
// With bf16, operands in f32 are rounded to bf16 (to nearest, ties to even) inside the product, and
// sums are in f32. The tensors remain f32. Products in f64 do not change.
// This affects linear, matmul, bmm, einsum and linear_cross_entropy, and attention where the CPU
// has a unit that multiplies bf16. Backward uses the precision with which the operation was
// recorded.
#pragma once

#include <slope/core/tensor/dtype.h>

namespace slope {

DType autocast_dtype();  // f32 (the default) or bf16

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
