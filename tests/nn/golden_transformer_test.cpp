// torch.nn's Transformer, its stacks and layers with every argument against PyTorch: outputs and
// all gradients, keys and printed texts (tests/golden/attention.py draws the cases).
#include <slope/tests/golden_pool.h>

#include <functional>

using namespace slope;
using namespace slope::nn;
using namespace slope::test;

namespace {

struct Sizes {
  int64_t C, H, B, S, T;
  bool batch_first;
  explicit Sizes(const Args& a)
      : C(a.integer("C")), H(a.integer("H")), B(a.integer("B")), S(a.integer("S")),
        T(a.integer("T")), batch_first(a.flag("batch_first")) {}
};

TransformerLayerOptions options(const Args& a) {
  const std::string word = a.word("activation");
  const ActivationFunction x_tanh([](const Tensor& x) { return x * tanh(x); });
  return {.dim_feedforward = a.integer("F"),
          .dropout = 0,
          .activation = word == "relu"   ? Activation::relu
                        : word == "gelu" ? Activation::gelu
                                         : x_tanh,
          .layer_norm_eps = a.number("eps"),
          .norm_first = a.flag("norm_first"),
          .bias = a.flag("bias"),
          .batch_first = a.flag("batch_first")};
}

TransformerEncoderLayer encoder_layer(const Args& a) {
  return {a.integer("C"), a.integer("H"), options(a)};
}
TransformerDecoderLayer decoder_layer(const Args& a) {
  return {a.integer("C"), a.integer("H"), options(a)};
}
std::optional<LayerNorm> norm(const Args& a) {
  if (!a.flag("norm")) return std::nullopt;
  return LayerNorm(a.integer("C"), {.eps = a.number("eps"), .bias = a.flag("bias")});
}
TransformerEncoder encoder(const Args& a) {
  return {encoder_layer(a), a.integer("layers"), norm(a)};
}
TransformerDecoder decoder(const Args& a) {
  return {decoder_layer(a), a.integer("layers"), norm(a)};
}

Tensor sequence(Numbers& n, const Sizes& s, int64_t length) {
  return n.input(s.B == 0        ? Dims{length, s.C}
                 : s.batch_first ? Dims{s.B, length, s.C}
                                 : Dims{length, s.B, s.C});
}

struct ModuleRun {
  Tensor y;
  Tensors leaves;
};

// The masks of one attention; those that take gradients are added to the leaves.
struct Masks {
  Mask mask, padding;
  bool is_causal;
};
Masks masks(Numbers& n, const Sizes& s, const Args& a, const std::string& name, int64_t L,
            int64_t S, ModuleRun& run) {
  const std::string kind = a.word(name + "_mask");
  const auto mask =
      n.mask(kind, kind.ends_with("3") ? Dims{std::max<int64_t>(s.B, 1) * s.H, L, S} : Dims{L, S});
  const auto padding = n.mask(a.word(name + "_padding"), s.B > 0 ? Dims{s.B, S} : Dims{S});
  for (const Tensor& x : {mask.tensor, padding.tensor})
    if (x.defined()) run.leaves.push_back(x);
  return {mask.mask, padding.mask, a.flag(name + "_is_causal")};
}

void add_parameters(ModuleRun& run, ModuleRef m) {
  for (const Tensor& p : parameters(m)) run.leaves.push_back(p);
}

template <class M>
ModuleRun of_source(const M& m, const Args& a, Numbers& n) {
  const Sizes s(a);
  const Tensor src = sequence(n, s, s.S);
  n.fill(m);
  ModuleRun run{{}, {src}};
  const Masks of_src = masks(n, s, a, "src", s.S, s.S, run);
  using Arguments = std::conditional_t<std::is_same_v<M, TransformerEncoder>, EncoderArguments,
                                       EncoderLayerArguments>;
  run.y = m(src, Arguments{of_src.mask, of_src.padding, of_src.is_causal});
  add_parameters(run, m);
  return run;
}

template <class M>
ModuleRun of_both(const M& m, const Args& a, Numbers& n) {
  const Sizes s(a);
  const Tensor tgt = sequence(n, s, s.T), memory = sequence(n, s, s.S);
  n.fill(m);
  ModuleRun run{{}, {tgt, memory}};
  const Masks of_tgt = masks(n, s, a, "tgt", s.T, s.T, run),
              of_memory = masks(n, s, a, "memory", s.T, s.S, run);
  run.y = m(tgt, memory,
            DecoderArguments{.tgt_mask = of_tgt.mask,
                             .memory_mask = of_memory.mask,
                             .tgt_key_padding_mask = of_tgt.padding,
                             .memory_key_padding_mask = of_memory.padding,
                             .tgt_is_causal = of_tgt.is_causal,
                             .memory_is_causal = of_memory.is_causal});
  add_parameters(run, m);
  return run;
}

ModuleRun of_transformer(const Args& a, Numbers& n) {
  const TransformerOptions o{.d_model = a.integer("C"),
                             .nhead = a.integer("H"),
                             .num_encoder_layers = 1,
                             .num_decoder_layers = 1,
                             .layer = options(a)};
  const std::string custom = a.word("custom");
  const bool both = custom == "both";
  const Transformer m(o, both || custom == "encoder" ? encoder(a) : encoder_of(o),
                      both || custom == "decoder" ? decoder(a) : decoder_of(o));
  const Sizes s(a);
  const Tensor src = sequence(n, s, s.S), tgt = sequence(n, s, s.T);
  n.fill(m);
  ModuleRun run{{}, {src, tgt}};
  const Masks of_src = masks(n, s, a, "src", s.S, s.S, run),
              of_tgt = masks(n, s, a, "tgt", s.T, s.T, run),
              of_memory = masks(n, s, a, "memory", s.T, s.S, run);
  run.y = m(src, tgt,
            TransformerArguments{of_src.mask, of_tgt.mask, of_memory.mask, of_src.padding,
                                 of_tgt.padding, of_memory.padding, of_src.is_causal,
                                 of_tgt.is_causal, of_memory.is_causal});
  add_parameters(run, m);
  return run;
}

using MakeRun = std::function<ModuleRun(const Args&, Numbers&)>;
const std::map<std::string, MakeRun>& runs() {
  static const std::map<std::string, MakeRun> table = {
      {"TransformerEncoderLayer",
       [](const Args& a, Numbers& n) { return of_source(encoder_layer(a), a, n); }},
      {"TransformerDecoderLayer",
       [](const Args& a, Numbers& n) { return of_both(decoder_layer(a), a, n); }},
      {"TransformerEncoder", [](const Args& a, Numbers& n) { return of_source(encoder(a), a, n); }},
      {"TransformerDecoder", [](const Args& a, Numbers& n) { return of_both(decoder(a), a, n); }},
      {"Transformer", of_transformer}};
  return table;
}

void check_all(const std::string& file, DType dtype, double tolerance) {
  const Tensor pool = GoldenTensors(file + "_f64.safetensors").at("pool");
  const GoldenTensors golden(file + (dtype == f64 ? "_f64" : "_f32") + ".safetensors");
  int cases = 0;
  for (const GoldenCase& c : read_cases(golden_text(file + ".txt"))) try {
      Numbers numbers(pool, c.args.integer("pool"), dtype);
      const ModuleRun run = runs().at(c.op)(c.args, numbers);
      record_parity(c.op, dtype,
                    check_results(c.name + " " + name(dtype), {run.y}, run.leaves, numbers,
                                  golden.at(c.name), tolerance));
      ++cases;
    } catch (const std::exception& e) {
      FAIL_CHECK(fmt::format("{} {}: {}", c.name, name(dtype), e.what()));
    }
  CHECK(cases >= 100);
}

}  // namespace

TEST_CASE("golden transformer: outputs and all gradients are PyTorch's in f64") {
  check_all("transformer_layers", f64, 1e-10);
  check_all("transformer", f64, 1e-10);
}
TEST_CASE("golden transformer: outputs and all gradients are PyTorch's in f32") {
  check_all("transformer_layers", f32, 1e-5);
  check_all("transformer", f32, 1e-5);
}

TEST_CASE("golden transformer: printed texts and keys are PyTorch's") {
  const Args a{{{"C", "4"},
                {"H", "2"},
                {"F", "3"},
                {"activation", "gelu"},
                {"eps", "1e-6"},
                {"batch_first", "true"},
                {"norm_first", "true"},
                {"bias", "true"},
                {"layers", "2"},
                {"norm", "true"}}};
  TransformerOptions o{.d_model = 4,
                       .nhead = 2,
                       .num_encoder_layers = 1,
                       .num_decoder_layers = 2,
                       .layer = options(a)};
  o.layer.bias = false;
  const TensorFile file = parse_safetensors(golden_text("transformer_f64.safetensors"));
  const auto check = [&](const std::string& name, const auto& m) {
    CHECK(nn::to_string(m) == file.metadata.at(name));
    std::string keys;
    for (const auto& entry : state_entries(m)) keys += (keys.empty() ? "" : "\n") + entry.name;
    CHECK(keys == file.metadata.at(name + ".keys"));
    CHECK(nn::to_string(clone(m)) == nn::to_string(m));
  };
  check("TransformerEncoderLayer", encoder_layer(a));
  check("TransformerDecoderLayer", decoder_layer(a));
  check("TransformerEncoder", encoder(a));
  check("TransformerDecoder", decoder(a));
  check("Transformer", Transformer(o));
}

namespace {

// a custom encoder: the mean of the positions, everywhere
struct Mean {
  Linear out{4, 4};
  Tensor forward(const Tensor& src, const Mask&) const {
    return out(src.mean({1}, keepdim).expand(src.shape()));
  }
  Mean blank() const { return {}; }
  SLOPE_MODULE(Mean, out)
};

}  // namespace

TEST_CASE("transformer: a custom encoder of one's own; copies of one layer; the causal mask") {
  manual_seed(4);
  const TransformerOptions o{
      .d_model = 4, .nhead = 2, .num_decoder_layers = 1, .layer = {.dim_feedforward = 3}};
  TransformerOf<Mean, TransformerDecoder> m(o, Mean(), decoder_of(o));
  eval(m);
  const Tensor src = randn({2, 3, 4}), tgt = randn({2, 5, 4});
  const Tensor expected = m.decoder(tgt, m.encoder(src, Mask()));
  CHECK(equal(m(src, tgt), expected));
  CHECK(equal(m(src, tgt, TransformerArguments{}), expected));
  CHECK(equal(clone(m)(src, tgt), expected));
  const TransformerEncoder stack(TransformerEncoderLayer(4, 2), 2);
  CHECK(equal(stack.layers[0].linear1.weight, stack.layers[1].linear1.weight));
  CHECK(!stack.layers[0].linear1.weight.is_same(stack.layers[1].linear1.weight));
  CHECK(equal(Transformer::generate_square_subsequent_mask(3).tensor(3, 3),
              tril(ones({3, 3}, boolean))));
}

TEST_CASE("transformer: what does not fit is refused in one line") {
  const TransformerOptions o{.d_model = 4,
                             .nhead = 2,
                             .num_encoder_layers = 1,
                             .num_decoder_layers = 1,
                             .layer = {.dim_feedforward = 3}};
  const Transformer m(o);
  const Tensor src = zeros({2, 3, 4}), tgt = zeros({2, 5, 4});
  const auto refused = [&](const std::string& message, const Tensor& x, const Tensor& y,
                           const TransformerArguments& a) {
    try {
      (void)m(x, y, a);
      FAIL_CHECK("accepted: " << message);
    } catch (const Error& e) {
      CHECK(std::string(e.what()).find(message) != std::string::npos);
    }
  };
  const Mask wrong = Mask::block(zeros({3, 2}, boolean));
  refused("Transformer: the batch number of src and tgt must be equal, got 2 and 1", src,
          zeros({1, 5, 4}), {});
  refused("Transformer: the feature number of src and tgt must be equal to d_model 4", src,
          zeros({2, 5, 3}), {});
  refused("Transformer: src (2, 3, 4) and tgt (5, 4) should both be", src, zeros({5, 4}), {});
  refused("Transformer, src: the shape of the 2-D attn_mask is (3, 2), but should be (3, 3)", src,
          tgt, {.src_mask = wrong});
  refused("Transformer, tgt: the shape of the 2-D attn_mask is (3, 2), but should be (5, 5)", src,
          tgt, {.tgt_mask = wrong});
  refused("Transformer, memory: the shape of the 2-D attn_mask is (3, 2), but should be (5, 3)",
          src, tgt, {.memory_mask = wrong});
  refused("Transformer, memory: key_padding_mask has shape (3, 2), but should be (2, 3)", src, tgt,
          {.memory_key_padding_mask = wrong});
  refused("Transformer, tgt: is_causal needs attn_mask too", src, tgt, {.tgt_is_causal = true});
  CHECK_THROWS_WITH_AS((void)m.encoder(src, EncoderArguments{.is_causal = true}),
                       "TransformerEncoder: is_causal needs attn_mask too", UsageError);
  CHECK_THROWS_WITH_AS((void)m.decoder(tgt, src, DecoderArguments{.memory_mask = wrong}),
                       "TransformerDecoder, memory: the shape of the 2-D attn_mask is (3, 2), but "
                       "should be (5, 3)",
                       ShapeError);
}
