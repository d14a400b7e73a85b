#include <slope/core/kernels/elementwise/bf16_copy.h>
#include <slope/core/kernels/elementwise/elementwise.h>
#include <slope/core/kernels/elementwise/fill.h>
#include <slope/core/kernels/shape/transposed_copy.h>
#include <slope/core/loops/copy.h>
#include <slope/core/loops/streamed.h>
#include <slope/core/loops/strided.h>
#include <slope/core/memory/fork.h>
#include <slope/core/memory/mutex.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_set>

namespace slope {

namespace {

constexpr int64_t copy_grain = 1 << 15;

template <class T>
void copy_row(int64_t n, const T* from, T* to, bool is_large) {
  if (is_large)
    kernels<Stream>().copy(n * static_cast<int64_t>(sizeof(T)), from, to);
  else
    std::memcpy(to, from, static_cast<size_t>(n) * sizeof(T));
}

// Converts adjacent numbers between f32 and bf16.
void convert_row(int64_t n, const float* from, BFloat16* to) {
  kernels<Bf16Copy>().round(n, from, bits_of(to));
}
void convert_row(int64_t n, const BFloat16* from, float* to) {
  kernels<Bf16Copy>().widen(n, bits_of(from), to);
}
template <class A, class B>
concept HasConversionLoop = requires(const A* from, B* to) {
  convert_row(0, from, to);
};

template <class T>
void fill_row(int64_t n, T value, T* to, bool is_large) {
  T line[64 / sizeof(T)];
  std::fill(std::begin(line), std::end(line), value);
  kernels<Fill>().fill(n * static_cast<int64_t>(sizeof(T)), line, to, is_large);
}

// Copies a matrix if either `from` or `to` is transposed in memory and the other is not; else
// returns false.
template <class T>
bool copied_as_transposes(const Tensor& from, const Tensor& to) {
  if (from.rank() != 2) return false;
  const Dims &s = from.strides(), &t = to.strides();
  const bool by_columns = s[0] == 1 && t[1] == 1 && s[1] >= from.size(0) && t[0] >= from.size(1),
             by_rows = s[1] == 1 && t[0] == 1 && s[0] >= from.size(1) && t[1] >= from.size(0);
  if (!by_columns && !by_rows) return false;
  const int64_t rows = from.size(by_columns ? 1 : 0), columns = from.size(by_columns ? 0 : 1);
  const int64_t from_row = s[by_columns ? 1 : 0], to_row = t[by_columns ? 0 : 1];
  const T* x = from.data<T>();
  const auto out = to.write<T>();
  T* y = out;
  const bool is_large = is_past_caches(to.numel() * static_cast<int64_t>(sizeof(T)));
  const auto copy = kernels<TransposedCopy<T>>().copy;
  // whole cache lines; a large matrix is cut into about sixteen pieces
  const auto chunk = [](int64_t n, int64_t across) {
    return (std::max({int64_t{64}, copy_grain / std::max<int64_t>(across, 1), n / 16}) + 31) / 32 *
           32;
  };
  if (rows > columns)
    parallel_for(rows, chunk(rows, columns), [&](int64_t begin, int64_t end) {
      copy(end - begin, columns, x + begin * from_row, from_row, y + begin, to_row, is_large);
    });
  else
    parallel_for(columns, chunk(columns, rows), [&](int64_t begin, int64_t end) {
      copy(rows, end - begin, x + begin, from_row, y + begin * to_row, to_row, is_large);
    });
  return true;
}

}  // namespace

void copy_into(const Tensor& from, const Tensor& to) {
  SLOPE_CHECK_SHAPE(from.shape() == to.shape(), "copy: shapes differ: {} into {}", from.shape(),
                    to.shape());
  visit(from.dtype(), [&]<class A> {
    visit(to.dtype(), [&]<class B> {
      if constexpr (std::is_same_v<A, B> && std::is_floating_point_v<A>)
        if (copied_as_transposes<A>(from, to)) return;
      const A* x = from.data<A>();
      const auto out = to.write<B>();
      B* y = out;
      const bool repeats =
          std::find(from.strides().begin(), from.strides().end(), 0) != from.strides().end();
      const int64_t bytes = to.numel() * static_cast<int64_t>(sizeof(B));
      // a repeated source is small: only the result fills caches
      const bool is_large = is_past_caches(repeats ? bytes / 2 : bytes);
      for_each_run<2>(
          from.shape(), {&from.strides(), &to.strides()}, copy_grain,
          [&](int64_t n, auto at, auto step) {
            const A* a = x + at[0];
            B* b = y + at[1];
            const bool side_by_side = step[0] == 1 && step[1] == 1;
            if constexpr (HasConversionLoop<A, B>)
              if (side_by_side) return convert_row(n, a, b);
            if (std::is_same_v<A, B> && side_by_side) {
              copy_row(n, reinterpret_cast<const B*>(a), b, is_large);
            } else if (step[0] == 0 && step[1] == 1) {
              fill_row(n, as_element<B>(*a), b, is_large);
            } else {
              for (int64_t i = 0; i < n; ++i) b[i * step[1]] = as_element<B>(a[i * step[0]]);
            }
          },
          [is_large] {
            if (is_large) kernels<Stream>().finish();
          });
    });
  });
}

void copy_each(const Tensors& from, const Tensors& to) {
  std::unordered_set<const void*> written;
  for (const Tensor& x : to) written.insert(x.storage().get());
  Tensors safe = from;
  for (size_t i = 0; i < to.size(); ++i)
    if (written.contains(from[i].storage().get()) && !from[i].is_same(to[i]))
      safe[i] = contiguous_copy(from[i]);
  for (size_t i = 0; i < to.size(); ++i)
    if (!safe[i].is_same(to[i])) copy_into(safe[i], to[i]);
}

void fill(const Tensor& x, Scalar number) {
  const double value = number.to_double();
  visit(x.dtype(), [&]<class T> {
    const T element = as_element<T>(number, "fill");
    SLOPE_CHECK_DTYPE(!std::isfinite(value) || std::isfinite(static_cast<double>(element)),
                      "fill: {} does not fit in {}", value, name(x.dtype()));
    const auto out = x.write<T>();
    T* y = out;
    for_each_run<1>(x.shape(), {&x.strides()}, copy_grain, [&](int64_t n, auto at, auto step) {
      if (step[0] == 1) {
        fill_row(n, element, y + at[0], false);
      } else {
        for (int64_t i = 0; i < n; ++i) y[at[0] + i * step[0]] = element;
      }
    });
  });
}

void add_into(const Tensor& from, const Tensor& to) {
  SLOPE_CHECK_SHAPE(from.shape() == to.shape(), "add_into: shapes differ: {} into {}", from.shape(),
                    to.shape());
  if (to.dtype() == bf16) {
    const BFloat16* x = from.data<BFloat16>();
    const auto out = to.write<BFloat16>();
    BFloat16* y = out;
    return for_each_run<2>(from.shape(), {&from.strides(), &to.strides()}, copy_grain,
                           [&](int64_t n, auto at, auto step) {
                             for (int64_t i = 0; i < n; ++i)
                               y[at[1] + i * step[1]] =
                                   y[at[1] + i * step[1]] + x[at[0] + i * step[0]];
                           });
  }
  visit_floating(to.dtype(), "add_into", [&]<class T> {
    const auto loop = kernels<Accumulate<T>>().add;
    const T* x = from.data<T>();
    const auto out = to.write<T>();
    T* y = out;
    if (from.is_contiguous() && to.is_contiguous())
      parallel_for(to.numel(), copy_grain, [&](int64_t begin, int64_t end) {
        loop(end - begin, x + begin, 1, y + begin, 1);
      });
    else
      for_each_run<2>(
          from.shape(), {&from.strides(), &to.strides()}, copy_grain,
          [&](int64_t n, auto at, auto step) { loop(n, x + at[0], step[0], y + at[1], step[1]); });
  });
}

static Mutex twins_mutex;  // two threads may ask for the same twin
[[maybe_unused]] static const bool twins_are_held = hold_over_fork(ForkOrder::tables, twins_mutex);

Storage bf16_twin(const Storage& s) {
  const Lock lock(twins_mutex);
  if (!s->bf16_twin_ || s->twin_version_ != s->version()) {
    const Tensor all(s, Layout::contiguous({s->bytes() / size_of(f32)}), f32);
    s->bf16_twin_ = contiguous_copy(all, bf16).storage();
    s->twin_version_ = s->version();
  }
  return s->bf16_twin_;
}

Tensor contiguous_copy(const Tensor& x) { return contiguous_copy(x, x.dtype()); }

Tensor contiguous_copy(const Tensor& x, DType dtype) {
  Tensor y = Tensor::empty(x.shape(), dtype);
  copy_into(x, y);
  return y;
}

}  // namespace slope
