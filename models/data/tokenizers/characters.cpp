#include <slope/models/data/text/unicode.h>
#include <slope/models/data/text/utf8.h>
#include <slope/models/data/tokenizers/characters.h>

namespace slope::data {

TokenizerPtr CharacterTokenizer::from(const std::vector<const std::vector<std::string>*>& texts,
                                      const TokenizerOptions& options) {
  Counts counts;
  for (const auto* lines : texts)
    for (const std::string& line : *lines)
      for (const auto& [c, n] : count_characters(composed(line, options.lowercase))) counts[c] += n;
  return std::make_shared<CharacterTokenizer>(Vocab::from_counts(counts, options.specials),
                                              options.lowercase);
}

TokenizerPtr CharacterTokenizer::read(const std::string& stem, const TokenizerOptions& options) {
  return std::make_shared<CharacterTokenizer>(Vocab::load(stem + ".vocab", options.specials),
                                              options.lowercase);
}

Ids CharacterTokenizer::encode(std::string_view text) const {
  return vocab_.encode_characters(prepared(text));
}

std::string CharacterTokenizer::prepared(std::string_view text) const {
  return composed(text, lowercase_);
}

bool CharacterTokenizer::knows(std::string_view character) const {
  return has_unk_ || vocab_.contains(std::string(character));
}

std::string CharacterTokenizer::decode(std::span<const int64_t> ids,
                                       const Tokens& for_unknown) const {
  std::string text;
  auto next = for_unknown.begin();
  for (int64_t id : ids)
    text += has_unk_ && id == unk_id && next != for_unknown.end() ? *next++ : vocab_.token(id);
  return text;
}

Tokens CharacterTokenizer::tokens(std::string_view line) const {
  Tokens characters;
  for (const char32_t c : decode_utf8(prepared(line))) characters.push_back(encode_utf8({&c, 1}));
  return characters;
}

}  // namespace slope::data
