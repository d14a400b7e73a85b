// Poke: overwrites a tensor's memory for a scope without the tape's knowledge: the version stays,
// so that backward over the recorded tape still runs. The guard restores the values.
#pragma once

#include <slope/core/tensor/tensor.h>

namespace slope {

class Poke {
 public:
  Poke(const Tensor& x, const std::vector<double>& values) : x_(x), before_(values.size()) {
    visit(x_.dtype(), [&]<class T> {
      for (size_t i = 0; i < values.size(); ++i) {
        before_[i] = static_cast<double>(element<T>(i));
        element<T>(i) = static_cast<T>(values[i]);
      }
    });
  }
  ~Poke() {  // last to first: where x overlaps itself, the first has the value from before
    visit(x_.dtype(), [&]<class T> {
      for (size_t i = before_.size(); i-- > 0;) element<T>(i) = static_cast<T>(before_[i]);
    });
  }
  Poke(const Poke&) = delete;
  Poke& operator=(const Poke&) = delete;

 private:
  template <class T>
  T& element(size_t i) const {
    int64_t rest = static_cast<int64_t>(i), at = x_.layout().offset;
    for (int64_t d = x_.rank() - 1; d >= 0; --d) {
      at += rest % x_.shape()[d] * x_.strides()[d];
      rest /= x_.shape()[d];
    }
    return static_cast<T*>(x_.storage()->data())[at];
  }
  Tensor x_;
  std::vector<double> before_;
};

}  // namespace slope
