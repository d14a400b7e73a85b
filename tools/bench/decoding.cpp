// Greedy decoding with the cache, through the functions that `slope translate` calls. The model has
// the shape of the case `translation` and cannot end a sentence early.
#include <slope/autograd/grad_mode.h>
#include <slope/core/memory/memory.h>
#include <slope/core/product/autocast.h>
#include <slope/models/infer/translate.h>
#include <slope/nn/layers/round_weights.h>
#include <slope/tools/bench/case.h>
#include <slope/tools/bench/traffic.h>
#include <slope/tools/bench/zoo_case.h>

namespace slope::tools {

namespace {

constexpr int64_t source_vocab = 8000, target_vocab = 6000, source_tokens = 24, new_tokens = 64;

class GreedyDecoding : public Workload {
 public:
  explicit GreedyDecoding(int64_t sentences) : translator_(untrained()) {
    const NoGrad no_grad;
    output_bias().write<float>()[data::eos_id] = -1e9F;
    if (autocast_dtype() == bf16) nn::round_weights(translator_.model->module());
    memory::release_cached();  // as load_translator() does
    const Tensor words = randint(data::eos_id + 1, source_vocab, {sentences, source_tokens});
    for (int64_t b = 0; b < sentences; ++b)
      sources_.emplace_back(words.data<int64_t>() + b * source_tokens,
                            words.data<int64_t>() + (b + 1) * source_tokens);
  }
  Done run(int64_t steps) override {
    const Autocast as_translate(f32);  // translate's --precision only rounds the weights
    Done done;
    for (int64_t i = 0; i < steps; ++i)
      for (const train::Sentence& s :
           train::translate_sentences(translator_, sources_, {.max_length = new_tokens}))
        done.tokens += static_cast<int64_t>(s.size());
    const auto B = static_cast<int64_t>(sources_.size());
    SLOPE_CHECK_INPUT(done.tokens == steps * B * new_tokens,
                      "bench: {} tokens were written, expected {}", done.tokens,
                      steps * B * new_tokens);
    done.flops = static_cast<double>(steps) * translation_model().sizes.cached_decoding(
                                                  B, source_tokens, new_tokens, target_vocab);
    done.bytes = static_cast<double>(steps) * traffic::decoding(decoder_bytes(), new_tokens);
    return done;
  }
  int64_t parameters() const override { return nn::count_parameters(translator_.model->module()); }

 private:
  static train::Translator untrained() {
    manual_seed(1);
    const TranslationCase c = translation_model();
    const train::RunSettings settings = bench_settings(c.model, c.values);
    auto model = dynamic_cast<const models::TranslationType&>(settings.type())
                     .make(settings.config(), {source_vocab, target_vocab}, models::Weights::drawn);
    return {settings, {}, {}, std::move(model)};
  }
  // The last parameter, with one number for each word of the target.
  Tensor output_bias() const {
    const Tensor bias = nn::named_parameters(translator_.model->module()).back().tensor;
    SLOPE_CHECK_SHAPE(bias.shape() == Dims{target_vocab},
                      "bench: the model ends in a tensor of shape {}, not in a bias", bias.shape());
    return bias;
  }
  // What each new token reads: the weights of the decoder and of the projection to words, except
  // those for keys and values of the source, made once for all tokens.
  int64_t decoder_bytes() const {
    int64_t n = 0;
    for (const auto& [name, p] : nn::named_parameters(translator_.model->module())) {
      const auto is_in = [&name = name](const char* part) { return name.find(part) != name.npos; };
      const bool is_once = is_in("mha2.fc_key") || is_in("mha2.fc_value");
      if (!is_in("encoder") && !is_in("embed") && !is_once) n += p.numel() * size_of(p.dtype());
    }
    return n;
  }
  train::Translator translator_;
  std::vector<train::Sentence> sources_;
};

}  // namespace

std::vector<BenchCase> decoding_cases() {
  return {{"decode1",
           "greedy decoding with cache, the model of `translation`, 24 tokens to 64, one sentence",
           [] { return std::make_unique<GreedyDecoding>(1); }},
          {"decode64", "the same for 64 sentences at once",
           [] { return std::make_unique<GreedyDecoding>(64); }}};
}

}  // namespace slope::tools
