// flip and roll: the same elements in another order along dims.
#include <slope/autograd/ops.h>
#include <slope/autograd/ops/shape/view_of.h>
#include <slope/core/loops/copy.h>
#include <slope/core/loops/strided.h>

#include <algorithm>

namespace slope {

namespace {

constexpr Definition flip_definition{"y_i = x_{n - 1 - i}, along each of dims",
                                     "dx_i = g_{n - 1 - i}"};
Grads flip_formula(const Saved& s, const Tensor& g) { return {flip(g, s.dims("dims"))}; }

constexpr Definition roll_definition{"y_{(i + shift) mod n} = x_i, along each of dims",
                                     "dx_i = g_{(i + shift) mod n}"};
Grads roll_formula(const Saved& s, const Tensor& g) {
  Dims shifts = s.dims("shifts");
  for (int64_t& shift : shifts) shift = -shift;
  return {roll(g, shifts, s.dims("dims"))};
}

}  // namespace

namespace ops {
extern const Op flip{.name = "flip",
                     .signature = "(*) -> (*)",
                     .definition = flip_definition,
                     .formula = flip_formula};
extern const Op roll{.name = "roll",
                     .signature = "(*) -> (*)",
                     .definition = roll_definition,
                     .formula = roll_formula};
}  // namespace ops

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
    for_each_run<2>(x.shape(), {&backwards.strides, &y.strides()}, 32768,
                    [&](int64_t n, auto at, auto step) {
                      for (int64_t i = 0; i < n; ++i)
                        out[at[1] + i * step[1]] = from[at[0] + i * step[0]];
                    });
  });
  return ops::flip.record(y, {x}, {{"dims", wrapped}});
}

// Without dims: over all elements, in row-major order.
Tensor roll(const Tensor& x, const Dims& shifts, const Dims& dims) {
  if (dims.empty()) {
    SLOPE_CHECK_SHAPE(shifts.size() == 1, "roll: without dims there must be one shift, got {}",
                      shifts);
    return reshape(roll(reshape(x, {-1}), shifts, {0}), x.shape());
  }
  SLOPE_CHECK_SHAPE(shifts.size() == dims.size(),
                    "roll: needs a shift for each dim, got {} shifts and {} dims", shifts.size(),
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

}  // namespace slope
