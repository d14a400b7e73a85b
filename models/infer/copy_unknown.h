// The words of the source for those that a translation lacks: a name that the model does not know
// is most often the word that it attends to while it writes <unk>.
#pragma once

#include <slope/models/infer/load.h>

namespace slope::train {

// UsageError if the model does not tell where it attends.
void check_attends(const Translator& translator);

// For each <unk> of a translation the word of the line, of which `source` are the tokens
// (<sos> … <eos>), that the last layer's cross-attention, the mean of its heads, looks at most.
data::Tokens words_for_unknown(const Translator& translator, const std::string& line,
                               const data::Ids& source, const data::Ids& translation);

}  // namespace slope::train
