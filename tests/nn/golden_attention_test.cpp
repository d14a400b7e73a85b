// Attention with every argument against PyTorch: outputs, weights and all gradients
// (tests/golden/attention.py draws the cases).
#include <slope/tests/golden_pool.h>

#include <functional>

using namespace slope;
using namespace slope::nn;
using namespace slope::test;

namespace {

struct Run {
  Tensors outputs, leaves;
};

std::optional<int64_t> width(const Args& a, const char* key) {
  return a.integer(key) > 0 ? std::optional(a.integer(key)) : std::nullopt;
}

Run run_scaled_dot_product(const Args& a, Numbers& n) {
  const int64_t B = a.integer("B"), H = a.integer("H"), G = a.integer("G"), L = a.integer("L"),
                S = a.integer("S"), D = a.integer("D"), E = a.integer("E");
  const auto with_batch = [&](Dims shape) {
    if (B > 0) shape.insert(0, B);
    return shape;
  };
  const Tensor q = n.input(with_batch({H, L, D})), k = n.input(with_batch({G, S, D})),
               v = n.input(with_batch({G, S, E}));
  const std::string shape = a.word("mask_shape");
  const auto [mask, numbers] = n.mask(a.word("attn_mask"), shape == "full"   ? with_batch({H, L, S})
                                                           : shape == "rows" ? Dims{L, S}
                                                                             : Dims{1, S});
  const double scale = a.number("scale");
  const Tensor y =
      nn::scaled_dot_product_attention(q, k, v,
                                       {.attn_mask = mask,
                                        .is_causal = a.flag("is_causal"),
                                        .scale = scale > 0 ? std::optional(scale) : std::nullopt,
                                        .enable_gqa = a.flag("enable_gqa")});
  Run run{{y}, {q, k, v}};
  if (numbers.defined()) run.leaves.push_back(numbers);
  return run;
}

Run run_attention(const Args& a, Numbers& n) {
  const int64_t E = a.integer("E"), H = a.integer("H"), B = a.integer("B"), L = a.integer("L"),
                S = a.integer("S");
  const auto kdim = width(a, "kdim"), vdim = width(a, "vdim");
  const bool batch_first = a.flag("batch_first");
  const MultiheadAttention m(E, H,
                             {.bias = a.flag("bias"),
                              .add_bias_kv = a.flag("add_bias_kv"),
                              .add_zero_attn = a.flag("add_zero_attn"),
                              .kdim = kdim,
                              .vdim = vdim,
                              .batch_first = batch_first});
  const auto sequence = [&](int64_t length, int64_t channels) {
    return n.input(B == 0        ? Dims{length, channels}
                   : batch_first ? Dims{B, length, channels}
                                 : Dims{length, B, channels});
  };
  Run run;
  run.leaves.push_back(sequence(L, E));
  if (a.word("same") != "all") run.leaves.push_back(sequence(S, kdim.value_or(E)));
  if (a.word("same") == "none") run.leaves.push_back(sequence(S, vdim.value_or(E)));
  const Tensors& x = run.leaves;
  const Tensor query = x[0], key = x[std::min<size_t>(1, x.size() - 1)], value = x.back();
  n.fill(m);
  const auto padding = n.mask(a.word("key_padding_mask"), B > 0 ? Dims{B, S} : Dims{S});
  const std::string kind = a.word("attn_mask");
  const auto mask =
      n.mask(kind, kind.ends_with("3") ? Dims{std::max<int64_t>(B, 1) * H, L, S} : Dims{L, S});
  const auto [y, w] = m(query, key, value,
                        AttentionArguments{.key_padding_mask = padding.mask,
                                           .need_weights = a.flag("need_weights"),
                                           .attn_mask = mask.mask,
                                           .average_attn_weights = a.flag("average"),
                                           .is_causal = a.flag("is_causal")});
  run.outputs = w.defined() ? Tensors{y, w} : Tensors{y};
  for (const Tensor& numbers : {padding.tensor, mask.tensor})
    if (numbers.defined()) run.leaves.push_back(numbers);
  for (const Tensor& p : parameters(m)) run.leaves.push_back(p);
  return run;
}

void check_all(DType dtype, double tolerance) {
  const std::map<std::string, std::function<Run(const Args&, Numbers&)>> runs = {
      {"scaled_dot_product_attention", run_scaled_dot_product},
      {"MultiheadAttention", run_attention}};
  const Tensor pool = GoldenTensors("attention_f64.safetensors").at("pool");
  const GoldenTensors golden("attention_" + std::string(dtype == f64 ? "f64" : "f32") +
                             ".safetensors");
  int cases = 0;
  for (const GoldenCase& c : read_cases(golden_text("attention.txt"))) try {
      Numbers numbers(pool, c.args.integer("pool"), dtype);
      const Run run = runs.at(c.op)(c.args, numbers);
      record_parity(c.op, dtype,
                    check_results(c.name + " " + name(dtype), run.outputs, run.leaves, numbers,
                                  golden.at(c.name), tolerance));
      ++cases;
    } catch (const std::exception& e) {
      FAIL_CHECK(fmt::format("{} {}: {}", c.name, name(dtype), e.what()));
    }
  CHECK(cases == 210);
}

}  // namespace

TEST_CASE("golden attention: outputs, weights and all gradients are PyTorch's in f64") {
  check_all(f64, 1e-12);
}
TEST_CASE("golden attention: outputs, weights and all gradients are PyTorch's in f32") {
  check_all(f32, 1e-5);
}

TEST_CASE("attention: a fully masked row is zero in output, weights and gradients") {
  manual_seed(1);
  const Tensor x = randn({2, 3, 4}).set_requires_grad();
  const Tensor row = tensor({{true, true, true}, {false, false, true}, {false, false, false}});
  MultiheadAttention m(4, 2, {.bias = false});
  Tensor numbers = masked_fill(zeros({3, 3}), row, -INFINITY).set_requires_grad();
  for (const Mask& mask : {Mask::block(row), Mask::add(numbers)}) {
    x.set_grad({});
    const auto [y, w] = m(x, x, x, AttentionArguments{.attn_mask = mask});
    CHECK(y.select(1, 0).to_vector() == std::vector<double>(8, 0));
    CHECK(w.select(1, 0).to_vector() == std::vector<double>(6, 0));
    y.select(1, 0).backward(ones({2, 4}));
    CHECK(x.grad().to_vector() == std::vector<double>(24, 0));
  }
  CHECK(numbers.grad().to_vector() == std::vector<double>(9, 0));
}

TEST_CASE("attention: names and printed text with every argument are PyTorch's") {
  const auto names = [](const MultiheadAttention& m) {
    std::string all;
    for (const auto& [name, x] : state_entries(m)) all += name + to_string(x.shape()) + " ";
    return all;
  };
  CHECK(names(MultiheadAttention(4, 2, {.add_bias_kv = true, .kdim = 3})) ==
        "q_proj_weight(4, 4) k_proj_weight(4, 3) v_proj_weight(4, 4) in_proj_bias(12,) "
        "bias_k(1, 1, 4) bias_v(1, 1, 4) out_proj.weight(4, 4) out_proj.bias(4,) ");
  CHECK(names(MultiheadAttention(4, 2, {.bias = false, .kdim = 4, .vdim = 4})) ==
        "in_proj_weight(12, 4) out_proj.weight(4, 4) ");
  const MultiheadAttention m(4, 2, {.bias = false, .vdim = 3});
  CHECK(nn::to_string(m) ==
        "MultiheadAttention(\n  (out_proj): NonDynamicallyQuantizableLinear(in_features=4, "
        "out_features=4, bias=False)\n)");
  CHECK(names(clone(m)) == names(m));
}

TEST_CASE("attention: what does not fit is refused in one line") {
  const MultiheadAttention m(4, 2), wide(4, 2, {.kdim = 3});
  const Tensor x = zeros({2, 3, 4}), one = zeros({3, 4});
  const auto refused = [&](const std::string& message, const auto& call) {
    try {
      call();
      FAIL_CHECK("accepted: " << message);
    } catch (const Error& e) {
      CHECK(std::string(e.what()).find(message) != std::string::npos);
      CHECK(std::string(e.what()).find('\n') == std::string::npos);
    }
  };
  const auto with = [&](const Tensor& query, const Tensor& key, AttentionArguments a) {
    return [&, query, key, a] { (void)m(query, key, key, a); };
  };
  const Tensor may = ones({3, 3}, boolean);
  refused("should be unbatched (2-D) or batched (3-D), but is 4-D", [&] {
    (void)m(zeros({1, 2, 3, 4}), x, x);
  });
  refused("for batched (3-D) query, expected key and value to be 3-D but found 2-D and 2-D",
          [&] { (void)m(x, one, one); });
  refused("was expecting 4 channels in query, but got 5", [&] { (void)m(zeros({2, 3, 5}), x, x); });
  refused("was expecting 3 channels in key, but got 4", [&] { (void)wide(x, x, x); });
  refused("sequence and batch dims of key (2, 3, 4) and value (2, 2, 4) do not match", [&] {
    (void)m(x, x, zeros({2, 2, 4}));
  });
  refused("query and key must have the same batch size, got 2 and 1", [&] {
    (void)m(x, zeros({1, 3, 4}), zeros({1, 3, 4}));
  });
  refused("the shape of the 2-D attn_mask is (3, 2), but should be (3, 3)",
          with(x, x, {.attn_mask = Mask::block(zeros({3, 2}, boolean))}));
  refused("the shape of the 3-D attn_mask is (2, 3, 3), but should be (4, 3, 3)",
          with(x, x, {.attn_mask = Mask::add(zeros({2, 3, 3}))}));
  refused("attn_mask has 1 dims", with(x, x, {.attn_mask = Mask::allow(ones({3}, boolean))}));
  refused("key_padding_mask has shape (3, 2), but should be (2, 3)",
          with(x, x, {.key_padding_mask = Mask::block(zeros({3, 2}, boolean))}));
  refused("is_causal needs attn_mask too", with(x, x, {.is_causal = true}));
  refused("is_causal says that attn_mask is the causal mask, but it is another",
          with(x, x, {.attn_mask = Mask::allow(may), .is_causal = true}));
  refused("must have the dtype of the scores, got float64 and float32",
          with(x, x, {.attn_mask = Mask::add(zeros({3, 3}, f64))}));
  refused("Mask::add: needs a float32 or float64 tensor, got bool", [&] { (void)Mask::add(may); });
  refused("needs a bool tensor, got float32", [&] { (void)Mask::block(x); });
  refused("2 heads do not divide embed_dim 5", [] { (void)MultiheadAttention(5, 2); });
  refused("2 heads do not divide embed_dim 0", [] { (void)MultiheadAttention(0, 2); });
  refused("kdim 0 and vdim 4 must be positive",
          [] { (void)MultiheadAttention(4, 2, {.kdim = 0}); });
  const auto sdpa = [&](const ScaledDotProductOptions& o) {
    return [&, o] { (void)nn::scaled_dot_product_attention(x, x, x, o); };
  };
  refused("attn_mask must not be given when is_causal is set",
          sdpa({.attn_mask = Mask::allow(may), .is_causal = true}));
  refused("does not broadcast to the scores", sdpa({.attn_mask = Mask::add(zeros({5, 3, 3}))}));
  refused("enable_gqa needs heads of keys and values that divide those of queries", [&] {
    (void)nn::scaled_dot_product_attention(x, zeros({3, 3, 4}), zeros({3, 3, 4}),
                                           {.enable_gqa = true});
  });
}
