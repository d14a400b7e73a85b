// Activations, losses, layers and relative positions against PyTorch, values and gradients, in f64
// and f32, contiguous and not; printed texts (tests/golden/modules.py says what the cases are).
#include <slope/tests/nn/golden_activations.h>

using namespace slope;
using namespace slope::nn;
using namespace slope::test;

namespace {

CrossEntropyOptions cross_entropy_options(A a) {
  return {.ignore_index = a.integer("ignore_index", -100),
          .label_smoothing = a.number("label_smoothing"),
          .reduction = reduction(a)};
}
BceOptions bce_options(X x, A a) {
  return {reduction(a), named(x, a, "weight"), named(x, a, "pos_weight")};
}

const std::map<std::string, Function>& module_functions() {
  static const std::map<std::string, Function> table = {
      {"leaky_relu", [](X x, A a) { return leaky_relu(x[0], a.number("negative_slope", 0.01)); }},
      {"rrelu", [](X x, A) { return rrelu(x[0]); }},
      {"elu", [](X x, A a) { return elu(x[0], a.number("alpha", 1)); }},
      {"selu", [](X x, A) { return selu(x[0]); }},
      {"celu", [](X x, A a) { return celu(x[0], a.number("alpha", 1)); }},
      {"hardtanh",
       [](X x, A a) { return hardtanh(x[0], a.number("min_val", -1), a.number("max_val", 1)); }},
      {"relu6", [](X x, A) { return relu6(x[0]); }},
      {"hardsigmoid", [](X x, A) { return hardsigmoid(x[0]); }},
      {"hardswish", [](X x, A) { return hardswish(x[0]); }},
      {"hardshrink", [](X x, A a) { return hardshrink(x[0], a.number("lambd", 0.5)); }},
      {"softshrink", [](X x, A a) { return softshrink(x[0], a.number("lambd", 0.5)); }},
      {"threshold",
       [](X x, A a) { return threshold(x[0], a.number("threshold"), a.number("value")); }},
      {"softplus",
       [](X x, A a) { return softplus(x[0], a.number("beta"), a.number("threshold", 20)); }},
      {"logsigmoid", [](X x, A) { return logsigmoid(x[0]); }},
      {"softsign", [](X x, A) { return softsign(x[0]); }},
      {"tanhshrink", [](X x, A) { return tanhshrink(x[0]); }},
      {"mish", [](X x, A) { return mish(x[0]); }},
      {"softmin", [](X x, A a) { return softmin(x[0], a.integer("dim")); }},
      {"glu", [](X x, A a) { return glu(x[0], a.integer("dim")); }},
      {"prelu", [](X x, A) { return prelu(x[0], x[1]); }},
      {"l1_loss", [](X x, A a) { return l1_loss(x[0], x[1], reduction(a)); }},
      {"huber_loss",
       [](X x, A a) {
         return huber_loss(x[0], x[1], {reduction(a), a.number("delta", 1)});
       }},
      {"smooth_l1_loss",
       [](X x, A a) {
         return smooth_l1_loss(x[0], x[1], {reduction(a), a.number("beta", 1)});
       }},
      {"poisson_nll_loss",
       [](X x, A a) {
         return poisson_nll_loss(
             x[0], x[1], {reduction(a), a.word("log_input", "true") == "true", a.flag("full")});
       }},
      {"gaussian_nll_loss",
       [](X x, A a) {
         return gaussian_nll_loss(x[0], x[1], x[2],
                                  {reduction(a), a.flag("full"), a.number("eps", 1e-6)});
       }},
      {"binary_cross_entropy",
       [](X x, A a) { return binary_cross_entropy(x[0], x[1], bce_options(x, a)); }},
      {"binary_cross_entropy_with_logits",
       [](X x, A a) { return binary_cross_entropy_with_logits(x[0], x[1], bce_options(x, a)); }},
      {"multilabel_soft_margin_loss",
       [](X x, A a) {
         return multilabel_soft_margin_loss(x[0], x[1], {reduction(a), named(x, a, "weight")});
       }},
      {"margin_ranking_loss",
       [](X x, A a) {
         return margin_ranking_loss(x[0], x[1], x[2], {reduction(a), a.number("margin")});
       }},
      {"hinge_embedding_loss",
       [](X x, A a) {
         return hinge_embedding_loss(x[0], x[1], {reduction(a), a.number("margin", 1)});
       }},
      {"cosine_embedding_loss",
       [](X x, A a) {
         return cosine_embedding_loss(x[0], x[1], x[2], {reduction(a), a.number("margin")});
       }},
      {"soft_margin_loss", [](X x, A a) { return soft_margin_loss(x[0], x[1], reduction(a)); }},
      {"multi_margin_loss",
       [](X x, A a) {
         return multi_margin_loss(
             x[0], x[1],
             {reduction(a), a.integer("p", 1), a.number("margin", 1), named(x, a, "weight")});
       }},
      {"multilabel_margin_loss",
       [](X x, A a) { return multilabel_margin_loss(x[0], x[1], reduction(a)); }},
      {"triplet_margin_loss",
       [](X x, A a) {
         return triplet_margin_loss(x[0], x[1], x[2],
                                    {reduction(a), a.number("margin", 1), a.number("p", 2),
                                     a.number("eps", 1e-6), a.flag("swap")});
       }},
      {"cross_entropy",
       [](X x, A a) {
         return cross_entropy(x[0], x[1], named(x, a, "weight"), cross_entropy_options(a));
       }},
      {"nll_loss",
       [](X x, A a) {
         return nll_loss(x[0], x[1], named(x, a, "weight"), cross_entropy_options(a));
       }},
      {"pairwise_distance", [](X x, A) { return pairwise_distance(x[0], x[1]); }},
      {"cosine_similarity", [](X x, A) { return cosine_similarity(x[0], x[1]); }},
      {"normalize",
       [](X x, A a) { return normalize(x[0], a.number("p", 2), a.integer("dim", 1)); }},
  };
  return table;
}

const Layers& module_modules() {
  static const Layers table = with_activations({
      {"Bilinear",
       [](A a) {
         const Dims n = a.dims("sizes");
         return made(Bilinear(n[0], n[1], n[2], a.flag("bias")));
       }},
      {"Flatten",
       [](A a) { return made(Flatten(a.integer("start_dim", 1), a.integer("end_dim", -1))); }},
      {"Unflatten", [](A a) { return made(Unflatten(a.integer("dim"), a.dims("sizes"))); }},
      {"Identity", [](A) { return made(Identity()); }},
      {"GroupNorm",
       [](A a) {
         return made(GroupNorm(a.integer("groups"), a.integer("channels"),
                               {a.number("eps", 1e-5), a.word("affine", "true") == "true",
                                a.word("bias", "true") == "true"}));
       }},
      {"Conv1d",
       [](A a) {
         const Dims n = a.dims("sizes");
         return made(Conv1d(n[0], n[1], n[2],
                            {.stride = a.integer("stride", 1),
                             .padding = a.integer("padding", 0),
                             .dilation = a.integer("dilation", 1),
                             .groups = a.integer("groups", 1)},
                            a.word("bias", "true") == "true"));
       }},
      {"Embedding",
       [](A a) {
         return made(Embedding(a.integer("number"), a.integer("dim"),
                               {.padding_idx = a.integer("padding_idx", -1),
                                .max_norm = given(a, "max_norm"),
                                .norm_type = a.number("norm_type", 2)}));
       }},
  });
  return table;
}

// Where right answers differ by more than rounding, and why.
Tolerance module_tolerance(const std::string& name, DType dtype) {
  struct Wide {
    double relative, absolute_f64, absolute_f32;
  };
  static const std::map<std::string, Wide> wide = {
      // PyTorch's 1 / 6 is a float
      {"hardsigmoid", {5e-8, 0, 0}},
      {"Hardsigmoid", {5e-8, 0, 0}},
      // PyTorch's 1e-12, to which the square of a zero row is added, is a float
      {"cosine_embedding_loss.zero", {5e-9, 0, 0}},
      // two terms cancel
      {"cosine_similarity.zero", {0, 1e-17, 1e-9}},
      // the difference of two equal numbers around 1
      {"normalize.1x1", {0, 2e-14, 1e-5}},
      {"GroupNorm.single", {0, 1e-14, 1e-6}},
  };
  const double usual = dtype == f64 ? 1e-12 : 2e-6;
  for (const auto& [prefix, w] : wide)
    if (name.starts_with(prefix))
      return {std::max(usual, w.relative), dtype == f64 ? w.absolute_f64 : w.absolute_f32};
  return {usual, 0};
}

}  // namespace

TEST_CASE("golden modules: values and gradients are PyTorch's in f64") {
  check_module_cases("modules", f64, module_functions(), module_modules(), module_tolerance);
}
TEST_CASE("golden modules: values and gradients are PyTorch's in f32") {
  check_module_cases("modules", f32, module_functions(), module_modules(), module_tolerance);
}

TEST_CASE(
    "golden modules: at least four cases of a function, one of a module; the printed texts are "
    "PyTorch's") {
  check_case_counts("modules", module_functions(), module_modules(), 1);
}

TEST_CASE("relative positions: ALiBi's slopes and T5's buckets are those of the published code") {
  const GoldenTensors golden("modules_f32.safetensors");
  for (const int64_t heads : {1, 3, 8, 12}) {
    const Tensor slopes = golden.at(fmt::format("alibi_slopes.{}/output0", heads));
    CHECK(mismatch(alibi_slopes(heads), slopes, {1e-7, 0}) == "");
  }
  const auto check = [&](const std::string& label, const BucketOptions& options) {
    const std::string name = "bucket." + label;
    CHECK(relative_position_bucket(golden.at(name + "/input0"), options).to_vector() ==
          golden.at(name + "/output0").to_vector());
  };
  check("encoder", {});
  check("decoder", {.both_sides = false});
  check("few", {.buckets = 6, .max_distance = 11});
  check("short", {.both_sides = false, .buckets = 7, .max_distance = 20});

  // one query behind two cached keys: head 1 of 2 has the slope 2^-8
  CHECK(alibi(2, 1, 3).select(0, 1).to_vector() == std::vector<double>{-2.0 / 256, -1.0 / 256, 0});
  const RelativeAttentionBias bias(2, {.both_sides = false, .buckets = 8, .max_distance = 16});
  const Tensor y = bias(2, 3), table = bias.relative_attention_bias.weight;
  CHECK(y.shape() == Dims{2, 2, 3});
  CHECK(y.select(0, 1).to_vector()[0] == table.select(0, 1).to_vector()[1]);  // distance 1 behind
  CHECK(y.select(0, 0).to_vector()[2] == table.select(0, 0).to_vector()[0]);  // ahead: as 0
}

TEST_CASE("containers: names, printed texts, and modules by name") {
  const ModuleDict blocks = ModuleDict::of(std::pair{"a", Linear(2, 3)}, std::pair{"b", ReLU()});
  CHECK(nn::to_string(blocks) ==
        "ModuleDict(\n  (a): Linear(in_features=2, out_features=3, bias=True)\n  (b): ReLU()\n)");
  CHECK(state_entries(blocks)[0].name == "a.weight");
  CHECK(blocks["b"](blocks["a"](ones({1, 2}))).shape() == Dims{1, 3});
  CHECK(nn::to_string(clone(blocks)) == nn::to_string(blocks));
  CHECK_THROWS_AS((void)blocks["c"], UsageError);
  ModuleDict other;
  CHECK_THROWS_AS(other.insert("x.y", ReLU()), UsageError);

  const ParameterList list({ones({2, 3}), ones({4})});
  CHECK(nn::to_string(list) ==
        "ParameterList(\n"
        "    (0): Parameter containing: [torch.float32 of size 2x3]\n"
        "    (1): Parameter containing: [torch.float32 of size 4]\n)");
  CHECK(named_parameters(list)[1].name == "1");
  CHECK(clone(list)[0].to_vector() == std::vector<double>(6, 1));
}

TEST_CASE("rrelu: in training each slope is drawn from its range, in evaluation it is the mean") {
  manual_seed(3);
  RReLU layer(0.25, 0.5);
  const Tensor x = full({1000}, -1);
  double sum = 0;
  for (const double y : layer(x).to_vector()) {
    CHECK((y <= -0.25 && y >= -0.5));
    sum += y;
  }
  CHECK(sum / 1000 == doctest::Approx(-0.375).epsilon(0.02));
  eval(layer);
  CHECK(layer(x).to_vector() == std::vector<double>(1000, -0.375));
}
