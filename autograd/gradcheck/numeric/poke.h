// Poke: overwrites a tensor's memory for a scope without the tape's knowledge: the version stays,
// so that backward over the recorded tape still runs. The guard restores the values.
#pragma once

#include <slope/core/tensor/tensor.h>

namespace slope {

class Poke {
 public:
  Poke(const Tensor& x, const std::vector<double>& values) : x_(x), before_(exchange(values)) {}
  ~Poke() { exchange(before_); }
  Poke(const Poke&) = delete;
  Poke& operator=(const Poke&) = delete;

 private:
  std::vector<double> exchange(const std::vector<double>& values) const {
    std::vector<double> old(values.size());
    visit(x_.dtype(), [&]<class T> {
      T* const memory = static_cast<T*>(x_.storage()->data()) + x_.layout().offset;
      for (size_t i = 0; i < values.size(); ++i) {
        int64_t rest = static_cast<int64_t>(i), at = 0;
        for (int64_t d = x_.rank() - 1; d >= 0; --d) {
          at += rest % x_.shape()[d] * x_.strides()[d];
          rest /= x_.shape()[d];
        }
        old[i] = static_cast<double>(memory[at]);
        memory[at] = static_cast<T>(values[i]);
      }
    });
    return old;
  }
  Tensor x_;
  std::vector<double> before_;
};

}  // namespace slope
