// Bitwise equality, and a loop over numbers of threads.
#pragma once

#include <slope/core/loops/copy.h>
#include <slope/core/loops/parallel.h>
#include <slope/core/tensor/random.h>
#include <slope/tests/threads.h>

#include <cstring>

namespace slope {

inline bool same_bits(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) return false;
  const Tensor x = contiguous_copy(a.detach()), y = contiguous_copy(b.detach());
  return visit(x.dtype(), [&]<class T> {
    return std::memcmp(x.data<T>(), y.data<T>(), sizeof(T) * static_cast<size_t>(x.numel())) == 0;
  });
}

inline bool same_bits(const Tensors& a, const Tensors& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!same_bits(a[i], b[i])) return false;
  return true;
}

// Whether f() gives the same tensors with 1, 2, 3 and 7 threads; the generator starts from the same
// place each time.
template <class F>
bool same_for_all_threads(F&& f) {
  const KeepThreads restore;
  const Generator start = generator();
  Tensors first;
  bool same = true;
  for (int threads : {1, 2, 3, 7}) {
    set_num_threads(threads);
    generator() = start;
    const Tensors now = f();
    if (threads == 1)
      first = now;
    else
      same = same && same_bits(first, now);
  }
  return same;
}

}  // namespace slope
