// Translation of lines of text by a trained model.
#pragma once

#include <slope/models/infer/decode.h>
#include <slope/models/infer/load.h>

namespace slope::train {

// Tokens that a target may have, <eos> included: options.max_length, and never more than the
// model's positions.
int64_t longest_target(const Translator& translator, const DecodeOptions& options);

// The model's sentences for encoded ones (<sos> … <eos>), as token numbers.
std::vector<Sentence> translate_sentences(const Translator& translator,
                                          const std::vector<Sentence>& sources,
                                          const DecodeOptions& options = {});

// A line out for each line in. A line without a word gives an empty line; unknown words are <unk>.
// InputError, naming the line's number, where one has more tokens than the model has positions;
// then nothing is translated.
std::vector<data::Tokens> translate_tokens(const Translator& translator,
                                           const std::vector<std::string>& lines,
                                           const DecodeOptions& options = {});
std::vector<std::string> translate_lines(const Translator& translator,
                                         const std::vector<std::string>& lines,
                                         const DecodeOptions& options = {});

}  // namespace slope::train
