#include <slope/autograd/ops.h>
#include <slope/nn/functional/pooling.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace slope::nn {

namespace {

struct Windows {
  int64_t kernel, stride, padding, dilation, L, count;

  // ShapeError unless there is a window
  Windows(const char* who, const Tensor& x, int64_t k, int64_t s, int64_t p, int64_t d, bool ceil)
      : kernel(k), stride(s == 0 ? k : s), padding(p), dilation(d),
        L(x.rank() > 0 ? x.size(-1) : 0) {
    SLOPE_CHECK_SHAPE(x.rank() == 2 || x.rank() == 3, "{}: needs (N, C, L) or (C, L), got {}", who,
                      x.shape());
    SLOPE_CHECK(kernel > 0 && stride > 0 && dilation > 0 && padding >= 0 && padding <= kernel / 2,
                "{}: kernel {}, stride {} and dilation {} must be above 0, padding {} at most half "
                "of the kernel",
                who, kernel, stride, dilation, padding);
    const int64_t padded = checked_add(L, checked_mul(2, padding)), room = padded - covered();
    SLOPE_CHECK_SHAPE(room >= 0, "{}: a window covers {} positions, the padded input has {}", who,
                      covered(), padded);
    count = room / stride + (ceil && room % stride != 0) + 1;
    if (ceil && checked_mul(count - 1, stride) >= L + padding) --count;
  }
  int64_t covered() const { return checked_add(checked_mul(dilation, kernel - 1), 1); }

  // the first element in x of a window that begins at `start` (may be < 0)
  int64_t first_element(int64_t start) const {
    return start >= 0 ? start : (start % dilation + dilation) % dilation;
  }
  int64_t added_behind() const {
    return std::max<int64_t>(0, (count - 1) * stride - L - padding + covered());
  }

  // (…, L) -> (…, count, kernel), `value` where there is no element
  Tensor of(const Tensor& x, double value) const {
    return split(slope::pad(x, {padding, added_behind()}, value));
  }

  // The same for a maximum: the padding before x repeats the window's first element, that behind x
  // is -inf. So the gradient goes to an element of x, even where all of them are -inf.
  Tensor of_maximum(const Tensor& x) const {
    if (padding == 0) return of(x, -INFINITY);
    const Tensor ended = slope::pad(x, {0, std::max<int64_t>(1, added_behind())}, -INFINITY);
    std::vector<int64_t> from;
    for (int64_t i = -padding; i < 0; ++i) from.push_back(std::min(first_element(i), L));
    return split(cat({index_select(ended, -1, from_vector(from, {padding})), ended}, -1));
  }

  // (count): of each window
  Tensor first_elements() const {
    std::vector<int64_t> first;
    for (int64_t i = 0; i < count; ++i) first.push_back(first_element(i * stride - padding));
    return from_vector(first, {count});
  }

 private:
  Tensor split(const Tensor& padded) const {
    const int64_t last = (count - 1) * stride;
    Tensors columns;
    for (int64_t k = 0; k < kernel; ++k)
      // (…, count): element k of each window
      columns.push_back(padded.slice(-1, k * dilation, k * dilation + last + 1, stride));
    return stack(columns, -1);
  }
};

// (…, L'): whether no later index of the row is the same. Of equal indices the last one counts.
Tensor is_last_of_its_index(const Tensor& indices, int64_t length) {
  const Tensor rows = indices.contiguous(), is_last = zeros(indices.shape(), boolean);
  const int64_t n = indices.size(-1);
  const int64_t* index = rows.data<int64_t>();
  const auto out = is_last.write<bool>();
  std::vector<int64_t> user(static_cast<size_t>(length));  // of a position: 1 + the last i for it
  for (int64_t begin = 0; begin < rows.numel(); begin += n) {
    std::fill(user.begin(), user.end(), 0);
    for (int64_t i = 0; i < n; ++i) {
      const int64_t to = index[begin + i];
      SLOPE_CHECK_INDEX(to >= 0 && to < length,
                        "max_unpool1d: index {} at position {} is out of range [0, {})", to,
                        begin + i, length);
      user[static_cast<size_t>(to)] = i + 1;
    }
    for (int64_t i = 0; i < n; ++i)
      out[begin + i] = user[static_cast<size_t>(index[begin + i])] == i + 1;
  }
  return is_last;
}

// Calls f(window (…, w), its first position) for each adaptive window of the last dim.
template <class F>
void each_window(const char* who, const Tensor& x, int64_t size, const F& f) {
  SLOPE_CHECK_SHAPE((x.rank() == 2 || x.rank() == 3) && x.size(-1) > 0 && size > 0,
                    "{}: needs (N, C, L) or (C, L) and a size above 0, got {} and {}", who,
                    x.shape(), size);
  const int64_t L = x.size(-1);
  for (int64_t i = 0; i < size; ++i) {
    const int64_t first = i * L / size, last = ((i + 1) * L + size - 1) / size;
    f(x.narrow(-1, first, last - first), first);
  }
}

}  // namespace

Tensor avg_pool1d(const Tensor& x, int64_t kernel, const AvgPoolOptions& o) {
  const Windows w("avg_pool1d", x, kernel, o.stride, o.padding, 1, o.ceil_mode);
  const Tensor counts = Tensor::empty({w.count}, x.dtype());
  const int64_t low = o.count_include_pad ? -o.padding : 0,
                high = o.count_include_pad ? w.L + o.padding : w.L;
  visit_floating(x.dtype(), "avg_pool1d", [&]<class T> {
    const auto out = counts.write<T>();
    for (int64_t i = 0; i < w.count; ++i) {
      const int64_t start = i * w.stride - o.padding;
      out[i] = static_cast<T>(std::min(start + kernel, high) - std::max(start, low));
    }
  });
  return sum(w.of(x, 0), {-1}) / counts;
}

ValuesAndIndices max_pool1d_with_indices(const Tensor& x, int64_t kernel, const MaxPoolOptions& o) {
  const Windows w("max_pool1d", x, kernel, o.stride, o.padding, o.dilation, o.ceil_mode);
  const auto [values, column] = max(w.of_maximum(x), -1);
  const Tensor indices = arange(w.count) * static_cast<double>(w.stride) +
                         column * static_cast<double>(o.dilation) - static_cast<double>(o.padding);
  return {values, w.padding == 0 ? indices : maximum(indices, w.first_elements())};
}

Tensor max_pool1d(const Tensor& x, int64_t kernel, const MaxPoolOptions& o) {
  return max_pool1d_with_indices(x, kernel, o).values;
}

Tensor max_unpool1d(const Tensor& x, const Tensor& indices, int64_t length) {
  Dims shape = x.shape();
  SLOPE_CHECK_SHAPE(x.rank() > 0 && indices.shape() == shape,
                    "max_unpool1d: x and indices must have the same shape, got {} and {}", shape,
                    indices.shape());
  shape.back() = length;
  const Tensor y = zeros(shape, x.dtype());
  return scatter_add(y, -1, indices,
                     where(is_last_of_its_index(indices, length), x, zeros({}, x.dtype())));
}

Tensor lp_pool1d(const Tensor& x, double p, int64_t kernel, const LpPoolOptions& o) {
  SLOPE_CHECK(p > 0, "lp_pool1d: p must be above 0, got {}", p);
  const Windows w("lp_pool1d", x, kernel, o.stride, 0, 1, o.ceil_mode);
  if (std::isinf(p))
    return max_pool1d(abs(x), kernel, {.stride = o.stride, .ceil_mode = o.ceil_mode});
  // a window that is cut off counts as its mean times the kernel, as in PyTorch
  const Tensor means =
      avg_pool1d(pow(x, p), kernel, {.stride = o.stride, .ceil_mode = o.ceil_mode});
  return pow(relu(abs(means)) * sign(means) * static_cast<double>(kernel), 1 / p);
}

Tensor adaptive_avg_pool1d(const Tensor& x, int64_t size) {
  Tensors means;
  each_window("adaptive_avg_pool1d", x, size,
              [&](const Tensor& window, int64_t) { means.push_back(mean(window, {-1})); });
  return stack(means, -1);
}

ValuesAndIndices adaptive_max_pool1d_with_indices(const Tensor& x, int64_t size) {
  Tensors values, indices;
  each_window("adaptive_max_pool1d", x, size, [&](const Tensor& window, int64_t first) {
    const auto [value, index] = max(window, -1);
    values.push_back(value);
    indices.push_back(index + static_cast<double>(first));
  });
  return {stack(values, -1), stack(indices, -1)};
}

Tensor adaptive_max_pool1d(const Tensor& x, int64_t size) {
  return adaptive_max_pool1d_with_indices(x, size).values;
}

Tensor pad(const Tensor& x, const Dims& widths, PadMode mode) {
  SLOPE_CHECK_SHAPE(x.rank() > 0 && widths.size() == 2,
                    "pad: needs a dim and its widths before and after, got {} and {}", x.shape(),
                    widths);
  // as in PyTorch, `circular` continues with what is not cut off, n elements from `first`; the
  // others look at all of x
  const int64_t L = x.size(-1), before = std::max(widths[0], -L - 1),
                after = std::max(widths[1], -L - 1), first = std::max<int64_t>(0, -before),
                end = checked_add(L, after), n = std::min(L, end) - first,
                most = std::max(before, after), given = mode == PadMode::circular ? n : L;
  SLOPE_CHECK_SHAPE(n >= 0, "pad: widths {} cut off more than the {} elements of the dim", widths,
                    L);
  SLOPE_CHECK_SHAPE(most <= 0 || (given > 0 && (mode == PadMode::replicate ||
                                                most <= given - (mode == PadMode::reflect))),
                    "pad: {} new elements are more than {} can give", most, given);
  std::vector<int64_t> from;
  for (int64_t i = -before; i < end; ++i)
    from.push_back(mode == PadMode::replicate  ? std::clamp<int64_t>(i, 0, L - 1)
                   : mode == PadMode::circular ? first + (i - first + n) % n
                   : i < 0                     ? -i
                   : i >= L                    ? 2 * (L - 1) - i
                                               : i);
  return index_select(x, -1, from_vector(from, {static_cast<int64_t>(from.size())}));
}

}  // namespace slope::nn
