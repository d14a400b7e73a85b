// Products of operands rounded to bf16, by the unit that this CPU has for them. For core/product
// and for operations that call this unit themselves.
#pragma once

#include <slope/core/kernels/bf16/bf16_product.h>
#include <slope/core/product/gemm_tile.h>

#include <variant>

namespace slope {

// An operand in memory: f32 numbers, or bits of bf16 ones.
class Bf16Operand {
 public:
  Bf16Operand(const Operand<float>& x) : x_(x) {}     // implicit: both are operands
  Bf16Operand(const Operand<uint16_t>& x) : x_(x) {}  // implicit
  template <class F>
  decltype(auto) visit(const F& f) const {  // f(x): x in its own type
    return std::visit(f, x_);
  }
  bool transpose() const {
    return visit([](const auto& x) { return x.transpose; });
  }
  Bf16Operand at(int64_t row, int64_t col) const {
    return visit([&](const auto& x) -> Bf16Operand { return x.at(row, col); });
  }

 private:
  std::variant<Operand<float>, Operand<uint16_t>> x_;
};

// C = alpha op(A) op(B) + beta C + bias. The sum of an element runs over k in blocks of bf16_depth;
// each block's sum is added to C as a whole.
void bf16_gemm(int64_t m, int64_t n, int64_t k, float alpha, const Bf16Operand& a,
               const Bf16Operand& b, float beta, const float* bias, float* c, int64_t ldc);
// The same on one thread.
void bf16_multiply(int64_t m, int64_t n, int64_t k, float alpha, const Bf16Operand& a,
                   const Bf16Operand& b, float beta, const float* bias, float* c, int64_t ldc);

inline constexpr int64_t bf16_depth = 2048;

// The kernels of this CPU's unit; null without one.
const Bf16Product* bf16_product();
const AttentionKernels<float>* bf16_attention();

}  // namespace slope
