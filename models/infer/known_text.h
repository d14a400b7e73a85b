// Refuses or removes characters that a model has never learned.
#pragma once

#include <slope/models/data/tokenizer.h>

namespace slope::train {

enum class UnknownCharacters { refuse, skip };
UnknownCharacters unknown_characters(const std::string& name);  // UsageError for any other name

struct KnownText {
  std::string text;
  int64_t skipped = 0;  // characters
};

// The text, composed (NFC); if it has unknown characters, without them and in the form that the
// tokenizer splits, or, where they are refused, an InputError that names the first.
KnownText known_text(const std::string& text, const data::Tokenizer& tokenizer,
                     UnknownCharacters unknown);

}  // namespace slope::train
