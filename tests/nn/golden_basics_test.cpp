// Linear layers, norms, dropouts where nothing is drawn, sequences and activations at awkward
// shapes against PyTorch, values and gradients, in f64 and f32, contiguous and not
// (tests/golden/basics.py).
#include <slope/tests/nn/golden_activations.h>

using namespace slope;
using namespace slope::nn;
using namespace slope::test;

namespace {

template <class M>
Made dropout_of(A a) {
  Made m = made(M(a.number("p")));
  train(m.ref, a.flag("train"));
  return m;
}
bool unless_false(A a, const char* key) { return a.word(key, "true") == "true"; }

const Layers& basic_modules() {
  static const Layers table = with_activations({
      {"Linear",
       [](A a) {
         const Dims n = a.dims("sizes");
         return made(Linear(n[0], n[1], a.flag("bias")));
       }},
      {"LayerNorm",
       [](A a) {
         return made(LayerNorm(a.dims("sizes"),
                               {.eps = a.number("eps", 1e-5),
                                .elementwise_affine = unless_false(a, "elementwise_affine"),
                                .bias = unless_false(a, "bias")}));
       }},
      {"RMSNorm",
       [](A a) {
         return made(RMSNorm(a.dims("sizes"),
                             {.eps = given(a, "eps"),
                              .elementwise_affine = unless_false(a, "elementwise_affine")}));
       }},
      {"Dropout", dropout_of<Dropout>},
      {"Dropout1d", dropout_of<Dropout1d>},
      {"AlphaDropout", dropout_of<AlphaDropout>},
      {"FeatureAlphaDropout", dropout_of<FeatureAlphaDropout>},
      {"Sequential",
       [](A a) {
         const Dims n = a.dims("sizes");
         const auto chain = std::make_shared<Sequential<Linear, Tanh, Linear>>(
             Linear(n[0], n[1]), Tanh(), Linear(n[1], n[2]));
         return Made{chain, *chain, [chain](X x) { return (*chain)(x[0]); }};
       }},
  });
  return table;
}

// PyTorch's 1 / 6 is a float. Of a row of one element, the norm's gradient is a difference of equal
// numbers, exactly 0 for LayerNorm and g eps / |x|^3 for RMSNorm: only rounding of the terms, which
// are as large as g / |x|, is left, and each library has its own.
Tolerance basic_tolerance(const std::string& name, DType dtype) {
  const bool wide = dtype == f64;
  if (name == "LayerNorm.one") return {wide ? 1e-12 : 2e-6, wide ? 1e-13 : 2e-5};
  if (name == "RMSNorm.one") return {wide ? 1e-12 : 2e-6, wide ? 1e-15 : 1e-6};
  if (!wide) return {2e-6, 0};
  return {name.starts_with("Hardsigmoid") ? 5e-8 : 1e-12, 0};
}

}  // namespace

TEST_CASE("golden basics: values and gradients are PyTorch's in f64") {
  check_module_cases("basics", f64, {}, basic_modules(), basic_tolerance);
}
TEST_CASE("golden basics: values and gradients are PyTorch's in f32") {
  check_module_cases("basics", f32, {}, basic_modules(), basic_tolerance);
}

TEST_CASE("golden basics: awkward shapes of every layer; the printed texts are PyTorch's") {
  check_case_counts("basics", {}, basic_modules(), 3);
}
