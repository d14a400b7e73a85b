#include <slope/autograd/grad_mode.h>
#include <slope/core/tensor/factories.h>
#include <slope/models/data/text/unicode.h>
#include <slope/models/infer/generate.h>
#include <slope/models/infer/stop_text.h>
#include <slope/models/infer/text_stream.h>

#include <algorithm>

namespace slope::train {

namespace {

data::Ids line_break(const data::Tokenizer& tokenizer) {
  try {
    const data::Ids ids = tokenizer.encode("\n");
    return ids.empty() ? data::Ids{0} : ids;
  } catch (const InputError&) {  // a vocabulary of characters without a newline
    return {0};
  }
}

}  // namespace

std::string generate(const models::LanguageModel& model, const data::Tokenizer& tokenizer,
                     const std::string& prompt, const GenerateOptions& options) {
  SLOPE_CHECK_AS(UsageError, options.tokens >= 0, "generate: tokens must not be negative, got {}",
                 options.tokens);
  check(options.sampling);
  const NoGrad no_grad;
  const nn::EvalMode eval;
  const int64_t block = model.block_size();
  std::vector<int64_t> text;
  try {
    text = tokenizer.encode(prompt);
  } catch (const InputError& e) {
    throw InputError(fmt::format("the prompt: {}", e.what()));
  }
  const data::Ids separators =
      options.separator.empty() ? data::Ids() : tokenizer.encode(options.separator);
  const int64_t separator = separators.empty() ? -1 : separators[0];
  if (separator >= 0) text.insert(text.begin(), separator);
  if (text.empty()) text = line_break(tokenizer);

  TextStream stream(tokenizer, text);
  if (separator >= 0)
    text.erase(text.begin(), std::find(text.rbegin(), text.rend(), separator).base() - 1);
  StopText stop(data::nfc(options.stop));  // as the text is
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
    text.push_back(sample(logits.select(0, 0), options.sampling, i, text));
    written += give(stop.push(stream.push(text.back())));
    if (stop.reached()) return written;
    if (text.back() == separator) {
      text = {separator};
      cache = model.start();
      cached = 0;
    }
  }
  written += give(stop.push(stream.finish()));
  return stop.reached() ? written : written + give(stop.finish());
}

}  // namespace slope::train
