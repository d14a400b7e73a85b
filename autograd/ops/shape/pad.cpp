#include <slope/autograd/ops.h>
#include <slope/autograd/ops/shape/view_of.h>
#include <slope/core/loops/copy.h>

#include <algorithm>

namespace slope {

namespace {

constexpr Definition pad_definition{
    "y = x with new elements around it; negative widths cut elements off",
    "dx = g padded by the opposite widths"};

Grads pad_formula(const Saved& s, const Tensor& g) {
  Dims widths = s.dims("widths");
  for (int64_t& w : widths) w = -w;
  return {pad(g, widths)};
}

}  // namespace

namespace ops {
extern const Op pad{
    .name = "pad", .signature = "(*) -> (*)", .definition = pad_definition, .formula = pad_formula};
}

Tensor pad(const Tensor& x, const Dims& widths, Scalar value) {
  SLOPE_CHECK_SHAPE(widths.size() % 2 == 0 && widths.size() / 2 <= x.shape().size(),
                    "pad: widths {} are not pairs for the last dims of shape {}", widths,
                    x.shape());
  Dims shape = x.shape();
  Layout inner = x.layout();  // the part of x that is kept
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

}  // namespace slope
