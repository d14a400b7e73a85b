#include <slope/models/data/detokenize.h>
#include <slope/models/infer/translate.h>

#include <algorithm>

namespace slope::train {

int64_t longest_target(const Translator& translator, const DecodeOptions& options) {
  const int64_t positions = translator.model->positions();
  return options.max_length == 0 ? positions : std::min(options.max_length, positions);
}

std::vector<Sentence> translate_sentences(const Translator& translator,
                                          const std::vector<Sentence>& sources,
                                          const DecodeOptions& options) {
  const nn::EvalMode eval;
  DecodeOptions fitting = options;
  fitting.max_length = longest_target(translator, options);
  return decode(translator.model->decoding(options.cached), sources, fitting);
}

std::vector<data::Tokens> translate_tokens(const Translator& translator,
                                           const std::vector<std::string>& lines,
                                           const DecodeOptions& options) {
  const int64_t positions = translator.model->positions();
  std::vector<Sentence> sources;
  std::vector<size_t> number;  // of each source's line
  for (size_t i = 0; i < lines.size(); ++i) {
    Sentence source = data::encode_sentence(lines[i], translator.source);
    const auto length = static_cast<int64_t>(source.size());
    SLOPE_CHECK_INPUT(length <= positions,
                      "line {}: {} tokens with <sos> and <eos> are more than the model's {} "
                      "positions (max_len); shorten or split it",
                      i + 1, length, positions);
    if (length > 2) sources.push_back(std::move(source)), number.push_back(i);
  }
  const std::vector<Sentence> found = translate_sentences(translator, sources, options);
  std::vector<data::Tokens> translations(lines.size());
  for (size_t i = 0; i < found.size(); ++i)
    translations[number[i]] = translator.target.decode(found[i]);
  return translations;
}

std::vector<std::string> translate_lines(const Translator& translator,
                                         const std::vector<std::string>& lines,
                                         const DecodeOptions& options) {
  std::vector<std::string> translations;
  for (const data::Tokens& tokens : translate_tokens(translator, lines, options))
    translations.push_back(data::detokenize(tokens));
  return translations;
}

}  // namespace slope::train
