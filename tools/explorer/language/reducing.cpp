// Sums, extrema, other reductions and normalisations.
#include <slope/tools/explorer/language/functions.h>

#include <cmath>

namespace slope::explorer {

namespace {

using A = const Arguments&;

bool keep(A a) { return a.truth("keepdim", false); }
// For functions of all elements or of one dim: keepdim needs a dim, as in PyTorch.
bool is_over_all(A a) { return !a.has("dim") && !a.has("keepdim"); }

// max and min: over all elements, or along a dim, which gives a pair.
template <class All, class Along>
Value extremum(A a, const All& all, const Along& along) {
  if (is_over_all(a)) return {all(a.tensor("x"))};
  const ValuesAndIndices found = along(a.tensor("x"), a.integer("dim"), keep(a));
  return {Values{{found.values}, {found.indices}}};
}

double order_of_norm(A a) {
  if (!a.has("kind")) return a.number("p", 2);
  SLOPE_CHECK_AS(UsageError, a.text("kind") == "inf" && !a.has("p"),
                 "norm: the kind has to be 'inf', without p");
  return HUGE_VAL;
}

constexpr Function reducing[] = {
    {"sum", "x, dim = all, keepdim = false",
     [](A a) { return Value{sum(a.tensor("x"), a.dims_or_none("dim"), keep(a))}; }},
    {"mean", "x, dim = all, keepdim = false",
     [](A a) { return Value{mean(a.tensor("x"), a.dims_or_none("dim"), keep(a))}; }},
    {"sum_to", "x, shape", [](A a) { return Value{sum_to(a.tensor("x"), a.dims("shape"))}; }},
    {"prod", "x, dim = all, keepdim = false",
     [](A a) {
       const Tensor x = a.tensor("x");
       return Value{is_over_all(a) ? prod(x) : prod(x, a.integer("dim"), keep(a))};
     }},
    {"amax", "x, dim = all, keepdim = false",
     [](A a) { return Value{amax(a.tensor("x"), a.dims_or_none("dim"), keep(a))}; }},
    {"amin", "x, dim = all, keepdim = false",
     [](A a) { return Value{amin(a.tensor("x"), a.dims_or_none("dim"), keep(a))}; }},
    {"max", "x, dim = all, keepdim = false",
     [](A a) {
       return extremum(
           a, [](const Tensor& x) { return max(x); },
           [](const Tensor& x, int64_t dim, bool keep) { return max(x, dim, keep); });
     }},
    {"min", "x, dim = all, keepdim = false",
     [](A a) {
       return extremum(
           a, [](const Tensor& x) { return min(x); },
           [](const Tensor& x, int64_t dim, bool keep) { return min(x, dim, keep); });
     }},
    {"var", "x, dim = all, correction = 1, keepdim = false",
     [](A a) {
       return Value{var(a.tensor("x"), a.dims_or_none("dim"), a.number("correction", 1), keep(a))};
     }},
    {"std", "x, dim = all, correction = 1, keepdim = false",
     [](A a) {
       return Value{
           slope::std(a.tensor("x"), a.dims_or_none("dim"), a.number("correction", 1), keep(a))};
     }},
    {"logsumexp", "x, dim = all, keepdim = false",
     [](A a) { return Value{logsumexp(a.tensor("x"), a.dims_or_none("dim"), keep(a))}; }},
    {"cumsum", "x, dim", [](A a) { return Value{cumsum(a.tensor("x"), a.integer("dim"))}; }},
    {"norm", "x, p = 2, dim = all, keepdim = false, kind = none",
     [](A a) {
       return Value{norm(a.tensor("x"), order_of_norm(a), a.dims_or_none("dim"), keep(a))};
     }},
    {"softmax", "x, dim = -1",
     [](A a) { return Value{softmax(a.tensor("x"), a.integer("dim", -1))}; }},
    {"log_softmax", "x, dim = -1",
     [](A a) { return Value{log_softmax(a.tensor("x"), a.integer("dim", -1))}; }},
    {"layer_norm", "x, weight = none, bias = none, eps = 1e-5",
     [](A a) {
       return Value{layer_norm(a.tensor("x"), a.tensor_or_none("weight"), a.tensor_or_none("bias"),
                               a.number("eps", 1e-5))};
     }},
    {"rms_norm", "x, weight = none, eps = 1e-5",
     [](A a) {
       return Value{rms_norm(a.tensor("x"), a.tensor_or_none("weight"), a.number("eps", 1e-5))};
     }},
};

}  // namespace

std::span<const Function> reducing_functions() { return reducing; }

}  // namespace slope::explorer
