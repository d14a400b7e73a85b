#include <slope/core/text/visible.h>
#include <slope/models/data/text/unicode.h>
#include <slope/models/data/text/utf8.h>
#include <slope/models/infer/copy_unknown.h>
#include <slope/models/infer/translate.h>

#include <algorithm>
#include <limits>

namespace slope::train {

int64_t longest_target(const Translator& translator, const DecodeOptions& options) {
  const int64_t positions = translator.model->positions();
  return options.max_length == 0 ? positions : std::min(options.max_length, positions);
}

static DecodeOptions fitting(const Translator& translator, const DecodeOptions& options) {
  DecodeOptions result = options;
  result.max_length = longest_target(translator, options);
  return result;
}

std::vector<Sentence> translate_sentences(const Translator& translator,
                                          const std::vector<Sentence>& sources,
                                          const DecodeOptions& options) {
  const nn::EvalMode eval;
  return decode(translator.model->decoding(options.cached), sources, fitting(translator, options));
}

LongLines long_lines(const std::string& name) {
  if (name == "crop") return LongLines::crop;
  if (name == "skip") return LongLines::skip;
  SLOPE_CHECK_AS(UsageError, name == "refuse", "--long-lines {}: choose refuse, crop or skip",
                 quoted_if_empty(name));
  return LongLines::refuse;
}

Sentence fitting_source(const Translator& translator, const std::string& line,
                        const LineOptions& options, const std::string& place) {
  if (data::is_blank(line)) return {data::sos_id, data::eos_id};
  Sentence source = data::encode_sentence(line, *translator.source);
  const int64_t positions = translator.model->positions();
  const auto length = static_cast<int64_t>(source.size());
  if (length <= positions) return source;
  SLOPE_CHECK_INPUT(
      options.long_lines != LongLines::refuse,
      "{}: {} tokens with <sos> and <eos> are more than the model's {} positions "
      "(max_len); shorten or split it, or give --long-lines crop or --long-lines skip",
      place, length, positions);
  if (options.on_long_line) options.on_long_line();
  const int64_t words =
      options.long_lines == LongLines::crop ? std::max<int64_t>(0, positions - 2) : 0;
  source.erase(source.begin() + 1 + words, source.end() - 1);
  return source;
}

namespace {

std::vector<Sentence> sources_of(const Translator& translator, std::span<const std::string> lines,
                                 const LineOptions& options) {
  std::vector<Sentence> sources;
  for (size_t i = 0; i < lines.size(); ++i)
    sources.push_back(fitting_source(translator, lines[i], options,
                                     fmt::format("line {}", options.lines_before + i + 1)));
  return sources;
}

// given[i]: the source of lines[i]; without a word it is not translated
std::vector<Translations> translate_sources(const Translator& translator,
                                            std::span<const std::string> lines,
                                            std::span<const Sentence> given,
                                            const DecodeOptions& options) {
  if (options.unk == Unknown::copy) check_attends(translator);
  std::vector<Sentence> sources;
  std::vector<size_t> number;  // of each source's line
  for (size_t i = 0; i < lines.size(); ++i)
    if (given[i].size() > 2) sources.push_back(given[i]), number.push_back(i);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<Translations> all(lines.size(),
                                Translations{Translation{.log_p = nan, .score = nan}});
  const nn::EvalMode eval;
  const auto found = decode_n_best(translator.model->decoding(options.cached), sources,
                                   fitting(translator, options));
  for (size_t i = 0; i < found.size(); ++i) {
    Translations& best = all[number[i]];
    best.clear();
    for (const Hypothesis& h : found[i]) {
      const data::Tokens copied =
          options.unk == Unknown::copy
              ? words_for_unknown(translator, lines[number[i]], sources[i], h.tokens)
              : data::Tokens{};
      std::string text = translator.target->decode(h.tokens, copied);
      std::replace(text.begin(), text.end(), '\n', ' ');  // one line for each line
      const bool is_new = std::none_of(best.begin(), best.end(),
                                       [&](const Translation& t) { return t.text == text; });
      if (is_new) best.push_back({h.tokens, text, h.log_p, h.score});
    }
  }
  return all;
}

}  // namespace

std::vector<Translations> translate(const Translator& translator,
                                    const std::vector<std::string>& lines,
                                    const DecodeOptions& options, const LineOptions& line_options) {
  return translate_sources(translator, lines, sources_of(translator, lines, line_options), options);
}

void translate_in_parts(const Translator& translator, std::span<const std::string> lines,
                        const DecodeOptions& options, const LineOptions& line_options,
                        const std::function<void(size_t line, const Translations& best)>& give) {
  const std::vector<Sentence> sources = sources_of(translator, lines, line_options);
  const size_t most = std::max<size_t>(1024, 16 * static_cast<size_t>(options.batch_size));
  for (size_t begin = 0; begin < lines.size(); begin += most) {
    const size_t n = std::min(most, lines.size() - begin);
    const auto all = translate_sources(translator, lines.subspan(begin, n),
                                       std::span(sources).subspan(begin, n), options);
    for (size_t i = 0; i < all.size(); ++i) give(begin + i, all[i]);
  }
}

// The first word or character of `text` that the tokenizer can only write as <unk>; "" if none is.
static std::string first_unknown(const std::string& text, const data::Tokenizer& tokenizer) {
  const auto has_unknown = [](const Sentence& ids) {
    return std::find(ids.begin(), ids.end(), data::unk_id) != ids.end();
  };
  const Sentence ids = tokenizer.encode(text);
  if (!has_unknown(ids)) return "";
  const data::Tokens tokens = tokenizer.tokens(text);
  for (size_t i = 0; i < ids.size(); ++i)  // words appear as written, even unknown ones
    if (ids[i] == data::unk_id && tokens[i] != tokenizer.token(data::unk_id)) return tokens[i];
  for (const char32_t c : data::decode_utf8(text))
    if (const std::string one = data::encode_utf8({&c, 1}); has_unknown(tokenizer.encode(one)))
      return one;
  return text;
}

Sentence forced_prefix(const Translator& translator, const std::string& text) {
  SLOPE_CHECK_AS(UsageError, !data::find_utf8_error(text), "--prefix: is not valid UTF-8");
  SLOPE_CHECK_AS(UsageError, text.find_first_of("\r\n") == text.npos,
                 "--prefix: begins a line, so it cannot hold a line break");
  Sentence prefix = translator.target->encode(text);
  const int64_t positions = translator.model->positions();
  SLOPE_CHECK_AS(UsageError, static_cast<int64_t>(prefix.size()) < positions,
                 "--prefix: has {} tokens, a prefix has at most {} (max_len); shorten it",
                 prefix.size(), positions - 1);
  const std::string unknown = first_unknown(text, *translator.target);
  SLOPE_CHECK_AS(UsageError, unknown.empty(),
                 "--prefix: '{}' is not among the {} tokens that the model can write; choose other "
                 "words",
                 visible(unknown), translator.target->size());
  return prefix;
}

std::vector<data::Ids> translate_ids(const Translator& translator,
                                     const std::vector<std::string>& lines,
                                     const DecodeOptions& options,
                                     const LineOptions& line_options) {
  std::vector<data::Ids> best;
  for (Translations& all : translate(translator, lines, options, line_options))
    best.push_back(std::move(all[0].ids));
  return best;
}

std::vector<std::string> translate_lines(const Translator& translator,
                                         const std::vector<std::string>& lines,
                                         const DecodeOptions& options,
                                         const LineOptions& line_options) {
  std::vector<std::string> best;
  for (Translations& all : translate(translator, lines, options, line_options))
    best.push_back(std::move(all[0].text));
  return best;
}

}  // namespace slope::train
