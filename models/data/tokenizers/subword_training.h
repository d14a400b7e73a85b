// Learns subwords from a text with SentencePiece's trainer, on one thread, so that the same text
// gives the same subwords.
#pragma once

#include <slope/models/data/tokenizer.h>

namespace slope::data {

// The contents of a .model file, which SentencePiece's own tools can read. `texts` are lists of
// lines, usually one list for each language. A character not in the texts can still be encoded, as
// its bytes. UsageError if options.vocab_size is more than the text can fill, or less than its
// characters need; InputError if the text is empty.
std::string train_subwords(const std::vector<const std::vector<std::string>*>& texts,
                           const TokenizerOptions& options);

}  // namespace slope::data
