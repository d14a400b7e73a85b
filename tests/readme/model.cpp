// A model, as CONTRIBUTING.md shows it, and a few steps of it.
#include <slope/nn/nn.h>
#include <slope/optim/elementwise/adam.h>

#include <cmath>
#include <cstdio>

// A neural language model: the next word from the last n.
//   Bengio et al., "A Neural Probabilistic Language Model", 2003
//
// B batch · N words seen · C channels of a word · V vocabulary
namespace slope::neural_lm {

struct Config {
  int64_t vocab_size, context = 3, n_embd = 16, n_hidden = 32;
};

struct NeuralLm {
  Config config;
  nn::Embedding words;
  nn::Linear hidden, out;
  explicit NeuralLm(const Config& c)
      : config(c), words(c.vocab_size, c.n_embd), hidden(c.context * c.n_embd, c.n_hidden),
        out(c.n_hidden, c.vocab_size) {}

  Tensor features(const Tensor& tokens) const {  // (B, N) i64
    auto [B, N] = tokens.dims<2>();
    SLOPE_CHECK_INPUT(N == config.context, "neural-lm: got {} words, the model reads {}", N,
                      config.context);
    return tanh(hidden(words(tokens).reshape({B, -1})));  // (B, hidden)
  }
  Tensor forward(const Tensor& tokens) const { return out(features(tokens)); }  // (B, V)

  // (B, N), (B): cross entropy, summed
  Tensor loss(const Tensor& tokens, const Tensor& next) const {
    const nn::Scope scope(*this);
    return linear_cross_entropy(features(tokens), out.weight, nn::or_none(out.bias), next,
                                {.reduction = Reduction::sum});
  }
  SLOPE_MODULE(NeuralLm, words, hidden, out)
};

}  // namespace slope::neural_lm

int main() {
  using namespace slope;
  manual_seed(1);
  neural_lm::NeuralLm model({.vocab_size = 10});
  optim::Adam adam(nn::named_parameters(model), {.lr = 0.01});
  const Tensor tokens = randint(0, 10, {20, 3}), next = randint(0, 10, {20});
  const double first = model.loss(tokens, next).item() / 20;
  double last = first;
  for (int step = 0; step < 100; ++step) {
    const Tensor loss = model.loss(tokens, next) / 20;
    adam.zero_grad();
    loss.backward();
    adam.step();
    last = loss.item();
  }
  std::printf("loss %.2f (ln 10 = %.2f), after 100 steps %.2f\n", first, std::log(10.0), last);
  return std::abs(first - std::log(10.0)) < 0.5 && last < 0.5 * first ? 0 : 1;
}
