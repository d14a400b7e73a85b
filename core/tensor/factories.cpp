#include <slope/core/loops/copy.h>
#include <slope/core/loops/parallel.h>
#include <slope/core/tensor/factories.h>
#include <slope/core/tensor/random_fill.h>

#include <cmath>
#include <functional>
#include <numeric>

namespace slope {

namespace {

constexpr int64_t value_grain = 1 << 15;
constexpr int64_t random_grain = 1 << 11;  // a random number costs 5 to 50 ns

// Element i is f(i), converted to the dtype.
template <class F>
Tensor generate(const char* op, const Dims& shape, DType dtype, int64_t chunk, F f) {
  Tensor y = Tensor::empty(shape, dtype);
  visit(dtype, [&]<class T> {
    const auto out = y.write<T>();
    parallel_for(y.numel(), chunk, [&, p = out.get()](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) p[i] = as_element<T>(f(i), op);
    });
  });
  return y;
}

// start + i step, unsigned, since end - start may be beyond int64_t.
Tensor arange_int64(int64_t start, int64_t end, int64_t step) {
  SLOPE_CHECK_SHAPE(start == end || (start < end) == (step > 0),
                    "arange: step {} does not lead from {} to {}", step, start, end);
  const auto s = static_cast<uint64_t>(start), e = static_cast<uint64_t>(end),
             by = static_cast<uint64_t>(step);
  const uint64_t way = step > 0 ? e - s : s - e, stride = step > 0 ? by : -by,
                 n = way / stride + (way % stride != 0);
  return generate("arange", {static_cast<int64_t>(n)}, i64, value_grain, [=](int64_t i) {
    return static_cast<int64_t>(s + static_cast<uint64_t>(i) * by);
  });
}

}  // namespace

Tensor full(const Dims& shape, Scalar value, DType dtype) {
  Tensor y = Tensor::empty(shape, dtype);
  fill(y, value);
  return y;
}
Tensor zeros(const Dims& shape, DType dtype) { return full(shape, 0, dtype); }
Tensor ones(const Dims& shape, DType dtype) { return full(shape, 1, dtype); }
Tensor empty_like(const Tensor& x) { return Tensor::empty(x.shape(), x.dtype()); }
Tensor full_like(const Tensor& x, Scalar value) { return full(x.shape(), value, x.dtype()); }
Tensor zeros_like(const Tensor& x) { return full_like(x, 0); }
Tensor ones_like(const Tensor& x) { return full_like(x, 1); }

Tensor arange(int64_t end) {
  SLOPE_CHECK_SHAPE(end >= 0, "arange: end must not be negative, got {}", end);
  return generate("arange", {end}, i64, value_grain, [](int64_t i) { return i; });
}

Tensor arange(Scalar from, Scalar to, Scalar by, DType dtype) {
  const double start = from.to_double(), end = to.to_double(), step = by.to_double();
  SLOPE_CHECK_SHAPE(std::isfinite(start) && std::isfinite(end),
                    "arange: bounds must be finite, got {} and {}", start, end);
  SLOPE_CHECK_SHAPE(step != 0 && (end - start) / step >= 0,
                    "arange: step {} does not lead from {} to {}", step, start, end);
  const double n = std::ceil((end - start) / step);
  SLOPE_CHECK_SHAPE(n < 0x1p62, "arange: {} elements are too many", n);
  if (dtype == i64 && from.is_integer() && to.is_integer() && by.is_integer())
    return arange_int64(from.to_int64(), to.to_int64(), by.to_int64());
  return generate("arange", {static_cast<int64_t>(n)}, dtype, value_grain,
                  [=](int64_t i) { return start + static_cast<double>(i) * step; });
}

// The first half is computed from `start`, the rest back from `end`, as in PyTorch: the last of two
// or more elements is exactly `end`.
Tensor linspace(double start, double end, int64_t steps, DType dtype) {
  SLOPE_CHECK_SHAPE(steps >= 0, "linspace: steps must not be negative, got {}", steps);
  const double step = steps > 1 ? (end - start) / static_cast<double>(steps - 1) : 0;
  return generate("linspace", {steps}, dtype, value_grain, [=](int64_t i) {
    const auto from_end = static_cast<double>(steps - 1 - i);
    return i < std::max<int64_t>(1, steps / 2) ? std::fma(step, static_cast<double>(i), start)
                                               : std::fma(-step, from_end, end);
  });
}

Tensor eye(int64_t n, int64_t m, DType dtype) {
  SLOPE_CHECK_SHAPE(n >= 0 && m >= -1, "eye: sizes must not be negative, got {} and {}", n, m);
  if (m == -1) m = n;
  Tensor y = zeros({n, m}, dtype);
  visit(dtype, [&]<class T> {
    const auto out = y.write<T>();
    for (int64_t i = 0; i < std::min(n, m); ++i) out.get()[i * m + i] = T(1);
  });
  return y;
}

Tensor rand(const Dims& shape, DType dtype) {
  check_floating(dtype, "rand");
  Tensor y = Tensor::empty(shape, dtype);
  fill_drawn(y, "rand", dtype == f32 ? Draw{uniform_f32} : Draw{uniform_f64}, std::identity());
  return y;
}

Tensor randn(const Dims& shape, DType dtype) {
  check_floating(dtype, "randn");
  Tensor y = Tensor::empty(shape, dtype);
  fill_drawn(y, "randn", normal, std::identity());
  return y;
}

Tensor randint(int64_t low, int64_t high, const Dims& shape, DType dtype) {
  SLOPE_CHECK_INDEX(low < high, "randint: needs low < high, got {} and {}", low, high);
  SLOPE_CHECK_DTYPE(dtype != boolean, "randint: integers do not fit into bool");
  // beyond this, floating-point numbers skip some integers
  const int64_t exact = int64_t{1} << (dtype == bf16 ? 8 : dtype == f32 ? 24 : 53);
  SLOPE_CHECK_DTYPE(!is_floating(dtype) || (low >= -exact && high - 1 <= exact),
                    "randint: {} does not hold every integer in [{}, {}); draw int64", name(dtype),
                    low, high);
  const RandomSite site = generator().next_site();
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  return generate("randint", shape, dtype, random_grain, [=](int64_t i) {
    return static_cast<int64_t>(static_cast<uint64_t>(low) + uniform_below(site, i, range));
  });
}

// Fisher and Yates: element i is swapped with one of those not yet placed.
Tensor randperm(int64_t n) {
  Tensor y = arange(n);
  const RandomSite site = generator().next_site();
  const auto out = y.write<int64_t>();
  for (int64_t i = 0; i + 1 < n; ++i)
    std::swap(
        out.get()[i],
        out.get()[i + static_cast<int64_t>(uniform_below(site, i, static_cast<uint64_t>(n - i)))]);
  return y;
}

Tensor bernoulli(const Tensor& p) {
  check_floating(p.dtype(), "bernoulli");
  const Tensor chances = contiguous_copy(p, f64);
  const double* chance = chances.data<double>();
  for (int64_t i = 0; i < chances.numel(); ++i)
    SLOPE_CHECK_INPUT(chance[i] >= 0 && chance[i] <= 1,
                      "bernoulli: probabilities must be in [0, 1], got {} at element {}", chance[i],
                      i);
  const Tensor draws = rand(p.shape(), f64);
  return generate("bernoulli", p.shape(), p.dtype(), value_grain,
                  [=, u = draws.data<double>()](int64_t i) { return u[i] < chance[i]; });
}

Tensor rand_like(const Tensor& x) { return rand(x.shape(), x.dtype()); }
Tensor randn_like(const Tensor& x) { return randn(x.shape(), x.dtype()); }
Tensor randint_like(const Tensor& x, int64_t low, int64_t high) {
  return randint(low, high, x.shape(), x.dtype());
}
Tensor bernoulli_like(const Tensor& x, double p) { return bernoulli(full_like(x, p)); }

namespace {

// The shape is that of the first items at each level; every other item must agree.
void find_shape(const Literal& literal, Dims& shape) {
  if (!literal.is_list) return;
  shape.push_back(static_cast<int64_t>(literal.items.size()));
  if (!literal.items.empty()) find_shape(literal.items[0], shape);
}

DType find_dtype(const Literal& literal) {
  if (!literal.is_list) return literal.dtype;
  if (literal.items.empty()) return f32;
  DType dtype = boolean;
  for (const Literal& item : literal.items) dtype = promote(dtype, find_dtype(item));
  return dtype;
}

template <class T>
void write_items(const Literal& literal, const Dims& shape, size_t depth, T*& to) {
  SLOPE_CHECK_SHAPE(
      literal.is_list == (depth < shape.size()) &&
          (!literal.is_list || static_cast<int64_t>(literal.items.size()) == shape[depth]),
      "tensor: the literal is ragged: expected {} at depth {}",
      depth < shape.size() ? fmt::format("{} items", shape[depth]) : "a number", depth);
  if (!literal.is_list) {
    *to++ = as_element<T>(literal.value, "tensor");
    return;
  }
  for (const Literal& item : literal.items) write_items(item, shape, depth + 1, to);
}

}  // namespace

Tensor tensor(const Literal& literal) { return tensor(literal, find_dtype(literal)); }

Tensor tensor(const Literal& literal, DType dtype) {
  Dims shape;
  find_shape(literal, shape);
  Tensor y = Tensor::empty(shape, dtype);
  visit(dtype, [&]<class T> {
    const auto out = y.write<T>();
    T* to = out;
    write_items(literal, shape, 0, to);
  });
  return y;
}

}  // namespace slope
