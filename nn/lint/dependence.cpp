// change(t, s)   = max |f(x)_t - f(x with another x_s)_t| / max |f(x)|, or / 1 if f(x) = 0
// gradient(t, s) = max |d <r, f(x)_t> / d e_s|, r random, e_s = x_s itself, or for an id the row of
//                  the table that embeds it
#include <slope/autograd/backward.h>
#include <slope/autograd/observer.h>
#include <slope/autograd/ops.h>
#include <slope/nn/lint/lint.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace slope::nn::lint {

namespace {

// Records the rows that tables return for the ids x: for x itself or a view of it, or, if no table
// is indexed with these, for equal ids.
class Embedded : public Observer {
 public:
  explicit Embedded(const Tensor& x) : x_(x), ids_(x.reshape({-1})) {}
  bool sees_contributions() const override { return false; }
  void recorded(const Recorded& r) override {
    const std::string name = r.op.name;
    if (!r.node || (name != "embedding" && name != "index_select")) return;
    const Tensor& index = *r.inputs[name == "embedding" ? 0 : r.inputs.size() - 1];
    if (index.dtype() != i64 || index.numel() != ids_.numel() || !equal(index.reshape({-1}), ids_))
      return;
    (index.storage() == x_.storage() ? of_itself_ : of_equal_).push_back(r.outputs[0]);
  }
  const Tensors& rows() const { return of_itself_.empty() ? of_equal_ : of_itself_; }  // (B, T, C)

 private:
  Tensor x_, ids_;
  Tensors of_itself_, of_equal_;
};

// x with another value at column s of every row: another of x's ids, or a number nearby. `how`, 0
// or 1, selects one of two such values.
Tensor changed(const Tensor& x, int64_t s, int64_t how) {
  const Tensor old = x.narrow(1, s, 1);
  Tensor other;
  if (x.dtype() != i64) {
    other = old + (how + 1.0) * randn(old.shape(), x.dtype());
  } else {
    std::vector<int64_t> ids;
    for (const double v : x.to_vector()) ids.push_back(static_cast<int64_t>(v));
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    std::vector<int64_t> values;
    for (const double v : old.to_vector()) {
      const auto at = std::find(ids.begin(), ids.end(), static_cast<int64_t>(v)) - ids.begin();
      values.push_back(ids[static_cast<size_t>(at + how + 1) % ids.size()]);
    }
    other = from_vector(values, old.shape());
  }
  return cat({x.narrow(1, 0, s), other, x.narrow(1, s + 1, x.size(1) - s - 1)}, 1);
}

Tensor by_change(const SequenceFunction& f, const Tensor& x, const Tensor& y) {
  const int64_t rows = y.size(1), columns = x.size(1);
  const double largest = amax(y.detach().abs()).item(), scale = largest == 0 ? 1 : largest;
  std::vector<double> moved(static_cast<size_t>(rows * columns));
  for (int64_t s = 0; s < columns; ++s)
    for (int64_t how = 0; how < 2; ++how) {
      const Tensor other = f(changed(x, s, how)).detach();
      for (int64_t t = 0; t < rows; ++t) {
        const double d = amax((other.select(1, t) - y.detach().select(1, t)).abs()).item() / scale;
        double& most = moved[static_cast<size_t>(t * columns + s)];
        most = std::max(most, std::isfinite(d) ? d : INFINITY);
      }
    }
  return from_vector(moved, {rows, columns});
}

Tensor by_gradient(const Tensor& y, const Tensors& from, const Tensor& x) {
  const int64_t rows = y.size(1), columns = x.size(1);
  std::vector<double> most(static_cast<size_t>(rows * columns));
  const Tensor r = randn(y.shape(), y.dtype());
  for (int64_t t = 0; t < rows; ++t) {
    const Tensor y_t = sum(y.select(1, t) * r.select(1, t));
    for (const Tensor& g : grad({y_t}, from, {.retain_graph = true, .allow_unused = true})) {
      if (!g.defined()) continue;
      const Tensor g_s =
          g.detach().reshape({x.size(0), columns, -1});  // a table may return (B T, C)
      for (int64_t s = 0; s < columns; ++s) {
        double& place = most[static_cast<size_t>(t * columns + s)];
        const double size = amax(g_s.select(1, s).abs()).item();
        place = std::max(place, std::isfinite(size) ? size : INFINITY);
      }
    }
  }
  return from_vector(most, {rows, columns});
}

}  // namespace

Dependence dependence(const SequenceFunction& f, const Tensor& x) {
  SLOPE_CHECK_SHAPE(x.rank() >= 2, "lint: dependence needs an input (B, T, …), got shape {}",
                    x.shape());
  Tensors from;
  Tensor y;
  if (x.dtype() == i64) {
    const Tensor ids = x.clone();  // so that only `ids` and its views have this memory
    Embedded embedded(ids);
    const Observe observe(embedded);
    y = f(ids);
    from = embedded.rows();
  } else {
    from = {x.detach().clone().set_requires_grad()};
    y = f(from[0]);
  }
  SLOPE_CHECK_SHAPE(y.rank() >= 2 && y.size(0) == x.size(0),
                    "lint: dependence needs an output (B, T', …) for an input {}, got {}",
                    x.shape(), y.shape());
  return {.change = by_change(f, x, y),
          .gradient = from.empty() ? Tensor() : by_gradient(y, from, x),
          .rounding = tolerance(y.dtype())};
}

}  // namespace slope::nn::lint
