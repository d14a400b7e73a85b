#include <slope/core/files/file_reader.h>
#include <slope/core/files/system_call.h>
#include <slope/models/data/text/unicode.h>
#include <slope/models/data/tokenizers/lines.h>
#include <slope/models/data/tokenizers/words.h>

namespace slope::data {

namespace {
constexpr const char* spacing_file = ".spacing";
// from which blanks are learned: of Multi30k's 29,000 lines in 0.4 s; rare marks need them all
constexpr size_t most_lines = 50'000;
}  // namespace

TokenizerPtr WordTokenizer::from(const std::vector<const std::vector<std::string>*>& texts,
                                 const TokenizerOptions& options) {
  const WordOptions words{.lowercase = options.lowercase};
  Counts counts;
  std::vector<SpacedTokens> lines;  // the first ones
  for (const auto* text : texts)
    for (const std::string& line : *text)
      for_each_line(
          line,
          [&](std::string_view part) {
            SpacedTokens spaced = split_words_and_blanks(part, words);
            for (const std::string& word : spaced.tokens) ++counts[word];
            if (lines.size() < most_lines) lines.push_back(std::move(spaced));
          },
          [&] { ++counts["\n"]; });
  const auto line_break = counts.find("\n");  // however rare, it separates lines and documents
  const bool has_breaks = line_break != counts.end();
  if (has_breaks) line_break->second = std::max(line_break->second, options.min_freq);
  Vocab vocab = Vocab::from_counts(counts, Specials::sentence, options.min_freq);
  SLOPE_CHECK_AS(InputError, counts.empty() || vocab.size() > eos_id + 1 + has_breaks,
                 "words: none of the text's {} words occurs {} times (min_freq), so all would be "
                 "<unk>; try --min-freq 1 or --tokenizer subwords",
                 counts.size() - has_breaks, options.min_freq);
  return std::make_shared<WordTokenizer>(std::move(vocab), words, Spacing::learned(lines));
}

TokenizerPtr WordTokenizer::read(const std::string& stem, const TokenizerOptions& options) {
  const std::string file = stem + spacing_file;
  return std::make_shared<WordTokenizer>(
      Vocab::load(stem + ".vocab", Specials::sentence), WordOptions{.lowercase = options.lowercase},
      sys::kind_followed(file) == sys::Kind::nothing ? Spacing()
                                                     : Spacing::parsed(read_file(file), file));
}

std::vector<Tokenizer::File> WordTokenizer::files() const {
  std::vector<File> files = {{".vocab", vocab_.text()}};
  if (spacing_.size() > 0) files.push_back({spacing_file, spacing_.text()});
  return files;
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

std::string WordTokenizer::decode(std::span<const int64_t> ids, const Tokens& for_unknown) const {
  std::string text;
  Tokens line;
  auto next = for_unknown.begin();
  for (int64_t id : ids) {
    if (id == unk_id && next != for_unknown.end()) {
      line.push_back(*next++);
    } else if (const std::string& word = vocab_.token(id); word != "\n") {
      line.push_back(word);
    } else {
      text += spacing_.join(line) + "\n";
      line.clear();
    }
  }
  return text + spacing_.join(line);
}

Tokens WordTokenizer::words(std::span<const int64_t> ids) const {
  Tokens words;
  for (int64_t id : ids)
    words.push_back(options_.lowercase ? vocab_.token(id) : lower(vocab_.token(id)));
  return words;
}

}  // namespace slope::data
