#include <slope/autograd/backward.h>
#include <slope/autograd/gradcheck/gradcheck.h>
#include <slope/tests/golden.h>
#include <slope/tests/nn/models.h>

using namespace slope;
using namespace slope::nn;
using test::check_close;

namespace {

const TensorFile& file() {
  static const TensorFile golden = parse_safetensors(test::golden_text("nn_f64.safetensors"));
  return golden;
}

// Loads, runs, and compares output and all gradients with PyTorch's.
template <class M, class F>
void check_golden(const std::string& name, M module, int inputs, const F& call) {
  to(module, f64);
  NamedTensors parameters;
  const std::string prefix = name + "/parameter/";
  for (const auto& [key, x] : file().tensors)
    if (key.starts_with(prefix)) parameters.emplace_back(key.substr(prefix.size()), x);
  REQUIRE(load(module, parameters).ok());
  Tensors in;
  for (int i = 0; i < inputs; ++i) {
    in.push_back(file().at(fmt::format("{}/in{}", name, i)).clone());
    if (is_floating(in.back().dtype())) in.back().set_requires_grad();
  }
  const Tensor y = call(module, in);
  check_close(y, file().at(name + "/out"), 1e-12, 1e-13, name);
  y.backward(file().at(name + "/cotangent"));
  for (const auto& [key, p] : named_parameters(module))
    check_close(p.grad(), file().at(name + "/gradient/" + key), 1e-11, 1e-12, name + " " + key);
  for (int i = 0; i < inputs; ++i)
    if (is_floating(in[static_cast<size_t>(i)].dtype()))
      check_close(in[static_cast<size_t>(i)].grad(),
                  file().at(fmt::format("{}/gradient_in{}", name, i)), 1e-11, 1e-12, name);
}

const auto on_first = [](const auto& m, const Tensors& in) { return m(in[0]); };

double mean_of(const std::vector<double>& x) {
  double sum = 0;
  for (double v : x) sum += v;
  return sum / static_cast<double>(x.size());
}
double deviation_of(const std::vector<double>& x) {
  const double m = mean_of(x);
  double sum = 0;
  for (double v : x) sum += (v - m) * (v - m);
  return std::sqrt(sum / static_cast<double>(x.size()));
}
double largest(const std::vector<double>& x) {
  double most = 0;
  for (double v : x) most = std::max(most, std::abs(v));
  return most;
}
// Uniform on [-bound, bound]: never outside, nearly reaching it, with deviation bound / sqrt 3.
void check_uniform(const Tensor& x, double bound) {
  const auto v = x.to_vector();
  CHECK(largest(v) <= bound * (1 + 1e-6));
  CHECK(largest(v) > 0.99 * bound);
  CHECK(deviation_of(v) == doctest::Approx(bound / std::sqrt(3.0)).epsilon(0.03));
  CHECK(std::abs(mean_of(v)) < 0.05 * bound);
}
void check_normal(const Tensor& x, double std) {
  CHECK(deviation_of(x.to_vector()) == doctest::Approx(std).epsilon(0.03));
  CHECK(std::abs(mean_of(x.to_vector())) < 0.05 * std);
}

}  // namespace

TEST_CASE("layers: values and all gradients equal PyTorch's") {
  check_golden("linear", Linear(4, 3), 1, on_first);
  check_golden("embedding", Embedding(6, 3, {.padding_idx = 0}), 1, on_first);
  check_golden("layer_norm", LayerNorm(6), 1, on_first);
  check_golden("rms_norm", RMSNorm(6), 1, on_first);
}

TEST_CASE("attention: values and all gradients equal PyTorch's, with causal and padding masks") {
  check_golden("attention.self", MultiheadAttention(8, 2), 1, [](const auto& m, const Tensors& in) {
    return m(in[0], in[0], in[0], Mask::causal(4));
  });
  const Mask padding =
      Mask::padding(tensor({{1, 1, 1, 1, 1}, {1, 1, 1, 9, 9}, {1, 1, 1, 1, 1}}), 9);
  check_golden(
      "attention.cross", MultiheadAttention(8, 2), 2, [&](const auto& m, const Tensors& in) {
        const AttentionOutput each = m.with_weights(in[0], in[1], in[1], padding, false);
        check_close(each.weights, file().at("attention.cross/weights"), 1e-12, 1e-13, "weights");
        check_close(m.with_weights(in[0], in[1], in[1], padding).weights,
                    file().at("attention.cross/average"), 1e-12, 1e-13, "average");
        check_close(each.output, file().at("attention.cross/out"), 1e-12, 1e-13, "with_weights");
        return m(in[0], in[1], in[1], padding);
      });
  check_golden("attention.plain", MultiheadAttention(8, 2, {.bias = false}), 3,
               [](const auto& m, const Tensors& in) { return m(in[0], in[1], in[2]); });
}

TEST_CASE("positions: the sinusoids are PyTorch's; too long a sequence is refused") {
  const SinusoidalPositions sinusoids(9, 6);
  check_close(sinusoids(9), file().at("sinusoidal/out"), 1e-6, 1e-7, "sinusoidal");
  CHECK(sinusoids(2, 3).to_vector() == sinusoids(9).narrow(0, 3, 2).to_vector());
  CHECK(state_entries(sinusoids).empty());
  const LearnedPositions learned(9, 6);
  CHECK(learned(4, 5).shape() == Dims{4, 6});
  CHECK_THROWS_WITH_AS((void)learned(5, 5), "LearnedPositions: sequence of 10 exceeds 9 positions",
                       ShapeError);
}

TEST_CASE("modules: gradcheck by parameter name") {
  manual_seed(3);
  test::Tiny model(test::Config{.vocabulary = 5, .channels = 4, .blocks = 1});
  to(model, f64);
  eval(model);
  const Tensor ids = tensor({{1, 2, 3}, {4, 0, 1}});
  const GradcheckReport report = gradcheck([&] { return Tensors{model(ids)}; },
                                           named_parameters(model), {.raise_exception = false});
  CHECK_MESSAGE(report.ok, report.text());
  CHECK(report.checked > 0);
}

TEST_CASE("dropout: scales what it keeps in train, does nothing in eval") {
  manual_seed(4);
  const Dropout drop(0.25);
  const Tensor x = ones({4000});
  double kept = 0;
  for (double v : drop(x).to_vector()) {
    CHECK((v == 0 || v == doctest::Approx(4.0 / 3)));
    kept += v != 0;
  }
  CHECK(kept / 4000 == doctest::Approx(0.75).epsilon(0.05));
  const EvalMode eval_mode;
  CHECK(drop(x).to_vector() == x.to_vector());
  CHECK_THROWS_AS(Dropout(1.5), UsageError);
}

TEST_CASE("norms: without weights, over several dims, and RMSNorm's default eps") {
  manual_seed(5);
  const Tensor x = randn({3, 4, 8}, f64);
  LayerNorm plain(Dims{4, 8}, {.elementwise_affine = false});
  const Tensor y = plain(x);
  for (int64_t b = 0; b < 3; ++b) {
    const auto v = y[b].to_vector();
    CHECK(std::abs(mean_of(v)) < 1e-12);
    CHECK(deviation_of(v) == doctest::Approx(1).epsilon(1e-4));
  }
  const RMSNorm rms(8, {.elementwise_affine = false});
  const Tensor small = full({1, 8}, 1e-8, f64);
  CHECK(rms(small).to_vector()[0] ==
        doctest::Approx(1e-8 / std::sqrt(1e-16 + 2.220446049250313e-16)));
}

TEST_CASE("init: PyTorch's defaults for each layer") {
  manual_seed(6);
  const Linear linear(64, 100);
  check_uniform(linear.weight, 1 / 8.0);
  CHECK(largest(linear.bias->to_vector()) <= 1 / 8.0);
  CHECK(deviation_of(linear.bias->to_vector()) > 0.05);
  const Embedding embedding(100, 64, {.padding_idx = 3});
  check_normal(embedding.weight, std::sqrt(0.99));
  for (double v : embedding.weight.detach().select(0, 3).to_vector()) CHECK(v == 0);
  const MultiheadAttention attention(64, 4);
  check_uniform(*attention.in_proj_weight, std::sqrt(6.0 / (64 + 192)));
  check_uniform(attention.out_proj.weight, 1 / 8.0);
  CHECK(largest(attention.in_proj_bias->to_vector()) == 0);
  CHECK(largest(attention.out_proj.bias->to_vector()) == 0);
  const MultiheadAttention apart(64, 4, {.add_bias_kv = true, .kdim = 32});
  check_uniform(*apart.q_proj_weight, std::sqrt(6.0 / 128));
  check_uniform(*apart.k_proj_weight, std::sqrt(6.0 / 96));
  check_normal(MultiheadAttention(1024, 1, {.add_bias_kv = true, .kdim = 1}).bias_v->squeeze(0),
               1 / 32.0);
  const LayerNorm norm(7);
  CHECK(norm.weight->to_vector() == std::vector<double>(7, 1));
  CHECK(norm.bias->to_vector() == std::vector<double>(7, 0));
}

TEST_CASE("init: fans, gains, bounds; the same numbers from the same seed") {
  manual_seed(7);
  const Tensor x = Tensor::empty({40, 20, 9});  // fan in 180, fan out 360
  init::xavier_uniform(x, 2);
  check_uniform(x, 2 * std::sqrt(6.0 / 540));
  init::xavier_normal(x);
  check_normal(x, std::sqrt(2.0 / 540));
  init::kaiming_uniform(x, 0, init::Fan::out, init::Nonlinearity::relu);
  check_uniform(x, std::sqrt(2.0) * std::sqrt(3.0 / 360));
  init::kaiming_normal(x, 0.5);
  check_normal(x, std::sqrt(2 / 1.25 / 180));
  init::trunc_normal(x, 1, 2, -1, 2);  // z in [-1, 0.5]: mean and deviation of the truncated normal
  const auto v = x.to_vector();
  for (double e : v) CHECK((e >= -1 && e <= 2));
  CHECK(mean_of(v) == doctest::Approx(1 + 2 * -0.2067).epsilon(0.03));
  CHECK(deviation_of(v) == doctest::Approx(2 * 0.4171).epsilon(0.03));
  init::trunc_normal(x, 0, 1, 9, 10);
  CHECK(mean_of(x.to_vector()) == doctest::Approx(9.1083).epsilon(1e-3));
  for (double e : x.to_vector()) CHECK((e >= 9 && e <= 10));
  const auto cumulative = [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };
  const Tensor y = Tensor::empty({1000}, f64);
  const RandomSite site = Generator(generator()).next_site();
  init::trunc_normal(y, 0, 1, -20, 3);
  for (int64_t i = 0; i < 1000; ++i)
    CHECK(cumulative(y.data<double>()[i]) ==
          doctest::Approx(uniform_f64(site, i) * cumulative(3)).epsilon(1e-13));
  CHECK_THROWS_AS(init::xavier_uniform(Tensor::empty({5})), ShapeError);
  CHECK(init::gain(init::Nonlinearity::tanh) == doctest::Approx(5.0 / 3));

  const auto draw = [](uint64_t seed) {
    manual_seed(seed);
    return Linear(5, 6).weight.to_vector();
  };
  CHECK(draw(1) == draw(1));
  CHECK(draw(1) != draw(2));
}

TEST_CASE("init: what skip_init leaves out keeps its values, the others get their usual numbers") {
  const auto numbers = [](int64_t skipped_rank) {
    manual_seed(4);
    const Tensor matrix = full({2, 3}, 7), vector = full({3}, 7), again = full({2, 3}, 7);
    nn::init::skip_init(skipped_rank, [&] { nn::init::normal(matrix), nn::init::uniform(vector); });
    nn::init::xavier_uniform(again);
    return std::array{matrix.to_vector(), vector.to_vector(), again.to_vector()};
  };
  const auto all = numbers(3), vectors = numbers(2), none = numbers(0);
  CHECK(all[0] != std::vector<double>(6, 7));
  CHECK(vectors[0] == std::vector<double>(6, 7));
  CHECK(vectors[1] == all[1]);
  CHECK(none[1] == std::vector<double>(3, 7));
  CHECK(vectors[2] == all[2]);
  CHECK(none[2] == all[2]);
}

TEST_CASE("cross_entropy: label smoothing outside [0, 1] is refused, whatever the targets are") {
  const Tensor logits = zeros({2, 3}), weight = full({3}, 2);
  for (const Tensor& target : {tensor({0, 2}), full({2, 3}, 1.0 / 3)})
    for (const Tensor& w : {Tensor(), weight})
      for (const double e : {-0.1, 1.5, std::nan("")})
        CHECK_THROWS_WITH_AS((void)nn::cross_entropy(logits, target, w, {.label_smoothing = e}),
                             doctest::Contains("label_smoothing must be within [0, 1]"), Error);
}

TEST_CASE("embedding_renorm: writes the picked rows of any layout; refuses repeated elements") {
  const Tensor all = tensor({{9, 3, 4, 9}, {9, 3, 4, 9}, {9, 3, 4, 9}}, f64);
  embedding_renorm(all.narrow(1, 1, 2), tensor({1}), 1, 2);
  check_close(all, tensor({{9., 3., 4., 9.}, {9., .6, .8, 9.}, {9., 3., 4., 9.}}, f64), 1e-7, 0,
              "rows");
  for (const Tensor& table : {ones({1, 2}).expand({5, 2}), ones({5, 1}).expand({5, 2})})
    CHECK_THROWS_WITH_AS(embedding_renorm(table, tensor({3}), 1, 2),
                         "embedding_renorm: the table repeats elements; clone() it", UsageError);
}

TEST_CASE("Unflatten: sizes fill the dim, also where the tensor has no elements") {
  CHECK(Unflatten(1, {2, -1})(zeros({0, 4})).shape() == Dims{0, 2, 2});
  CHECK(Unflatten(1, {-1, 2})(zeros({3, 0})).shape() == Dims{3, 0, 2});
  CHECK_THROWS_AS((void)Unflatten(1, {2, 3})(zeros({0, 4})), ShapeError);
  CHECK_THROWS_AS((void)Unflatten(1, {3, -1})(zeros({0, 4})), ShapeError);
}

TEST_CASE("ParameterDict: names, printed text, parameters by name") {
  const ParameterDict dict({{"a", ones({2, 3})}, {"b", ones({1})}});
  CHECK(nn::to_string(dict) ==
        "ParameterDict(\n"
        "    (a): Parameter containing: [torch.FloatTensor of size 2x3]\n"
        "    (b): Parameter containing: [torch.FloatTensor of size 1]\n)");
  CHECK(named_parameters(dict)[1].name == "b");
  CHECK(dict["a"].shape() == Dims{2, 3});
  CHECK(clone(dict)["a"].to_vector() == std::vector<double>(6, 1));
  CHECK_THROWS_AS((void)dict["c"], UsageError);
  CHECK_THROWS_AS(ParameterDict({{"a.b", ones({1})}}), UsageError);
}
