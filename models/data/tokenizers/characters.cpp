#include <slope/models/data/text/unicode.h>
#include <slope/models/data/text/utf8.h>
#include <slope/models/data/tokenizers/characters.h>

#include <algorithm>

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

bool CharacterTokenizer::has_all(std::u32string_view characters) const {
  return std::all_of(characters.begin(), characters.end(), [&](char32_t c) {
    return vocab_.contains(encode_utf8({&c, 1}));
  });
}

Ids CharacterTokenizer::encode(std::string_view text) const {
  return vocab_.encode_characters(composed(text, lowercase_));
}

bool CharacterTokenizer::knows(std::string_view character) const {
  if (has_unk_) return true;
  // "İ" becomes two characters in lower case; "Σ" one of two, depending on its neighbours
  if (lowercase_ && character == "\u03A3") return has_all(U"\u03C3\u03C2");
  return has_all(decode_utf8(composed(character, lowercase_)));
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
  for (const char32_t c : decode_utf8(composed(line, lowercase_)))
    characters.push_back(encode_utf8({&c, 1}));
  return characters;
}

}  // namespace slope::data
