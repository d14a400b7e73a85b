// Source words in place of <unk>: where a model writes <unk> for a name that it does not know, it
// usually attends to that name.
#pragma once

#include <slope/models/infer/load.h>

namespace slope::train {

// UsageError if the model does not expose its attention.
void check_attends(const Translator& translator);

// For each <unk> of a translation, the word of the line to which the last layer's cross-attention,
// averaged over heads, attends most. `source` has the line's tokens (<sos> … <eos>).
data::Tokens words_for_unknown(const Translator& translator, const std::string& line,
                               const data::Ids& source, const data::Ids& translation);

}  // namespace slope::train
