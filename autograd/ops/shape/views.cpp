// Views: y is x's storage under another layout (core/tensor/layout.h). The derivative puts g where
// y's elements stand in x, zeros elsewhere. Where a view only renames x's elements that is a view
// of g; where it picks some, the formula pads, and the kernel writes g into the same view of zeros.
#include <slope/autograd/ops.h>
#include <slope/autograd/ops/shape/view_of.h>
#include <slope/core/loops/copy.h>

#include <algorithm>

namespace slope {

namespace {

Grads same_elements(const Saved& s, const Tensor& g) { return {reshape(g, s.input_shape())}; }

// Zeros of `shape` with g in the view that `pick` makes of them.
template <class Pick>
Grads put_back(const Dims& shape, const Tensor& g, const Pick& pick) {
  Tensor dx = zeros(shape, g.dtype());
  copy_into(g, view_of(dx, pick(dx.layout())));
  return {dx};
}

// Pad's widths for one dim: `before` and `after` zeros around it.
Dims widths(int64_t rank, int64_t dim, int64_t before, int64_t after) {
  Dims result(static_cast<size_t>(2 * rank), 0);
  result[static_cast<size_t>(2 * (rank - 1 - dim))] = before;
  result[static_cast<size_t>(2 * (rank - 1 - dim) + 1)] = after;
  return result;
}

}  // namespace

namespace ops {

extern const Op reshape{.name = "reshape", .signature = "(*) -> (*)", .formula = same_elements};
extern const Op squeeze{.name = "squeeze", .signature = "(*) -> (*)", .formula = same_elements};
extern const Op unsqueeze{.name = "unsqueeze", .signature = "(*) -> (*)", .formula = same_elements};

extern const Op transpose{
    .name = "transpose", .signature = "(*) -> (*)", .formula = [](const Saved& s, const Tensor& g) {
      return Grads{slope::transpose(g, s.integer("a"), s.integer("b"))};
    }};

extern const Op permute{
    .name = "permute", .signature = "(*) -> (*)", .formula = [](const Saved& s, const Tensor& g) {
      const Dims& dims = s.dims("dims");
      Dims inverse(dims.size());
      for (size_t i = 0; i < dims.size(); ++i)
        inverse[static_cast<size_t>(dims[i])] = static_cast<int64_t>(i);
      return Grads{slope::permute(g, inverse)};
    }};

// An element that was repeated gets the sum: the engine's rule for broadcast dims.
extern const Op expand{
    .name = "expand", .signature = "(*) -> (*)", .formula = [](const Saved& s, const Tensor& g) {
      return Grads{sum_to(g, s.input_shape())};
    }};

extern const Op narrow{.name = "narrow",
                       .signature = "(*) -> (*)",
                       .formula =
                           [](const Saved& s, const Tensor& g) {
                             const int64_t dim = s.integer("dim"), start = s.integer("start");
                             return Grads{pad(g, widths(g.rank(), dim, start,
                                                        s.input_shape()[static_cast<size_t>(dim)] -
                                                            start - g.size(dim)))};
                           },
                       .kernel =
                           [](const Saved& s, const Tensor& g) {
                             const int64_t dim = s.integer("dim"), start = s.integer("start");
                             return put_back(s.input_shape(), g, [&](const Layout& x) {
                               return x.narrow(dim, start, g.size(dim));
                             });
                           }};

// start:end:step: each element of g is followed by step - 1 zeros.
extern const Op slice{
    .name = "slice",
    .signature = "(*) -> (*)",
    .formula =
        [](const Saved& s, const Tensor& g) {
          const int64_t dim = s.integer("dim"), start = s.integer("start"),
                        step = s.integer("step");
          const int64_t size = s.input_shape()[static_cast<size_t>(dim)];
          Dims spaced = g.shape();
          spaced[static_cast<size_t>(dim)] *= step;
          const Tensor between = slope::reshape(
              pad(slope::unsqueeze(g, dim + 1), widths(g.rank() + 1, dim + 1, 0, step - 1)),
              spaced);
          return Grads{
              pad(between, widths(g.rank(), dim, start, size - start - between.size(dim)))};
        },
    .kernel =
        [](const Saved& s, const Tensor& g) {
          return put_back(s.input_shape(), g, [&](const Layout& x) {
            return x.slice(s.integer("dim"), s.integer("start"), s.integer("end"),
                           s.integer("step"));
          });
        }};

extern const Op select{
    .name = "select",
    .signature = "(*) -> (*)",
    .formula =
        [](const Saved& s, const Tensor& g) {
          const int64_t dim = s.integer("dim"), index = s.integer("index");
          return Grads{pad(slope::unsqueeze(g, dim),
                           widths(g.rank() + 1, dim, index,
                                  s.input_shape()[static_cast<size_t>(dim)] - index - 1))};
        },
    .kernel =
        [](const Saved& s, const Tensor& g) {
          return put_back(s.input_shape(), g, [&](const Layout& x) {
            return x.select(s.integer("dim"), s.integer("index"));
          });
        }};

// With the two dims last: dx_ij = g_i where i = j, else 0.
extern const Op diagonal{
    .name = "diagonal",
    .signature = "(*) -> (*)",
    .formula =
        [](const Saved& s, const Tensor& g) {
          const int64_t a = s.integer("a"), b = s.integer("b"), rank = g.rank() + 1;
          const int64_t n = s.input_shape()[static_cast<size_t>(a)],
                        m = s.input_shape()[static_cast<size_t>(b)];
          Dims full = g.shape(), back;
          full.back() = n;
          full.push_back(m);
          const Tensor rows =
              slope::expand(slope::unsqueeze(pad(g, {0, n - g.size(-1)}), -1), full);  // (*, n, m)
          const Tensor dx = masked_fill(rows, !eye(n, m, boolean), 0);
          for (int64_t d = 0, next = 0; d < rank; ++d)
            back.push_back(d == a ? rank - 2 : d == b ? rank - 1 : next++);
          return Grads{slope::permute(dx, back)};
        },
    .kernel =
        [](const Saved& s, const Tensor& g) {
          return put_back(s.input_shape(), g, [&](const Layout& x) {
            return x.diagonal(s.integer("a"), s.integer("b"));
          });
        }};

extern const Op clone{.name = "clone",
                      .signature = "(*) -> (*)",
                      .formula = [](const Saved&, const Tensor& g) { return Grads{g}; }};

extern const Op to{
    .name = "to", .signature = "(*) -> (*)", .formula = [](const Saved& s, const Tensor& g) {
      return Grads{slope::to(g, static_cast<DType>(s.integer("dtype")))};
    }};

}  // namespace ops

Tensor reshape(const Tensor& x, const Dims& shape) {
  if (const std::optional<Layout> layout = x.layout().reshape(shape))
    return ops::reshape.record(view_of(x, *layout), {x});
  const Tensor copy = contiguous_copy(x);
  return ops::reshape.record(view_of(copy, *copy.layout().reshape(shape)), {x});
}

Tensor squeeze(const Tensor& x, int64_t dim) {
  return ops::squeeze.record(view_of(x, x.layout().squeeze(dim)), {x});
}
Tensor unsqueeze(const Tensor& x, int64_t dim) {
  return ops::unsqueeze.record(view_of(x, x.layout().unsqueeze(dim)), {x});
}

Tensor transpose(const Tensor& x, int64_t a, int64_t b) {
  return ops::transpose.record(view_of(x, x.layout().transpose(a, b)), {x}, {{"a", a}, {"b", b}});
}

Tensor permute(const Tensor& x, const Dims& dims) {
  const Layout layout = x.layout().permute(dims);
  Dims wrapped = dims;
  for (int64_t& d : wrapped) d = wrap_dim(d, x.rank(), "permute");
  return ops::permute.record(view_of(x, layout), {x}, {{"dims", wrapped}});
}

Tensor expand(const Tensor& x, const Dims& shape) {
  SLOPE_CHECK_SHAPE(shape.size() >= x.shape().size(), "expand: {} has fewer dims than shape {}",
                    shape, x.shape());
  Dims full = shape;
  const size_t lead = shape.size() - x.shape().size();
  for (size_t d = 0; d < full.size(); ++d) {
    if (full[d] != -1) continue;
    SLOPE_CHECK_SHAPE(d >= lead, "expand: -1 in {} stands where shape {} has no size to keep",
                      shape, x.shape());
    full[d] = x.shape()[d - lead];
  }
  return ops::expand.record(view_of(x, x.layout().broadcast_to(full)), {x});
}

Tensor narrow(const Tensor& x, int64_t dim, int64_t start, int64_t length) {
  const Layout layout = x.layout().narrow(dim, start, length);
  dim = wrap_dim(dim, x.rank(), "narrow");
  return ops::narrow.record(view_of(x, layout), {x},
                            {{"dim", dim}, {"start", start < 0 ? start + x.size(dim) : start}});
}

Tensor slice(const Tensor& x, int64_t dim, int64_t start, int64_t end, int64_t step) {
  const Layout layout = x.layout().slice(dim, start, end, step);
  dim = wrap_dim(dim, x.rank(), "slice");
  const int64_t size = x.size(dim),
                first = std::clamp<int64_t>(start < 0 ? start + size : start, 0, size);
  return ops::slice.record(view_of(x, layout), {x},
                           {{"dim", dim},
                            {"start", first},
                            {"end", end},
                            {"step", std::min(step, std::max<int64_t>(size, 1))}});
}

Tensor select(const Tensor& x, int64_t dim, int64_t index) {
  const Layout layout = x.layout().select(dim, index);
  dim = wrap_dim(dim, x.rank(), "select");
  return ops::select.record(view_of(x, layout), {x},
                            {{"dim", dim}, {"index", index < 0 ? index + x.size(dim) : index}});
}

Tensor diagonal(const Tensor& x, int64_t a, int64_t b) {
  const Layout layout = x.layout().diagonal(a, b);
  return ops::diagonal.record(
      view_of(x, layout), {x},
      {{"a", wrap_dim(a, x.rank(), "diagonal")}, {"b", wrap_dim(b, x.rank(), "diagonal")}});
}

Tensor contiguous(const Tensor& x) { return x.is_contiguous() ? x : clone(x); }

Tensor clone(const Tensor& x) { return ops::clone.record(contiguous_copy(x), {x}); }

Tensor to(const Tensor& x, DType dtype) {
  if (x.dtype() == dtype) return x;
  const Tensor y = contiguous_copy(x, dtype);
  return is_floating(dtype) ? ops::to.record(y, {x}, {{"dtype", static_cast<int64_t>(x.dtype())}})
                            : y;
}

}  // namespace slope
