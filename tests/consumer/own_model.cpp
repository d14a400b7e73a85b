// A program with its own language model and the whole command.
#include <slope/models/kinds/language_model.h>
#include <slope/models/registry.h>
#include <slope/nn/nn.h>
#include <slope/tools/main.h>

using namespace slope;

struct Config {
  int64_t vocab_size = 0;  // from the text
  int64_t block_size = 32, n_embd = 32;
  SLOPE_CONFIG(key(block_size, "characters that the model sees at once", 1, 1 << 16),
               key(n_embd, "channels", 1, 4096))
};

// The next character from the newest one and the mean of all so far.
//
// B batch · T characters · C channels · V vocabulary
struct RunningMean {
  Config config;
  nn::Embedding characters;
  nn::Linear hidden, out;
  explicit RunningMean(const Config& c)
      : config(c), characters(c.vocab_size, c.n_embd), hidden(2 * c.n_embd, c.n_embd),
        out(c.n_embd, c.vocab_size) {}

  Tensor forward(const Tensor& tokens) const {                     // (B, T) i64
    const Tensor x = characters(tokens);                           // (B, T, C)
    const Tensor count = arange(tokens.size(1)).unsqueeze(1) + 1;  // (T, 1)
    const Tensor mean = cumsum(x, 1) / count;                      // (B, T, C)
    return out(tanh(hidden(cat({x, mean}, 2))));                   // (B, T, V)
  }
  SLOPE_MODULE(RunningMean, characters, hidden, out)
};

int main(int argc, char** argv) {
  models::register_model(models::language_model<RunningMean>(
      "running-mean", "newest character and mean of all so far", {.block_size = 6, .n_embd = 4}));
  return tools::command_main(argc, argv);
}
