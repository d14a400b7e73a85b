#include <slope/models/data/text/unicode.h>
#include <slope/models/data/text/utf8.h>
#include <slope/models/data/tokenizers/characters.h>

#include <algorithm>

namespace slope::data {

CharacterTokenizer::CharacterTokenizer(Vocab vocab, bool lowercase)
    : vocab_(std::move(vocab)), lowercase_(lowercase) {
  for (int64_t id = 0; id < vocab_.size(); ++id)
    if (const std::u32string token = decode_utf8(vocab_.token(id)); token.size() == 1)
      if (std::u32string parts = decomposed(token[0]); parts != token)
        spellings_.emplace(std::move(parts), vocab_.token(id));
}

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

// A composed character that the vocabulary has only in another form is written in that form.
std::string CharacterTokenizer::spelled(char32_t c) const {
  const std::string character = encode_utf8({&c, 1});
  if (vocab_.contains(character)) return character;
  const std::u32string parts = decomposed(c);
  if (const auto found = spellings_.find(parts); found != spellings_.end()) return found->second;
  return has_all(parts) ? encode_utf8(parts) : character;
}

std::string CharacterTokenizer::spelled(std::string_view text) const {
  std::unordered_map<char32_t, std::string> known;
  std::string result;
  for (const char32_t c : decode_utf8(composed(text, lowercase_))) {
    const auto [at, is_new] = known.try_emplace(c);
    if (is_new) at->second = spelled(c);
    result += at->second;
  }
  return result;
}

bool CharacterTokenizer::has_all(std::u32string_view characters) const {
  return std::all_of(characters.begin(), characters.end(), [&](char32_t c) {
    return vocab_.contains(encode_utf8({&c, 1}));
  });
}

Ids CharacterTokenizer::encode(std::string_view text) const {
  return vocab_.encode_characters(spelled(text));
}

bool CharacterTokenizer::knows(std::string_view character) const {
  if (has_unk_) return true;
  // in lower case "Σ" is one of two, depending on its neighbours
  if (lowercase_ && character == "\u03A3") return has_all(U"\u03C3\u03C2");
  return has_all(decode_utf8(spelled(character)));
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
  for (const char32_t c : decode_utf8(spelled(line))) characters.push_back(encode_utf8({&c, 1}));
  return characters;
}

}  // namespace slope::data
