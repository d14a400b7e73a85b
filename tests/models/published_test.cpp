// What the texts that the encoder-decoders come from promise: parts that can be called separately,
// parameter counts, translate's shapes and stopping, maps of every attention.
#include <doctest/doctest.h>
#include <slope/autograd/grad_mode.h>
#include <slope/models/char_gpt.h>
#include <slope/models/infer/search/decode.h>
#include <slope/models/microgpt.h>
#include <slope/models/nn_transformer.h>
#include <slope/models/postnorm_gelu.h>
#include <slope/models/prenorm.h>
#include <slope/models/scalar_norm.h>
#include <slope/nn/module/capture.h>

#include "each_model.h"
#include "zoo.h"

using namespace slope;
using namespace slope::test;

TEST_CASE("published: parameter counts of the texts") {
  CHECK(nn::count_parameters(microgpt::MicroGpt({.vocab_size = 27})) == 4192);
  const prenorm::Transformer a({.source_vocab = 9, .target_vocab = 9});
  CHECK(nn::count_parameters(a.encoder) + nn::count_parameters(a.decoder) == 44'103'680);
  CHECK(nn::count_parameters(a.encoder.layers[0]) == 3'150'336);
  CHECK(nn::count_parameters(a.decoder.layers[0]) == 4'199'936);
  const scalar_norm::Transformer d({.source_vocab = 9, .target_vocab = 9});
  CHECK(nn::count_parameters(d.encoder) + nn::count_parameters(d.decoder) == 44'107'840);
  const postnorm_gelu::Transformer b({.source_vocab = 9, .target_vocab = 9});
  CHECK(nn::count_parameters(b.encoder.encoder_layers[0]) == 788'736);
  CHECK(nn::count_parameters(b.decoder.decoder_layer[0]) == 1'051'392);
}

TEST_CASE("published: initial values: a table that is also the projection, biases") {
  manual_seed(4);
  const double xavier = std::sqrt(6.0 / (300 + 8));  // the bound of a (300, 8) matrix
  const auto tables = [](bool tied, bool shared) {
    const auto m = nn::init::make<scalar_norm::Transformer>({.source_vocab = 300,
                                                             .target_vocab = 300,
                                                             .shared_vocab = shared,
                                                             .d_model = 8,
                                                             .n_heads = 2,
                                                             .n_encoder_layers = 1,
                                                             .n_decoder_layers = 1,
                                                             .d_feedforward = 12,
                                                             .tie_embeddings = tied});
    return std::pair(largest(m.src_embed.embedding.weight), largest(m.tgt_embed.embedding.weight));
  };
  for (const bool shared : {false, true}) {
    const auto [source, target] = tables(false, shared);
    CHECK(source > 2);  // normal
    CHECK(target > 2);
    const auto [tied_source, projection] = tables(true, shared);
    CHECK((tied_source > 2) == !shared);
    CHECK(projection < 1.0001 * xavier);
    CHECK(projection > 0.9 * xavier);
  }
  const auto gpt = nn::init::make<char_gpt::CharGpt>({.vocab_size = 9, .n_layer = 1, .bias = true});
  int64_t biases = 0;
  for (const auto& [name, p] : nn::named_parameters(gpt))
    if (name.ends_with("bias")) {
      ++biases;
      CHECK_MESSAGE(largest(p) == 0, name);
    }
  CHECK(biases == 7);  // four linear layers and three norms
}

TEST_CASE("published: encode, decode and project give the whole; log-probabilities where they do") {
  const Tensor source = sentences({7, 4}, 7, 31), target = sentences({3, 8}, 8, 37);
  const auto check = [&](auto model, bool log_probabilities) {
    nn::to(model, f64);
    const Tensor whole = model(source, target);
    const Tensor memory = model.encode(source);
    CHECK(memory.shape() == Dims{2, 7, 8});
    CHECK(same_bits(model.project(model.decode(memory, source, target)), whole));
    const double off = largest(logsumexp(whole, {-1}));
    CHECK((off < 1e-12) == log_probabilities);
  };
  const auto small = [&]<class M>() {
    manual_seed(4);
    return M({.source_vocab = 31,
              .target_vocab = 37,
              .d_model = 8,
              .n_heads = 2,
              .n_encoder_layers = 1,
              .n_decoder_layers = 1,
              .d_feedforward = 12,
              .dropout = 0,
              .max_len = 10});
  };
  check(small.operator()<prenorm::Transformer>(), false);
  check(small.operator()<scalar_norm::Transformer>(), true);
  check(small.operator()<postnorm_gelu::Transformer>(), false);
  check(small.operator()<nn_transformer::TransformerModel>(), false);
}

// translate(src, start, end, max_len) of the slides: the whole model at each step, its most likely
// token appended to every sentence, until all have ended. Lengths count the tokens before <eos>.
TEST_CASE("published: translate's tokens, lengths and stopping are those of decode") {
  constexpr int64_t start = 2, end = 3, max_len = 9;
  const Tensor source = sentences({7, 4, 1, 6}, 7, 31);
  std::vector<train::Sentence> sources;
  const std::vector<int64_t> unpadded{7, 4, 1, 6};
  for (int64_t b = 0; b < 4; ++b) {
    const auto ids = source[b].narrow(0, 0, unpadded[static_cast<size_t>(b)]).to_vector();
    sources.emplace_back(ids.begin(), ids.end());
  }
  int64_t ended = 0, cut = 0;
  each_translator(0.3, f64, [&](const std::string& name, const models::TranslationModel& model) {
    for (const Tensor& p : nn::parameters(model.module()))
      if (p.shape() == Dims{37}) {  // the output's bias: <eos> now and then, not always
        const NoGrad no_grad;
        nn::init::constant(p.detach().narrow(0, end, 1), 0.9);
      }
    const NoGrad no_grad;
    const nn::EvalMode eval;
    Tensor written = full({4, 1}, start, i64);
    std::vector<int64_t> lengths(4, max_len);
    for (int64_t t = 0; t < max_len; ++t) {
      Tensor last = model.logits(source, written).select(1, -1);  // (B, V)
      last = where(logical_or(arange(37) == 0.0, arange(37) == 2.0), full({}, -1e9, f64), last);
      const Tensor next = argmax(last, -1);
      written = cat({written, next.unsqueeze(1)}, 1);
      for (int64_t b = 0; b < 4; ++b)
        if (next[b].item() == end && lengths[static_cast<size_t>(b)] == max_len)
          lengths[static_cast<size_t>(b)] = t;
    }
    const auto found = train::decode(model.decoding(true), sources, {.max_length = max_len});
    for (size_t b = 0; b < 4; ++b) {
      const auto ids = written[static_cast<int64_t>(b)].narrow(0, 1, lengths[b]).to_vector();
      const bool same = found[b] == train::Sentence(ids.begin(), ids.end());
      CHECK_MESSAGE(same, name << ", sentence " << b);
      (lengths[b] == max_len ? cut : ended)++;
    }
  });
  CHECK(ended + cut == 20);
  CHECK(ended > 0);
  CHECK(cut > 0);
}

TEST_CASE("published: every attention of every encoder-decoder is found by its path") {
  const Tensor source = sentences({7, 4}, 7, 31), target = sentences({3, 8}, 8, 37);
  each_translator(0, f64, [&](const std::string& name, const models::TranslationModel& model) {
    const nn::AttentionPaths paths = model.attention_paths();
    const auto check = [&](const std::vector<std::string>& list, int64_t L, int64_t S) {
      CHECK_MESSAGE(list.size() == 2, name);  // layers
      for (const std::string& path : list) {
        const nn::CaptureAttention capture(path);
        static_cast<void>(model.features(source, target));
        const Tensor weights = capture.last(path);
        const Dims shape{2, 2, L, S};
        CHECK_MESSAGE(weights.shape() == shape, name << ", " << path);
        CHECK_MESSAGE(largest(sum(weights, {-1}) - 1) < 1e-12, name << ", " << path);
      }
    };
    check(paths.encoder, 7, 7);
    check(paths.decoder, 8, 8);
    check(paths.cross, 8, 7);
  });
}
