// Greedy decoding with the cache, through what `slope translate` calls, by a model of the shape of
// case a that cannot end a sentence early.
#include <slope/autograd/grad_mode.h>
#include <slope/core/memory/memory.h>
#include <slope/models/infer/translate.h>
#include <slope/tools/bench/case.h>
#include <slope/tools/bench/flops.h>
#include <slope/tools/bench/traffic.h>

namespace slope::tools {

namespace {

constexpr int64_t source_vocab = 8000, target_vocab = 6000, source_tokens = 24, new_tokens = 64;

class GreedyDecoding : public Workload {
 public:
  explicit GreedyDecoding(int64_t sentences) : translator_(untrained()) {
    const NoGrad no_grad;
    nn::or_none(translator_.model.fc.bias).write<float>()[data::eos_id] = -1e9F;
    memory::release_cached();  // as load_translator() does
    const Tensor words = randint(data::eos_id + 1, source_vocab, {sentences, source_tokens});
    for (int64_t b = 0; b < sentences; ++b)
      sources_.emplace_back(words.data<int64_t>() + b * source_tokens,
                            words.data<int64_t>() + (b + 1) * source_tokens);
  }
  Done run(int64_t steps) override {
    Done done;
    for (int64_t i = 0; i < steps; ++i)
      for (const train::Sentence& s :
           train::translate_sentences(translator_, sources_, {.max_length = new_tokens}))
        done.tokens += static_cast<int64_t>(s.size());
    const auto B = static_cast<int64_t>(sources_.size());
    SLOPE_CHECK_INPUT(done.tokens == steps * B * new_tokens,
                      "bench: {} tokens were written, {} were due", done.tokens,
                      steps * B * new_tokens);
    done.flops = static_cast<double>(steps) *
                 flops::cached_decoding(translator_.model.config, B, source_tokens, new_tokens);
    done.bytes = static_cast<double>(steps) * traffic::decoding(decoder_weights(), new_tokens);
    return done;
  }
  int64_t parameters() const override { return nn::count_parameters(translator_.model); }

 private:
  static train::Translator untrained() {
    manual_seed(1);
    return {{}, {}, {}, train::make_model({}, source_vocab, target_vocab)};
  }
  int64_t decoder_weights() const {
    return nn::count_parameters(translator_.model.transformer.decoder) +
           nn::count_parameters(translator_.model.fc);
  }
  train::Translator translator_;
  std::vector<train::Sentence> sources_;
};

}  // namespace

std::vector<BenchCase> decoding_cases() {
  return {{"decode1", "greedy decoding with cache, model a, 24 tokens to 64, one sentence",
           [] { return std::make_unique<GreedyDecoding>(1); }},
          {"decode64", "the same for 64 sentences at once",
           [] { return std::make_unique<GreedyDecoding>(64); }}};
}

}  // namespace slope::tools
