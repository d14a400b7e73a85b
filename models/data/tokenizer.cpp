#include <slope/core/error.h>
#include <slope/core/files/crc32c.h>
#include <slope/core/files/file_reader.h>
#include <slope/models/data/text/unicode.h>
#include <slope/models/data/tokenizer.h>
#include <slope/models/data/tokenizers/characters.h>
#include <slope/models/data/tokenizers/subword_training.h>
#include <slope/models/data/tokenizers/subwords.h>
#include <slope/models/data/tokenizers/words.h>

namespace slope::data {

std::string Tokenizer::prepared(std::string_view text) const { return nfc(text); }

std::vector<Ids> Tokenizer::encode_lines(const std::vector<std::string>& lines) const {
  std::vector<Ids> all;
  all.reserve(lines.size());
  for (const std::string& line : lines) all.push_back(encode(line));
  return all;
}

Ids Tokenizer::sample(std::string_view, double, const RandomSite&) const {
  throw UsageError("subword_dropout: only the subwords of BPE can be cut in several ways");
}

Tokens Tokenizer::words(std::span<const int64_t> ids) const { return split_words(decode(ids)); }

Tokens Tokenizer::tokens(std::string_view line) const {
  Tokens tokens;
  for (int64_t id : encode(line)) tokens.push_back(token(id));
  return tokens;
}

Ids as_sentence(Ids ids) {
  ids.insert(ids.begin(), sos_id);
  ids.push_back(eos_id);
  return ids;
}

Ids encode_sentence(std::string_view line, const Tokenizer& tokenizer) {
  return as_sentence(tokenizer.encode(line));
}

std::string fingerprint(const std::vector<const Tokenizer*>& tokenizers) {
  uint32_t crc = 0;
  for (const Tokenizer* tokenizer : tokenizers)
    for (const Tokenizer::File& file : tokenizer->files()) crc = crc32c(file.bytes, crc);
  return fmt::format("{:08x}", crc);
}

TokenizerPtr make_tokenizer(const TokenizerOptions& options,
                            const std::vector<const std::vector<std::string>*>& texts) {
  if (options.kind == "words") return WordTokenizer::from(texts, options);
  if (options.kind == "characters") return CharacterTokenizer::from(texts, options);
  const std::string& file = options.model_file;
  return std::make_shared<SubwordTokenizer>(
      file.empty() ? train_subwords(texts, options) : read_file(file),
      file.empty() ? "the trained subwords" : file, options.lowercase);
}

TokenizerPtr read_tokenizer(const TokenizerOptions& options, const std::string& stem) {
  if (options.kind == "words") return WordTokenizer::read(stem, options);
  if (options.kind == "characters") return CharacterTokenizer::read(stem, options);
  const std::string file = stem + ".model";
  return std::make_shared<SubwordTokenizer>(read_file(file), file, options.lowercase);
}

}  // namespace slope::data
