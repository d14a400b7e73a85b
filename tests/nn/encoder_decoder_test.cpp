// The parts of nn/transformer for encoder-decoders, tested with a small model outside the zoo:
// pre-norm, with a norm after each stack and one table of positions.
#include <doctest/doctest.h>
#include <slope/autograd/backward.h>
#include <slope/autograd/grad_mode.h>
#include <slope/nn/nn.h>

#include <map>

using namespace slope;

namespace {

struct SmallConfig {
  int64_t vocabulary = 13, channels = 8, layers = 2;
  int64_t pad = 0;
};

struct Attention {
  nn::Linear query, key, value, out;
  explicit Attention(const SmallConfig& c)
      : query(c.channels, c.channels), key(c.channels, c.channels), value(c.channels, c.channels),
        out(c.channels, c.channels) {}
  Tensor forward(const Tensor& x, const Tensor& memory, const nn::Mask& mask,
                 nn::KvCache* cache = nullptr) const {
    const auto [k, v] = nn::keys_values(cache, [&]() -> nn::KeysValues {
      return {nn::split_heads(key(memory), 2), nn::split_heads(value(memory), 2)};
    });
    return out(nn::merge_heads(nn::attend(nn::split_heads(query(x), 2), k, v, mask)));
  }
  SLOPE_MODULE(Attention, query, key, value, out)
};

struct EncoderLayer {
  nn::LayerNorm norm;
  Attention attention;
  explicit EncoderLayer(const SmallConfig& c) : norm(c.channels), attention(c) {}
  Tensor forward(const Tensor& x, const nn::Mask& mask) const {
    const Tensor y = norm(x);
    return x + attention(y, y, mask);
  }
  SLOPE_MODULE(EncoderLayer, norm, attention)
};

struct DecoderLayer {
  nn::LayerNorm norm1, norm2;
  Attention self, cross;
  explicit DecoderLayer(const SmallConfig& c)
      : norm1(c.channels), norm2(c.channels), self(c), cross(c) {}
  Tensor forward(Tensor x, const Tensor& memory, const nn::Mask& self_mask,
                 const nn::Mask& cross_mask, nn::DecoderLayerCache* cache = nullptr) const {
    const Tensor y = norm1(x);
    x = x + self(y, y, self_mask, cache ? &cache->self : nullptr);
    return x + cross(norm2(x), memory, cross_mask, cache ? &cache->cross : nullptr);
  }
  SLOPE_MODULE(DecoderLayer, norm1, norm2, self, cross)
};

struct Model {
  SmallConfig config;
  nn::Embedding tokens, places;
  nn::Stacks<EncoderLayer, DecoderLayer> transformer;
  explicit Model(const SmallConfig& c)
      : config(c), tokens(c.vocabulary, c.channels), places(10, c.channels),
        transformer(c.layers, c.layers, c, nn::LayerNorm(c.channels), nn::LayerNorm(c.channels)) {}
  void init_weights() { nn::init::normal(tokens.weight, 0, 0.5); }
  Tensor embed(const Tensor& ids, const Tensor& positions) const {
    return tokens(ids) + places(positions);
  }
  Tensor features(const nn::SequencePair& p) const {
    const nn::Scope scope(*this);
    return transformer(embed(p.source, p.source_positions), embed(p.target, p.target_positions), p);
  }
  nn::DecoderCache start(const Tensor& source) const {
    const nn::Scope scope(*this);
    const Tensor x = embed(source, nn::positions(source.size(1)));
    return {.source = source,
            .memory = transformer.encoder(x, nn::Mask::padding(source, config.pad))};
  }
  Tensor step(const Tensor& token, nn::DecoderCache& cache) const {
    const nn::Scope scope(*this);
    const Tensor x = embed(token.unsqueeze(1), cache.next_position());
    return transformer
        .decoder(x, cache.memory, nn::Mask(), nn::Mask::padding(cache.source, config.pad), &cache)
        .select(1, 0);
  }
  SLOPE_MODULE(Model, tokens, places, transformer)
};

Model small_model() {
  manual_seed(3);
  Model model(SmallConfig{});
  nn::to(model, f64);
  return model;
}

double difference(const Tensor& a, const Tensor& b) {
  double most = 0;
  for (const double x : (a.detach() - b.detach()).to_vector()) most = std::max(most, std::abs(x));
  return most;
}

const Tensor source = tensor({{4, 5, 6, 7}, {8, 9, 0, 0}, {4, 0, 0, 0}}),
             target = tensor({{2, 5, 3, 0, 0}, {2, 9, 8, 7, 3}, {2, 3, 0, 0, 0}});

}  // namespace

TEST_CASE("packed pair: tokens, positions and what follows, without padding") {
  const nn::PackedPair p(source, target, 0);
  using Values = std::vector<double>;
  CHECK(p.source.to_vector() == Values{4, 5, 6, 7, 8, 9, 4});
  CHECK(p.source_positions.to_vector() == Values{0, 1, 2, 3, 0, 1, 0});
  CHECK(p.target.to_vector() == Values{2, 5, 2, 9, 8, 7, 2});
  CHECK(p.target_positions.to_vector() == Values{0, 1, 0, 1, 2, 3, 0});
  CHECK(p.next.to_vector() == Values{5, 3, 9, 8, 7, 3, 3});
  CHECK(nn::longest(p.source_positions) == 4);
  CHECK(nn::longest(nn::positions(0)) == 0);
  CHECK(nn::positions(3, 5).to_vector() == Values{5, 6, 7});

  // one forward for both forms: the features of a token are the same
  const Model model = small_model();
  const Tensor packed = model.features(p),
               padded = model.features(nn::padded_pair(source, target.narrow(1, 0, 4), 0));
  CHECK(packed.shape() == Dims{1, 7, 8});
  CHECK(difference(packed[0].narrow(0, 0, 2), padded[0].narrow(0, 0, 2)) < 1e-13);
  CHECK(difference(packed[0].narrow(0, 2, 4), padded[1]) < 1e-13);
  CHECK(difference(packed[0].narrow(0, 6, 1), padded[2].narrow(0, 0, 1)) < 1e-13);
}

TEST_CASE(
    "packed pair: a batch with padding amid a sentence, or whose attention is captured, "
    "stays as it is") {
  const auto is_padded = [](const nn::PackedPair& p) {
    return p.target.shape() == Dims{3, 4} && p.source.shape() == Dims{3, 4} &&
           p.next.to_vector() == target.narrow(1, 1, 4).to_vector();
  };
  CHECK(!is_padded({source, target, 0}));
  CHECK(is_padded({tensor({{4, 0, 6, 7}, {8, 9, 0, 0}, {4, 0, 0, 0}}), target, 0}));
  const nn::CaptureAttention capture("decoder.layers.1.cross");
  CHECK(is_padded({source, target, 0}));
}

TEST_CASE("cached decoding: the same modules see the same values as in training") {
  const Model model = small_model();
  const Tensor given = target.narrow(1, 0, 2);  // without padding
  std::map<std::string, std::vector<Tensor>> seen;
  for (const auto& [name, module] : nn::named_modules(model))
    if (module.state() && !name.empty())
      nn::register_forward_hook(module, [&seen, name = name](const Tensors&, const Tensor& y) {
        seen[name].push_back(y.detach());
        return Tensor();
      });
  (void)model.features(nn::padded_pair(source, given, 0));
  auto whole = std::exchange(seen, {});

  auto cache = model.start(source);
  for (int64_t t = 0; t < 2; ++t) (void)model.step(given.select(1, t), cache);
  CHECK(cache.length == 2);
  for (const auto& [name, outputs] : whole) {
    // all modules but the two that transformer(…) replaces
    if (name == "transformer" || name.starts_with("tokens") || name.starts_with("places")) continue;
    INFO(name);
    const bool once = name.starts_with("transformer.encoder") || name.ends_with("cross.key") ||
                      name.ends_with("cross.value");
    REQUIRE(seen[name].size() == (once ? 1 : 2));
    const Tensor all = once ? seen[name][0] : cat(seen[name], 1);
    REQUIRE(all.shape() == outputs[0].shape());
    CHECK(difference(all, outputs[0]) < 1e-13);
  }
}

TEST_CASE("cached decoding: sentences are dropped, repeated and reordered") {
  const Model model = small_model();
  const NoGrad no_grad;
  auto cache = model.start(source);
  (void)model.step(tensor({2, 2, 2}), cache);
  const Tensor rows = tensor({1, 2, 1, 0});
  cache.select(rows);
  const Tensor y = model.step(tensor({9, 3, 9, 5}), cache),
               whole = model.features(nn::padded_pair(index_select(source, 0, rows),
                                                      tensor({{2, 9}, {2, 3}, {2, 9}, {2, 5}}), 0));
  CHECK(difference(y, whole.select(1, 1)) < 1e-13);
}

TEST_CASE("init: make gives the weights of a model that is drawn, then drawn by its own rules") {
  manual_seed(11);
  const auto once = nn::init::make<Model>({});
  manual_seed(11);
  Model twice(SmallConfig{});
  twice.init_weights();
  CHECK(once.tokens.weight.to_vector() == twice.tokens.weight.to_vector());
  const auto& [a, b] = std::pair(nn::parameters(once), nn::parameters(twice));
  REQUIRE(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i].rank() < 2) CHECK(a[i].to_vector() == b[i].to_vector());
}
