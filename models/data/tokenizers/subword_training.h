// Subwords learned from a text, with SentencePiece's trainer on one thread: the same text gives the
// same pieces.
#pragma once

#include <slope/models/data/tokenizer.h>

namespace slope::data {

// The bytes of a .model, which SentencePiece's own tools read too. Its pieces can encode any text:
// other characters are spelled in bytes. UsageError if options.vocab_size is more than the text can
// fill, or less than its characters need; InputError if there is no text.
std::string train_subwords(const std::vector<const std::vector<std::string>*>& texts,
                           const TokenizerOptions& options);

}  // namespace slope::data
