#include <slope/core/error.h>
#include <slope/core/text/visible.h>
#include <slope/models/data/text/unicode.h>
#include <slope/models/data/text/utf8.h>
#include <slope/models/infer/known_text.h>

namespace slope::train {

UnknownCharacters unknown_characters(const std::string& name) {
  if (name == "skip") return UnknownCharacters::skip;
  SLOPE_CHECK_AS(UsageError, name == "refuse", "--unknown-characters {}: choose refuse or skip",
                 quoted_if_empty(name));
  return UnknownCharacters::refuse;
}

KnownText known_text(const std::string& text, const data::Tokenizer& tokenizer,
                     UnknownCharacters unknown) {
  KnownText known;
  std::unordered_map<char32_t, bool> is_known;
  // a letter and a mark may compose, or one letter become two, only in lower case
  for (const char32_t c : data::decode_utf8(tokenizer.prepared(text))) {
    const auto [found, is_new] = is_known.emplace(c, false);
    if (is_new) found->second = tokenizer.knows(data::encode_utf8({&c, 1}));
    if (found->second) {
      data::append_utf8(known.text, c);
      continue;
    }
    SLOPE_CHECK_INPUT(unknown == UnknownCharacters::skip,
                      "'{}' (U+{:04X}) is not one of the {} characters that the model has learned; "
                      "--unknown-characters skip omits such characters",
                      visible(data::encode_utf8({&c, 1})), static_cast<uint32_t>(c),
                      tokenizer.size());
    ++known.skipped;
  }
  if (known.skipped == 0) known.text = data::nfc(text);
  return known;
}

}  // namespace slope::train
