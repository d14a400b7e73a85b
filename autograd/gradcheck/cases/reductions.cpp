// Cases of the reductions: first, middle, last, several and all dims; one element or none.
#include <slope/autograd/gradcheck/cases/cases.h>

#include <cmath>

namespace slope {

namespace {

using Reduction = Tensor (*)(const Tensor& x, const Dims& dims, bool keep);

struct Range {
  double low = -2, high = 2;
  bool distinct = false;
  double kinks_at = NAN;
  CaseInput of(const Dims& shape) const {
    return {.shape = shape,
            .low = low,
            .high = high,
            .kinks = std::isnan(kinks_at) ? std::vector<double>{} : std::vector{kinks_at},
            .distinct = distinct};
  }
};

// Inputs on which a reduction has no derivative or is not defined.
struct Except {
  bool one = false;      // a single element
  bool nothing = false;  // no element
};

void over_dims(Cases& result, const char* op, const Range& range, Reduction f,
               const Except& except = {}) {
  const auto add = [&](const char* label, const Dims& shape, const Dims& dims, bool keep = false) {
    result.cases.push_back({op, label, {range.of(shape)}, [f, dims, keep](const Tensors& x) {
                              return Tensors{f(x[0], dims, keep)};
                            }});
  };
  add("all", {3, 4}, {});
  add("all, kept", {3, 4}, {}, keepdim);
  add("first dim", {4, 3}, {0});
  add("last dim", {3, 4}, {-1});
  add("last dim, kept", {3, 4}, {1}, keepdim);
  add("middle dim", {2, 3, 2}, {1});
  add("middle dim, kept", {2, 3, 2}, {1}, keepdim);
  add("first and last dim", {2, 3, 2}, {0, -1});
  add("last two dims", {2, 3, 2}, {2, 1});
  add("no rows", {0, 3}, {1});
  if (!except.one) {
    add("rank 0", {}, {});
    add("n = 1", {1}, {0});
    add("dim of size 1", {3, 1}, {1});
  }
  if (!except.nothing) {
    add("empty", {0}, {});
    add("empty dim", {2, 0, 3}, {1});
  }
}

void along_a_dim(Cases& result, const char* op, const Range& range,
                 Tensor (*f)(const Tensor& x, int64_t dim), const Except& except = {}) {
  const auto add = [&](const char* label, const Dims& shape, int64_t dim) {
    result.cases.push_back({op, label, {range.of(shape)}, [f, dim](const Tensors& x) {
                              return Tensors{f(x[0], dim)};
                            }});
  };
  add("first dim", {4, 3}, 0);
  add("last dim", {3, 4}, -1);
  add("middle dim", {2, 3, 2}, 1);
  add("rank 0", {}, 0);
  add("n = 1", {1}, 0);
  add("dim of size 1", {3, 1}, -1);
  add("no rows", {0, 3}, 1);
  if (!except.nothing) add("empty dim", {2, 0}, 1);
}

}  // namespace

Cases reduction_cases() {
  Cases result;
  over_dims(result, "sum", {}, sum);
  over_dims(result, "mean", {}, mean, {.nothing = true});
  over_dims(result, "var", {},
            [](const Tensor& x, const Dims& dims, bool keep) { return var(x, dims, 1, keep); },
            {.one = true, .nothing = true});
  over_dims(result, "var", {},
            [](const Tensor& x, const Dims& dims, bool keep) { return var(x, dims, 0, keep); },
            {.nothing = true});
  over_dims(result, "std", {.distinct = true},
            [](const Tensor& x, const Dims& dims, bool keep) { return std(x, dims, 1, keep); },
            {.one = true, .nothing = true});
  over_dims(result, "amax", {.distinct = true}, amax, {.nothing = true});
  over_dims(result, "amin", {.distinct = true}, amin, {.nothing = true});
  over_dims(result, "logsumexp", {-3, 3}, logsumexp, {.nothing = true});
  over_dims(result, "logsumexp", {200, 203}, logsumexp,
            {.one = true, .nothing = true});  // exp(200) overflows in f32
  over_dims(result, "norm", {.distinct = true, .kinks_at = 0},
            [](const Tensor& x, const Dims& dims, bool keep) { return norm(x, 2, dims, keep); },
            {.nothing = true});
  over_dims(result, "norm", {.kinks_at = 0},
            [](const Tensor& x, const Dims& dims, bool keep) { return norm(x, 1, dims, keep); });
  over_dims(result, "norm", {.kinks_at = 0},
            [](const Tensor& x, const Dims& dims, bool keep) { return norm(x, 1.5, dims, keep); },
            {.nothing = true});
  over_dims(result, "norm", {.kinks_at = 0},
            [](const Tensor& x, const Dims& dims, bool keep) { return norm(x, 3, dims, keep); },
            {.nothing = true});
  over_dims(result, "norm", {-2, 2},
            [](const Tensor& x, const Dims& dims, bool keep) { return norm(x, 4, dims, keep); },
            {.nothing = true});
  over_dims(
      result, "norm", {0.2, 2, true},
      [](const Tensor& x, const Dims& dims, bool keep) { return norm(-x, INFINITY, dims, keep); },
      {.nothing = true});

  along_a_dim(result, "max", {.distinct = true},
              [](const Tensor& x, int64_t dim) { return max(x, dim).values; }, {.nothing = true});
  along_a_dim(result, "min", {.distinct = true},
              [](const Tensor& x, int64_t dim) { return min(x, dim, keepdim).values; },
              {.nothing = true});
  along_a_dim(result, "prod", {}, [](const Tensor& x, int64_t dim) { return prod(x, dim); });
  along_a_dim(result, "cumsum", {}, cumsum);
  along_a_dim(result, "sort", {.distinct = true},
              [](const Tensor& x, int64_t dim) { return sort(x, dim, true).values; });
  along_a_dim(result, "topk", {.distinct = true},
              [](const Tensor& x, int64_t dim) { return topk(x, 1, dim).values; },
              {.nothing = true});
  const auto add = [&](const char* op, const char* label, const Dims& shape,
                       Tensor (*f)(const Tensor&)) {
    result.cases.push_back(
        {op, label, {{.shape = shape}}, [f](const Tensors& x) { return Tensors{f(x[0])}; }});
  };
  add("prod", "all", {2, 3}, [](const Tensor& x) { return prod(x); });
  add("prod", "of nothing", {0}, [](const Tensor& x) { return prod(x); });
  add("prod", "one zero", {4}, [](const Tensor& x) {
    return prod(masked_fill(x, tensor({false, true, false, false}), 0) + 0 * x);
  });
  const auto with_zeros = [&](const char* label, int64_t zeros, Tensor (*f)(const Tensor&)) {
    const CaseInput zero{.shape = {2, zeros}, .low = 0, .high = 0}, other{.shape = {2, 2}};
    result.cases.push_back({"prod", label, {zero, other}, [f](const Tensors& x) {
                              return Tensors{f(cat({x[0], x[1]}, 1))};
                            }});
  };
  with_zeros("a zero in each row", 1, [](const Tensor& x) { return prod(x, 1, keepdim); });
  with_zeros("two zeros in each row", 2, [](const Tensor& x) { return prod(x, -1); });
  with_zeros("zeros in one column", 1, [](const Tensor& x) { return prod(x, 0); });
  add("sum", "longer than a chunk", {8200}, [](const Tensor& x) {
    return sum(x.reshape({2, 4100}), {1});
  });
  add("sum_to", "leading dims", {2, 3, 2}, [](const Tensor& x) { return sum_to(x, {2}); });
  add("sum_to", "dims of size 1", {2, 3, 2}, [](const Tensor& x) { return sum_to(x, {2, 1, 1}); });
  add("sum_to", "both", {2, 3, 2}, [](const Tensor& x) { return sum_to(x, {1, 2}); });
  add("sum_to", "rank 0", {2, 3}, [](const Tensor& x) { return sum_to(x, {}); });
  add("sum_to", "the same shape", {2, 3}, [](const Tensor& x) { return sum_to(x, {2, 3}); });
  add("sum_to", "n = 1", {1}, [](const Tensor& x) { return sum_to(x, {1}); });
  add("sum_to", "empty", {0, 3}, [](const Tensor& x) { return sum_to(x, {1, 3}); });

  const auto refuse = [&](const char* op, const char* label, void (*call)()) {
    result.refusals.push_back({op, label, call});
  };
  refuse("sum", "dim out of range", [] { (void)sum(ones({2, 3}), {2}); });
  refuse("sum", "a dim twice", [] { (void)sum(ones({2, 3}), {1, -1}); });
  refuse("sum", "negative dim out of range", [] { (void)sum(ones({2, 3}), {-3}); });
  refuse("mean", "dim out of range", [] { (void)mean(ones({2}), {1}); });
  refuse("mean", "integer dtype", [] { (void)mean(ones({2}, i64)); });
  refuse("mean", "a dim twice", [] { (void)mean(ones({2}), {0, 0}); });
  refuse("sum_to", "shape that does not broadcast to x", [] { (void)sum_to(ones({2, 3}), {2}); });
  refuse("sum_to", "more dims than x", [] { (void)sum_to(ones({3}), {1, 3}); });
  refuse("sum_to", "larger than x", [] { (void)sum_to(ones({1}), {3}); });
  refuse("prod", "dim out of range", [] { (void)prod(ones({2, 3}), 2); });
  refuse("var", "dim out of range", [] { (void)var(ones({2, 3}), {2}); });
  refuse("var", "integer dtype", [] { (void)var(ones({2}, i64)); });
  refuse("std", "dim out of range", [] { (void)std(ones({2, 3}), {-3}); });
  refuse("std", "bool", [] { (void)std(ones({2}, boolean)); });
  refuse("amax", "no elements", [] { (void)amax(ones({2, 0}), {1}); });
  refuse("amax", "dim out of range", [] { (void)amax(ones({2}), {1}); });
  refuse("amin", "no elements", [] { (void)amin(ones({0})); });
  refuse("max", "dim out of range", [] { (void)max(ones({2}), 1); });
  refuse("max", "no elements", [] { (void)max(ones({2, 0}), 1); });
  refuse("min", "no elements", [] { (void)min(ones({0}), 0); });
  refuse("logsumexp", "dim out of range", [] { (void)logsumexp(ones({2}), {1}); });
  refuse("logsumexp", "integer dtype", [] { (void)logsumexp(ones({2}, i64), {0}); });
  refuse("logsumexp", "a dim twice", [] { (void)logsumexp(ones({2}), {0, -1}); });
  refuse("cumsum", "dim out of range", [] { (void)cumsum(ones({2}), 1); });
  refuse("cumsum", "negative dim out of range", [] { (void)cumsum(ones({2}), -2); });
  refuse("cumsum", "rank 0, dim 1", [] { (void)cumsum(ones({}), 1); });
  refuse("norm", "p = 0", [] { (void)norm(ones({2}), 0); });
  refuse("norm", "negative p", [] { (void)norm(ones({2}), -1); });
  refuse("norm", "integer dtype", [] { (void)norm(ones({2}, i64)); });
  refuse("topk", "k above the size", [] { (void)topk(ones({2, 3}), 4); });
  refuse("topk", "negative k", [] { (void)topk(ones({2, 3}), -1); });
  refuse("topk", "dim out of range", [] { (void)topk(ones({2, 3}), 1, 2); });
  refuse("sort", "dim out of range", [] { (void)sort(ones({2, 3}), 2); });
  return result;
}

}  // namespace slope
