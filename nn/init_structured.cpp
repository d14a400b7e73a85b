#include <slope/autograd/grad_mode.h>
#include <slope/core/loops/copy.h>
#include <slope/core/tensor/factories.h>
#include <slope/nn/init.h>
#include <slope/nn/init_structured.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace slope::nn::init {

namespace {

void write_values(const Tensor& x, const std::vector<double>& values) {
  const NoGrad no_grad;
  copy_into(from_vector(values, x.shape()), x);
}

// Makes these vectors, the columns of a matrix, orthonormal by Gram-Schmidt. Rounding leaves a
// little of the earlier columns in each; a second pass removes it.
void orthonormalize(std::vector<std::vector<double>>& columns) {
  for (size_t j = 0; j < columns.size(); ++j) {
    std::vector<double>& q = columns[j];
    for (int round = 0; round < 2; ++round)
      for (size_t i = 0; i < j; ++i) {
        const double dot = std::inner_product(q.begin(), q.end(), columns[i].begin(), 0.0);
        for (size_t k = 0; k < q.size(); ++k) q[k] -= dot * columns[i][k];
      }
    const double norm = std::sqrt(std::inner_product(q.begin(), q.end(), q.begin(), 0.0));
    for (double& v : q) v /= norm;
  }
}

}  // namespace

void eye(const Tensor& x) {
  SLOPE_CHECK_SHAPE(x.rank() == 2, "init::eye: needs a matrix, got shape {}", x.shape());
  const int64_t rows = x.size(0), columns = x.size(1);
  std::vector<double> values(static_cast<size_t>(rows * columns), 0);
  for (int64_t i = 0; i < std::min(rows, columns); ++i)
    values[static_cast<size_t>(i * columns + i)] = 1;
  write_values(x, values);
}

void dirac(const Tensor& x, int64_t groups) {
  SLOPE_CHECK_SHAPE(x.rank() >= 3 && x.rank() <= 5,
                    "init::dirac: needs the weight of a convolution, got shape {}", x.shape());
  SLOPE_CHECK_AS(UsageError, groups > 0 && x.size(0) % groups == 0,
                 "init::dirac: {} outputs do not fall into {} groups", x.size(0), groups);
  const int64_t out = x.size(0) / groups, in = x.size(1);
  int64_t kernel = 1, middle = 0;
  for (int64_t d = 2; d < x.rank(); ++d) {
    kernel *= x.size(d);
    middle = middle * x.size(d) + x.size(d) / 2;
  }
  SLOPE_CHECK_SHAPE(kernel > 0 || std::min(out, in) == 0,
                    "init::dirac: the kernel of shape {} has no middle", x.shape());
  std::vector<double> values(static_cast<size_t>(x.numel()), 0);
  for (int64_t g = 0; g < groups; ++g)
    for (int64_t c = 0; c < std::min(out, in); ++c)
      values[static_cast<size_t>(((g * out + c) * in + c) * kernel + middle)] = 1;
  write_values(x, values);
}

void orthogonal(const Tensor& x, double gain) {
  SLOPE_CHECK_SHAPE(x.rank() >= 2, "init::orthogonal: needs two dims or more, got shape {}",
                    x.shape());
  check_floating(x.dtype(), "init::orthogonal");
  if (x.numel() == 0) return;
  const int64_t rows = x.size(0), columns = x.numel() / rows, n = std::max(rows, columns),
                m = std::min(rows, columns);
  const std::vector<double> drawn = randn({m, n}, f64).to_vector();
  std::vector<std::vector<double>> q;
  for (int64_t j = 0; j < m; ++j)
    q.emplace_back(drawn.begin() + j * n, drawn.begin() + (j + 1) * n);
  orthonormalize(q);
  std::vector<double> values(static_cast<size_t>(x.numel()));
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      const auto [few, many] = rows <= columns ? std::pair(i, j) : std::pair(j, i);
      values[static_cast<size_t>(i * columns + j)] =
          gain * q[static_cast<size_t>(few)][static_cast<size_t>(many)];
    }
  write_values(x, values);
}

void sparse(const Tensor& x, double sparsity, double std) {
  SLOPE_CHECK_SHAPE(x.rank() == 2, "init::sparse: needs a matrix, got shape {}", x.shape());
  SLOPE_CHECK_AS(UsageError, sparsity >= 0 && sparsity <= 1,
                 "init::sparse: the sparsity must be in [0, 1], got {}", sparsity);
  const auto rows = static_cast<size_t>(x.size(0)), columns = static_cast<size_t>(x.size(1)),
             zeros = static_cast<size_t>(std::ceil(sparsity * static_cast<double>(rows)));
  normal(x, 0, std);
  std::vector<double> values = x.to_vector();
  const std::vector<double> order = rand({x.size(1), x.size(0)}, f64).to_vector();
  for (size_t j = 0; j < columns; ++j) {
    std::vector<size_t> row(rows);
    std::iota(row.begin(), row.end(), size_t{0});
    std::stable_sort(row.begin(), row.end(),
                     [&](size_t a, size_t b) { return order[j * rows + a] < order[j * rows + b]; });
    for (size_t k = 0; k < zeros; ++k) values[row[k] * columns + j] = 0;
  }
  write_values(x, values);
}

}  // namespace slope::nn::init
