// A model, as CONTRIBUTING.md shows it; all detectors on it, and a few steps of it.
#include <slope/models/config.h>
#include <slope/models/kinds/language_model.h>
#include <slope/models/lint/lint_model.h>
#include <slope/models/registry.h>
#include <slope/nn/nn.h>
#include <slope/optim/elementwise/adam.h>

#include <cmath>
#include <cstdio>

// A neural language model: the next word from the last n.
//   Bengio et al., "A Neural Probabilistic Language Model", JMLR 2003
//
// B batch · T words of text · N words seen · C channels of a word · H hidden · V vocabulary
namespace slope::neural_lm {

struct Config {
  int64_t vocab_size = 0;  // from the data
  int64_t block_size = 64, n_seen = 3, n_embd = 16, n_hidden = 32;
  SLOPE_CONFIG(key(block_size, "words of text in a sequence", 1, 1 << 20),
               key(n_seen, "words that a prediction is made from", 1, 1000),
               key(n_embd, "channels of a word", 1, 1 << 16),
               key(n_hidden, "hidden units", 1, 1 << 16))
};

struct NeuralLm {
  Config config;
  nn::Embedding words;  // row V stands for what was before the text
  nn::Linear hidden, out;
  explicit NeuralLm(const Config& c)
      : config(c), words(c.vocab_size + 1, c.n_embd), hidden(c.n_seen * c.n_embd, c.n_hidden),
        out(c.n_hidden, c.vocab_size) {}

  Tensor features(const Tensor& tokens) const {  // (B, T) i64
    auto [B, T] = tokens.dims<2>();
    const Tensor before = full({B, config.n_seen - 1}, config.vocab_size, i64);
    const Tensor x = words(cat({before, tokens}, 1));  // (B, N-1+T, C)
    Tensors seen;
    for (int64_t n = 0; n < config.n_seen; ++n) seen.push_back(x.narrow(1, n, T));
    return tanh(hidden(cat(seen, 2)));  // (B, T, H)
  }
  Tensor forward(const Tensor& tokens) const { return out(features(tokens)); }  // (B, T, V)

  // The sum over all targets, (B, T): cross entropy, without the logits in memory.
  Tensor loss(const Tensor& tokens, const Tensor& targets, double label_smoothing) const {
    return linear_cross_entropy(features(tokens).reshape({-1, config.n_hidden}), out.weight,
                                nn::or_none(out.bias), targets.reshape({-1}),
                                {.label_smoothing = label_smoothing, .reduction = Reduction::sum});
  }
  SLOPE_MODULE(NeuralLm, words, hidden, out)
};

}  // namespace slope::neural_lm

int main() {
  using namespace slope;
  models::register_model(models::language_model<neural_lm::NeuralLm>(
      "neural-lm", "the next word from the last n, as Bengio et al. published it",
      {.block_size = 6, .n_seen = 2, .n_embd = 4, .n_hidden = 6}));
  const auto report = train::lint_model(models::model_named("neural-lm"));
  std::printf("%s\n", report.text().c_str());

  manual_seed(1);
  neural_lm::NeuralLm model({.vocab_size = 10});
  optim::Adam adam(nn::named_parameters(model), {.lr = 0.01});
  const Tensor text = randint(0, 10, {4, 9});
  const Tensor tokens = text.narrow(1, 0, 8), next = text.narrow(1, 1, 8);
  const double first = model.loss(tokens, next, 0).item() / 32;
  double last = first;
  for (int step = 0; step < 100; ++step) {
    const Tensor loss = model.loss(tokens, next, 0) / 32;
    adam.zero_grad();
    loss.backward();
    adam.step();
    last = loss.item();
  }
  std::printf("loss %.2f (ln 10 = %.2f), after 100 steps %.2f\n", first, std::log(10.0), last);
  return report.ok() && std::abs(first - std::log(10.0)) < 0.5 && last < 0.5 * first ? 0 : 1;
}
