// Repeats of x. Each derivative sums over the repeats.
#include <slope/autograd/ops.h>
#include <slope/autograd/ops/shape/view_of.h>
#include <slope/core/loops/copy.h>

namespace slope {

namespace {

constexpr Definition repeat_definition{"y = x, times_d copies one after the other along each dim d",
                                       "dx = g, summed over the copies"};

// g has sizes times_d n_d, where n is x's shape. Seen as (times_1, n_1, times_2, n_2, …), it is
// summed over the dims of sizes times_d.
Grads repeat_formula(const Saved& s, const Tensor& g) {
  const Dims &x = s.input_shape(), &times = s.dims("times");
  const size_t lead = times.size() - x.size();
  Dims apart, repeated;
  for (size_t d = 0; d < times.size(); ++d) {
    repeated.push_back(static_cast<int64_t>(apart.size()));
    apart.push_back(times[d]);
    if (d >= lead) apart.push_back(x[d - lead]);
  }
  return {repeated.empty() ? clone(g) : sum(reshape(g, apart), repeated)};
}

constexpr Definition repeat_interleave_definition{"y_{i times + k} = x_i for k < times, along dim",
                                                  "dx_i = sum_k g_{i times + k}"};

Grads repeat_interleave_formula(const Saved& s, const Tensor& g) {
  const int64_t dim = s.integer("dim");
  Dims apart = s.input_shape();
  apart.insert(static_cast<size_t>(dim + 1), s.integer("times"));
  return {sum(reshape(g, apart), {dim + 1})};
}

}  // namespace

namespace ops {
extern const Op repeat{.name = "repeat",
                       .signature = "(*) -> (*)",
                       .definition = repeat_definition,
                       .formula = repeat_formula};
extern const Op repeat_interleave{.name = "repeat_interleave",
                                  .signature = "(*) -> (*)",
                                  .definition = repeat_interleave_definition,
                                  .formula = repeat_interleave_formula};
}  // namespace ops

Tensor repeat(const Tensor& x, const Dims& times) {
  SLOPE_CHECK_SHAPE(times.size() >= x.shape().size(),
                    "repeat: {} names fewer dims than shape {} has", times, x.shape());
  const size_t lead = times.size() - x.shape().size();
  Layout apart = x.layout();  // (times_1, n_1, …), stride 0 in each times_d
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
