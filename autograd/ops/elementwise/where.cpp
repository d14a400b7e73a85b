// Choosing by a condition. Elements not chosen get gradient 0, even where g is nan.
#include <slope/autograd/ops.h>
#include <slope/core/loops/strided.h>

namespace slope {

namespace {

constexpr Definition where_definition{"y = a where c, else b",
                                      "da = g where c, else 0; db = 0 where c, else g"};
Grads where_formula(const Saved& s, const Tensor& g) {
  const Tensor c = s.input(0);
  return {Tensor(), s.needs(1) ? masked_fill(g, !c, 0) : Tensor(),
          s.needs(2) ? masked_fill(g, c, 0) : Tensor()};
}

constexpr Definition masked_fill_definition{"y = value where m, else x", "dx = 0 where m, else g"};
Grads masked_fill_formula(const Saved& s, const Tensor& g) {
  return {masked_fill(g, s.input(1), 0), Tensor()};
}

constexpr int64_t grain = 1 << 15;

// y = a where c, else b, for operands of one dtype, broadcast together.
Tensor select_by(const Tensor& c, const Tensor& a, const Tensor& b, const Dims& shape) {
  const Tensor y = Tensor::empty(shape, a.dtype());
  const Layout lc = c.layout().broadcast_to(shape), la = a.layout().broadcast_to(shape),
               lb = b.layout().broadcast_to(shape);
  visit(a.dtype(), [&]<class T> {
    const bool* pc = c.data<bool>();
    const T *pa = a.data<T>(), *pb = b.data<T>();
    const auto out = y.write<T>();
    for_each_run<4>(shape, {&lc.strides, &la.strides, &lb.strides, &y.strides()}, grain,
                    [&](int64_t n, auto at, auto step) {
                      const bool* rc = pc + at[0];
                      const T *ra = pa + at[1], *rb = pb + at[2];
                      T* ry = out + at[3];
                      if (step[0] == 1 && step[1] == 0 && step[2] == 1) {
                        const T value = *ra;
                        for (int64_t i = 0; i < n; ++i) ry[i] = rc[i] ? value : rb[i];
                      } else {
                        for (int64_t i = 0; i < n; ++i)
                          ry[i] = rc[i * step[0]] ? ra[i * step[1]] : rb[i * step[2]];
                      }
                    });
  });
  return y;
}

}  // namespace

namespace ops {
extern const Op where{.name = "where",
                      .signature = "(*), (*), (*) -> (*)",
                      .definition = where_definition,
                      .saves = saves_input(0),
                      .formula = where_formula};
extern const Op masked_fill{.name = "masked_fill",
                            .signature = "(*), (*) -> (*)",
                            .definition = masked_fill_definition,
                            .saves = saves_input(1),
                            .formula = masked_fill_formula};
}  // namespace ops

Tensor where(const Tensor& c, const Tensor& a0, const Tensor& b0) {
  SLOPE_CHECK_DTYPE(c.dtype() == boolean, "where: the condition must be bool, got {}",
                    name(c.dtype()));
  const DType dtype = promote(a0.dtype(), b0.dtype());
  const Tensor a = a0.dtype() == dtype ? a0 : to(a0, dtype),
               b = b0.dtype() == dtype ? b0 : to(b0, dtype);
  const Dims shape =
      broadcast_shapes(c.shape(), broadcast_shapes(a.shape(), b.shape(), "where"), "where");
  return ops::where.record(select_by(c, a, b, shape), {c, a, b});
}

Tensor masked_fill(const Tensor& x, const Tensor& m, Scalar value) {
  SLOPE_CHECK_DTYPE(m.dtype() == boolean, "masked_fill: the mask must be bool, got {}",
                    name(m.dtype()));
  const Dims shape = broadcast_shapes(x.shape(), m.shape(), "masked_fill");
  return ops::masked_fill.record(select_by(m, full({}, value, x.dtype()), x, shape), {x, m});
}

}  // namespace slope
