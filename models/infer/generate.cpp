#include <slope/autograd/grad_mode.h>
#include <slope/core/tensor/factories.h>
#include <slope/models/infer/generate.h>
#include <slope/models/infer/text_stream.h>

#include <algorithm>
#include <cmath>

namespace slope::train {

int64_t sample(const Tensor& logits, double temperature, int64_t top_k, uint64_t seed, int64_t i) {
  std::vector<double> x = logits.to_vector();
  SLOPE_CHECK_SHAPE(!x.empty(), "generate: no logits to draw from");
  for (size_t v = 0; v < x.size(); ++v)
    SLOPE_CHECK_AS(NumericError, std::isfinite(x[v]),
                   "generate: the model's logit of token {} is {}", v, x[v]);
  const auto likeliest = std::max_element(x.begin(), x.end());
  const double top = *likeliest;
  if (temperature == 0) return likeliest - x.begin();
  double least = -INFINITY;  // the smallest logit that may be drawn
  if (top_k > 0 && top_k < static_cast<int64_t>(x.size())) {
    std::vector<double> sorted = x;
    std::nth_element(sorted.begin(), sorted.begin() + (top_k - 1), sorted.end(), std::greater<>());
    least = sorted[static_cast<size_t>(top_k - 1)];
  }
  double sum = 0;
  for (double& v : x) sum += v = v < least ? 0 : std::exp((v - top) / temperature);
  const double drawn = uniform_f64({.seed = seed}, i) * sum;
  double before = 0;
  int64_t token = -1;
  for (size_t v = 0; v < x.size(); ++v) {
    if (x[v] == 0) continue;
    token = static_cast<int64_t>(v);  // also taken if rounding leaves `drawn` at the sum
    before += x[v];
    if (drawn < before) break;
  }
  return token;
}

namespace {

data::Ids line_break(const data::Tokenizer& tokenizer) {
  try {
    const data::Ids ids = tokenizer.encode("\n");
    return ids.empty() ? data::Ids{0} : ids;
  } catch (const InputError&) {  // characters without one
    return {0};
  }
}

}  // namespace

std::string generate(const models::LanguageModel& model, const data::Tokenizer& tokenizer,
                     const std::string& prompt, const GenerateOptions& options) {
  SLOPE_CHECK_AS(UsageError, options.tokens >= 0, "generate: tokens must not be negative, got {}",
                 options.tokens);
  SLOPE_CHECK_AS(UsageError, options.temperature >= 0 && std::isfinite(options.temperature),
                 "generate: temperature must be at least 0, got {}", options.temperature);
  SLOPE_CHECK_AS(UsageError, options.top_k >= 0, "generate: top_k must not be negative, got {}",
                 options.top_k);
  const NoGrad no_grad;
  const nn::EvalMode eval;
  const int64_t block = model.block_size();
  std::vector<int64_t> text;
  try {
    text = tokenizer.encode(prompt);
  } catch (const InputError& e) {
    throw InputError(fmt::format("the prompt: {}", e.what()));
  }
  const int64_t separator =
      options.separator.empty() ? -1 : tokenizer.encode(options.separator).at(0);
  if (separator >= 0) text.insert(text.begin(), separator);
  if (text.empty()) text = line_break(tokenizer);

  TextStream stream(tokenizer, text);
  const auto give = [&](const std::string& piece) {
    if (options.on_text && !piece.empty()) options.on_text(piece);
    return piece;
  };
  std::string written;
  if (options.on_start) options.on_start();
  auto cache = model.start();
  int64_t cached = 0;  // tokens of the text in the cache
  for (int64_t i = 0; i < options.tokens; ++i) {
    const auto length = static_cast<int64_t>(text.size());
    if (!options.cached || length > block)
      cache = model.start(), cached = std::max<int64_t>(0, length - block);
    const Tensor newest =
        from_vector(std::vector<int64_t>(text.begin() + cached, text.end()), {1, length - cached});
    const Tensor logits = cache->step(newest);  // (1, V)
    cached = length;
    text.push_back(
        sample(logits.select(0, 0), options.temperature, options.top_k, options.seed, i));
    written += give(stream.push(text.back()));
    if (text.back() == separator) {
      text = {separator};
      cache = model.start();
      cached = 0;
    }
  }
  return written + give(stream.finish());
}

}  // namespace slope::train
