// Matrix products over the last two dims; the leading dims broadcast (matmul) or are one batch dim
// (bmm). A matrix is read in place if one of its two strides is 1.
#include <slope/autograd/ops.h>
#include <slope/autograd/ops/shape/view_of.h>
#include <slope/core/loops/copy.h>
#include <slope/core/product/gemm.h>

namespace slope {

namespace {

constexpr int64_t last = -1, before_last = -2;

bool rows_in_order(int64_t rows, int64_t cols, int64_t row_stride, int64_t col_stride) {
  return (col_stride == 1 || cols == 1) && (rows == 1 || row_stride >= cols) &&
         (rows == 1 || row_stride >= 1);
}

// x's matrices as gemm takes them; x is copied if neither of its last two strides is 1.
struct Matrices {
  Tensor x;
  bool transpose = false;
  int64_t ld = 1;

  explicit Matrices(const Tensor& from) : x(from) {
    if (orient()) return;
    x = contiguous_copy(x);
    (void)orient();
  }
  bool orient() {
    const size_t r = x.shape().size();
    const int64_t rows = x.shape()[r - 2], cols = x.shape()[r - 1], row_stride = x.strides()[r - 2],
                  col_stride = x.strides()[r - 1];
    if (rows_in_order(rows, cols, row_stride, col_stride))
      return set(false, rows == 1 ? std::max<int64_t>(cols, 1) : row_stride);
    if (rows_in_order(cols, rows, col_stride, row_stride))
      return set(true, cols == 1 ? std::max<int64_t>(rows, 1) : col_stride);
    return x.numel() == 0;
  }
  bool set(bool is_transposed, int64_t leading_dimension) {
    transpose = is_transposed;
    ld = leading_dimension;
    return true;
  }
  Dims batch_strides(const Dims& batch) const {  // 0 where x is repeated
    Dims strides(batch.size(), 0);
    const size_t own = x.shape().size() - 2, lead = batch.size() - own;
    for (size_t d = 0; d < own; ++d)
      if (x.shape()[d] != 1) strides[lead + d] = x.strides()[d];
    return strides;
  }
};

Dims batch_of(const Tensor& x) { return Dims(x.shape().begin(), x.shape().end() - 2); }

// a, b of rank >= 2.
Tensor forward(const char* op, const Tensor& a, const Tensor& b) {
  SLOPE_CHECK_DTYPE(a.dtype() == b.dtype(), "{}: dtypes differ: {} @ {}; convert one with to()", op,
                    name(a.dtype()), name(b.dtype()));
  const int64_t n = a.size(before_last), k = a.size(last), m = b.size(last);
  SLOPE_CHECK_SHAPE(k == b.size(before_last), "{}: inner sizes differ: {} @ {}", op, a.shape(),
                    b.shape());
  const Dims batch = broadcast_shapes(batch_of(a), batch_of(b), op);
  Dims shape = batch;
  shape.push_back(n);
  shape.push_back(m);
  Tensor y = Tensor::empty(shape, a.dtype());
  visit_floating(a.dtype(), op, [&]<class T> {
    if (b.rank() == 2) {  // one product of all rows
      const std::optional<Layout> rows = a.layout().reshape({numel(batch) * n, k});
      const Tensor flat = rows ? view_of(a, *rows) : Tensor();
      if (a.rank() == 2 || (rows && a.numel() > 0)) {
        const Matrices left(a.rank() == 2 ? a : flat), right(b);
        gemm<T>(left.transpose, right.transpose, numel(batch) * n, m, k, 1,
                left.x.template data<T>(), left.ld, right.x.template data<T>(), right.ld, 0,
                y.write<T>(), std::max<int64_t>(m, 1));
        return;
      }
    }
    const Matrices left(a), right(b);
    const Matrices out(y);
    gemm_batched<T>(
        batch, n, m, k, 1,
        {left.x.template data<T>(), left.ld, left.transpose, left.batch_strides(batch)},
        {right.x.template data<T>(), right.ld, right.transpose, right.batch_strides(batch)}, 0,
        {y.write<T>(), std::max<int64_t>(m, 1), false, out.batch_strides(batch)});
  });
  return y;
}

Tensor swap_last(const Tensor& x) { return transpose(x, -2, -1); }

// all leading dims as rows
Tensor rows_of(const Tensor& x) {
  return reshape(x, {numel(x.shape()) / std::max<int64_t>(x.size(-1), 1), x.size(-1)});
}

constexpr Definition matmul_definition{"y = a b", "da = g b^T, db = a^T g"};

Grads matmul_formula(const Saved& s, const Tensor& g) {
  const Tensor a = s.input(0), b = s.input(1);
  Grads grads{Tensor(), Tensor()};
  if (s.needs(0)) grads[0] = matmul(g, swap_last(b));
  if (!s.needs(1)) return grads;
  // with one matrix b, db sums over a's leading dims: one product of all rows
  const bool one_matrix = b.rank() == 2 && a.rank() > 2 && a.size(-1) > 0 && g.size(-1) > 0;
  grads[1] = one_matrix ? matmul(swap_last(rows_of(a)), rows_of(g)) : matmul(swap_last(a), g);
  return grads;
}

constexpr Definition bmm_definition{"y_b = a_b b_b, for each matrix of a batch",
                                    "da_b = g_b b_b^T, db_b = a_b^T g_b"};

Grads bmm_formula(const Saved& s, const Tensor& g) {
  return {s.needs(0) ? bmm(g, swap_last(s.input(1))) : Tensor(),
          s.needs(1) ? bmm(swap_last(s.input(0)), g) : Tensor()};
}

}  // namespace

namespace ops {
extern const Op matmul{.name = "matmul",
                       .signature = "(*, n, k), (*, k, m) -> (*, n, m)",
                       .definition = matmul_definition,
                       .saves = saves_inputs,
                       .rounds = saves_inputs,
                       .formula = matmul_formula};
extern const Op bmm{.name = "bmm",
                    .signature = "(b, n, k), (b, k, m) -> (b, n, m)",
                    .definition = bmm_definition,
                    .saves = saves_inputs,
                    .rounds = saves_inputs,
                    .formula = bmm_formula};
}  // namespace ops

// torch.matmul's rules: a vector is a row on the left and a column on the right; its dim of
// size 1 is removed from the result.
Tensor matmul(const Tensor& a, const Tensor& b) {
  SLOPE_CHECK_SHAPE(a.rank() > 0 && b.rank() > 0,
                    "matmul: needs at least one dim each, got {} @ {}", a.shape(), b.shape());
  if (a.rank() == 1) {
    SLOPE_CHECK_SHAPE(a.size(0) == b.size(b.rank() == 1 ? 0 : -2),
                      "matmul: inner sizes differ: {} @ {}", a.shape(), b.shape());
    return squeeze(matmul(unsqueeze(a, 0), b), b.rank() == 1 ? -1 : -2);
  }
  if (b.rank() == 1) {
    SLOPE_CHECK_SHAPE(a.size(-1) == b.size(0), "matmul: inner sizes differ: {} @ {}", a.shape(),
                      b.shape());
    return squeeze(matmul(a, unsqueeze(b, 1)), -1);
  }
  return ops::matmul.record(forward("matmul", a, b), {a, b});
}

Tensor bmm(const Tensor& a, const Tensor& b) {
  ops::bmm.check({a, b});
  return ops::bmm.record(forward("bmm", a, b), {a, b});
}

}  // namespace slope
