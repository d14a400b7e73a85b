// Operations that place x's elements anew in a fresh tensor. Each derivative is an
// operation of the same kind.
#include <slope/autograd/ops.h>
#include <slope/autograd/ops/shape/view_of.h>
#include <slope/core/loops/copy.h>
#include <slope/core/loops/strided.h>

#include <algorithm>

namespace slope {

namespace {

// y = x where `column - row` is on the kept side of the diagonal, else 0. Lower:
// column - row <= diagonal.
template <bool lower>
Tensor triangle(const Tensor& x, int64_t diagonal) {
  const Tensor from = x.is_contiguous() ? x : contiguous_copy(x);
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  const int64_t n = x.size(-2), m = x.size(-1);
  if (x.numel() == 0) return y;
  visit(x.dtype(), [&]<class T> {
    const T* in = from.data<T>();
    const auto out = y.write<T>();
    T* to = out;
    parallel_for(x.numel() / m, std::max<int64_t>(1, 32768 / m), [=](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const T* a = in + r * m;
        T* b = to + r * m;
        // columns before it are the lower part
        const int64_t edge = std::clamp<int64_t>(r % n + diagonal + (lower ? 1 : 0), 0, m);
        for (int64_t c = 0; c < edge; ++c) b[c] = lower ? a[c] : T(0);
        for (int64_t c = edge; c < m; ++c) b[c] = lower ? T(0) : a[c];
      }
    });
  });
  return y;
}

int64_t bounded(int64_t diagonal, const Tensor& x) {
  return std::clamp(diagonal, -x.size(-2) - 1, x.size(-1) + 1);
}

}  // namespace

namespace ops {

// Negative widths cut off: so the derivative of a pad is the opposite pad.
extern const Op pad{
    .name = "pad", .signature = "(*) -> (*)", .formula = [](const Saved& s, const Tensor& g) {
      Dims widths = s.dims("widths");
      for (int64_t& w : widths) w = -w;
      return Grads{slope::pad(g, widths)};
    }};
extern const Op tril{.name = "tril",
                     .signature = "(*, n, m) -> (*, n, m)",
                     .formula = [](const Saved& s, const Tensor& g) {
                       return Grads{slope::tril(g, s.integer("diagonal"))};
                     }};
extern const Op triu{.name = "triu",
                     .signature = "(*, n, m) -> (*, n, m)",
                     .formula = [](const Saved& s, const Tensor& g) {
                       return Grads{slope::triu(g, s.integer("diagonal"))};
                     }};
extern const Op flip{
    .name = "flip", .signature = "(*) -> (*)", .formula = [](const Saved& s, const Tensor& g) {
      return Grads{slope::flip(g, s.dims("dims"))};
    }};
extern const Op roll{
    .name = "roll", .signature = "(*) -> (*)", .formula = [](const Saved& s, const Tensor& g) {
      Dims shifts = s.dims("shifts");
      for (int64_t& shift : shifts) shift = -shift;
      return Grads{slope::roll(g, shifts, s.dims("dims"))};
    }};

// y (t1 n1, t2 n2, …) seen as (t1, n1, t2, n2, …): the derivative sums over the t's.
extern const Op repeat{
    .name = "repeat", .signature = "(*) -> (*)", .formula = [](const Saved& s, const Tensor& g) {
      const Dims &x = s.input_shape(), &times = s.dims("times");
      const size_t lead = times.size() - x.size();
      Dims apart, repeated;
      for (size_t d = 0; d < times.size(); ++d) {
        repeated.push_back(static_cast<int64_t>(apart.size()));
        apart.push_back(times[d]);
        if (d >= lead) apart.push_back(x[d - lead]);
      }
      return Grads{repeated.empty() ? slope::clone(g) : sum(reshape(g, apart), repeated)};
    }};
extern const Op repeat_interleave{.name = "repeat_interleave",
                                  .signature = "(*) -> (*)",
                                  .formula = [](const Saved& s, const Tensor& g) {
                                    const int64_t dim = s.integer("dim");
                                    Dims apart = s.input_shape();
                                    apart.insert(static_cast<size_t>(dim + 1), s.integer("times"));
                                    return Grads{sum(reshape(g, apart), {dim + 1})};
                                  }};

}  // namespace ops

Tensor pad(const Tensor& x, const Dims& widths, double value) {
  SLOPE_CHECK_SHAPE(widths.size() % 2 == 0 && widths.size() / 2 <= x.shape().size(),
                    "pad: widths {} are not pairs for the last dims of shape {}", widths,
                    x.shape());
  Dims shape = x.shape();
  Layout inner = x.layout();  // what is kept of x
  Dims starts(shape.size(), 0);
  for (size_t p = 0; p < widths.size() / 2; ++p) {
    const size_t d = shape.size() - 1 - p;
    const int64_t before = widths[2 * p], after = widths[2 * p + 1], size = shape[d];
    constexpr int64_t widest = int64_t{1} << 48;
    SLOPE_CHECK_SHAPE(before <= widest && after <= widest,
                      "pad: widths ({}, {}) of dim {} are too large", before, after, d);
    SLOPE_CHECK_SHAPE(before >= -size && after >= -size && size + before + after >= 0,
                      "pad: widths ({}, {}) cut more than the {} of dim {}", before, after, size,
                      d);
    shape[d] = size + before + after;
    const int64_t first = std::max<int64_t>(-before, 0), last = size - std::max<int64_t>(-after, 0);
    inner = inner.narrow(static_cast<int64_t>(d), first, last - first);
    starts[d] = std::max<int64_t>(before, 0);
  }
  Tensor y = full(shape, value, x.dtype());
  Layout place = y.layout();
  for (size_t d = 0; d < shape.size(); ++d)
    place = place.narrow(static_cast<int64_t>(d), starts[d], inner.shape[d]);
  if (place.numel() > 0) copy_into(view_of(x, inner), view_of(y, place));
  return ops::pad.record(y, {x}, {{"widths", widths}});
}

Tensor tril(const Tensor& x, int64_t diagonal) {
  ops::tril.check({x});
  diagonal = bounded(diagonal, x);
  return ops::tril.record(triangle<true>(x, diagonal), {x}, {{"diagonal", diagonal}});
}
Tensor triu(const Tensor& x, int64_t diagonal) {
  ops::triu.check({x});
  diagonal = bounded(diagonal, x);
  return ops::triu.record(triangle<false>(x, diagonal), {x}, {{"diagonal", diagonal}});
}

Tensor flip(const Tensor& x, const Dims& dims) {
  Dims wrapped = dims;
  Layout backwards = x.layout();
  Dims seen(x.shape().size(), 0);
  for (int64_t& dim : wrapped) {
    dim = wrap_dim(dim, x.rank(), "flip");
    if (x.rank() == 0) continue;
    const auto d = static_cast<size_t>(dim);
    SLOPE_CHECK_INDEX(!seen[d]++, "flip: dim {} appears twice in {}", dim, dims);
    backwards.offset += std::max<int64_t>(x.shape()[d] - 1, 0) * x.strides()[d];
    backwards.strides[d] = -x.strides()[d];
  }
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  visit(x.dtype(), [&]<class T> {
    const T* from = x.data<T>() + (backwards.offset - x.layout().offset);
    const auto out = y.write<T>();
    T* to = out;
    for_each_run<2>(x.shape(), {&backwards.strides, &y.strides()}, 32768,
                    [&](int64_t n, auto at, auto step) {
                      for (int64_t i = 0; i < n; ++i)
                        to[at[1] + i * step[1]] = from[at[0] + i * step[0]];
                    });
  });
  return ops::flip.record(y, {x}, {{"dims", wrapped}});
}

// y_{(i + shift) mod n} = x_i in each of the dims; without dims, over all elements in order.
Tensor roll(const Tensor& x, const Dims& shifts, const Dims& dims) {
  if (dims.empty()) {
    SLOPE_CHECK_SHAPE(shifts.size() == 1, "roll: without dims there is one shift, got {}", shifts);
    return reshape(roll(reshape(x, {-1}), shifts, {0}), x.shape());
  }
  SLOPE_CHECK_SHAPE(shifts.size() == dims.size(), "roll: {} shifts for {} dims", shifts.size(),
                    dims.size());
  Tensor y = x;
  Dims wrapped = dims, places = shifts;
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t dim = wrapped[i] = wrap_dim(dims[i], x.rank(), "roll"),
                  n = x.rank() == 0 ? 1 : x.size(dim);
    const int64_t shift = places[i] = n == 0 ? 0 : (shifts[i] % n + n) % n;
    Tensor rolled = Tensor::empty(x.shape(), x.dtype());
    const auto move = [&](int64_t from, int64_t to, int64_t length) {
      if (x.rank() == 0 || length == 0) return copy_into(y, rolled);
      copy_into(view_of(y, y.layout().narrow(dim, from, length)),
                view_of(rolled, rolled.layout().narrow(dim, to, length)));
    };
    move(0, shift, n - shift);
    if (shift > 0) move(n - shift, 0, shift);
    y = rolled;
  }
  return ops::roll.record(y, {x}, {{"shifts", places}, {"dims", wrapped}});
}

Tensor repeat(const Tensor& x, const Dims& times) {
  SLOPE_CHECK_SHAPE(times.size() >= x.shape().size(),
                    "repeat: {} names fewer dims than shape {} has", times, x.shape());
  const size_t lead = times.size() - x.shape().size();
  Layout apart = x.layout();  // (t1, n1, t2, n2, …), stride 0 in the t's
  Dims shape, wide;
  for (size_t d = 0, at = 0; d < times.size(); ++d) {
    SLOPE_CHECK_SHAPE(times[d] >= 0, "repeat: cannot repeat {} times", times[d]);
    apart = apart.unsqueeze(static_cast<int64_t>(at++));
    wide.push_back(times[d]);
    if (d >= lead) wide.push_back(x.shape()[d - lead]), ++at;
    shape.push_back(d >= lead ? checked_mul(times[d], x.shape()[d - lead]) : times[d]);
  }
  const Tensor y = contiguous_copy(view_of(x, apart.broadcast_to(wide)));
  return ops::repeat.record(view_of(y, Layout::contiguous(shape)), {x}, {{"times", times}});
}

Tensor repeat_interleave(const Tensor& x, int64_t times, int64_t dim) {
  SLOPE_CHECK_SHAPE(times >= 0, "repeat_interleave: cannot repeat {} times", times);
  SLOPE_CHECK_SHAPE(x.rank() > 0,
                    "repeat_interleave: a tensor of rank 0 has no dim to repeat along");
  dim = wrap_dim(dim, x.rank(), "repeat_interleave");
  Dims wide = x.shape(), shape = x.shape();
  wide.insert(static_cast<size_t>(dim + 1), times);
  shape[static_cast<size_t>(dim)] = checked_mul(shape[static_cast<size_t>(dim)], times);
  const Tensor y = contiguous_copy(view_of(x, x.layout().unsqueeze(dim + 1).broadcast_to(wide)));
  return ops::repeat_interleave.record(view_of(y, Layout::contiguous(shape)), {x},
                                       {{"times", times}, {"dim", dim}});
}

}  // namespace slope
