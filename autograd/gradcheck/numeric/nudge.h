// Nudge: moves one element of a leaf and restores it when the guard ends.
#pragma once

#include <slope/autograd/grad_mode.h>
#include <slope/core/tensor/tensor.h>

namespace slope {

class Nudge {
 public:
  Nudge(const Tensor& x, int64_t element) : x_(x) {
    for (int64_t d = x.rank() - 1; d >= 0; --d) {
      at_ += element % x.shape()[d] * x.strides()[d];
      element /= x.shape()[d];
    }
    visit_floating(x.dtype(), "gradcheck",
                   [&]<class T> { value_ = static_cast<double>(x.data<T>()[at_]); });
  }
  ~Nudge() { move(0); }
  Nudge(const Nudge&) = delete;
  Nudge& operator=(const Nudge&) = delete;

  double value() const { return value_; }  // before the move
  // Returns the actual step: the element is rounded to x's dtype.
  double move(double step) const {
    const NoGrad no_grad;
    double moved = 0;
    visit_floating(x_.dtype(), "gradcheck", [&]<class T> {
      const T value = static_cast<T>(step == 0 ? value_ : value_ + step);  // -0 + 0 is +0
      x_.write<T>()[at_] = value;
      moved = static_cast<double>(value) - value_;
    });
    return moved;
  }

 private:
  Tensor x_;
  int64_t at_ = 0;
  double value_ = 0;
};

}  // namespace slope
