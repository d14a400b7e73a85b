#include <slope/models/data/text/unicode.h>
#include <slope/models/data/tokenizers/detokenize.h>
#include <slope/models/data/tokenizers/lines.h>
#include <slope/models/data/tokenizers/words.h>

namespace slope::data {

TokenizerPtr WordTokenizer::from(const std::vector<const std::vector<std::string>*>& texts,
                                 const TokenizerOptions& options) {
  const WordOptions words{.lowercase = options.lowercase};
  Counts counts;
  for (const auto* lines : texts)
    for (const std::string& line : *lines)
      for_each_line(
          line,
          [&](std::string_view part) {
            for (auto& word : split_words(part, words)) ++counts[std::move(word)];
          },
          [&] { ++counts["\n"]; });
  return std::make_shared<WordTokenizer>(
      Vocab::from_counts(counts, Specials::sentence, options.min_freq), words);
}

TokenizerPtr WordTokenizer::read(const std::string& stem, const TokenizerOptions& options) {
  return std::make_shared<WordTokenizer>(Vocab::load(stem + ".vocab", Specials::sentence),
                                         WordOptions{.lowercase = options.lowercase});
}

Ids WordTokenizer::encode(std::string_view text) const {
  Ids ids;
  for_each_line(
      text,
      [&](std::string_view line) {
        for (const std::string& word : split_words(line, options_)) ids.push_back(vocab_.id(word));
      },
      [&] {
        if (vocab_.contains("\n")) ids.push_back(vocab_.id("\n"));
      });
  return ids;
}

std::string WordTokenizer::decode(std::span<const int64_t> ids) const {
  std::string text;
  Tokens line;
  for (int64_t id : ids) {
    if (const std::string& word = vocab_.token(id); word != "\n") {
      line.push_back(word);
    } else {
      text += detokenize(line) + "\n";
      line.clear();
    }
  }
  return text + detokenize(line);
}

Tokens WordTokenizer::words(std::span<const int64_t> ids) const {
  Tokens words;
  for (int64_t id : ids)
    words.push_back(options_.lowercase ? vocab_.token(id) : lower(vocab_.token(id)));
  return words;
}

}  // namespace slope::data
