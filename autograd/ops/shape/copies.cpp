// Copies of x, in its own or another dtype.
#include <slope/autograd/ops.h>
#include <slope/core/loops/copy.h>

namespace slope {

namespace {

constexpr Definition clone_definition{"y = x", "dx = g"};
Grads clone_formula(const Saved&, const Tensor& g) { return {g}; }

constexpr Definition to_definition{"y = x in another dtype", "dx = g in x's dtype"};
Grads to_formula(const Saved& s, const Tensor& g) {
  return {to(g, static_cast<DType>(s.integer("dtype")))};
}

}  // namespace

namespace ops {
extern const Op clone{.name = "clone",
                      .signature = "(*) -> (*)",
                      .definition = clone_definition,
                      .formula = clone_formula};
extern const Op to{
    .name = "to", .signature = "(*) -> (*)", .definition = to_definition, .formula = to_formula};
}  // namespace ops

Tensor clone(const Tensor& x) { return ops::clone.record(contiguous_copy(x), {x}); }
Tensor contiguous(const Tensor& x) { return x.is_contiguous() ? x : clone(x); }

Tensor to(const Tensor& x, DType dtype) {
  if (x.dtype() == dtype) return x;
  const Tensor y = contiguous_copy(x, dtype);
  if (!is_floating(dtype)) return y;
  return ops::to.record(y, {x}, {{"dtype", static_cast<int64_t>(x.dtype())}});
}

}  // namespace slope
