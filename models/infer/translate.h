// Translation of lines of text by a trained model.
#pragma once

#include <slope/models/infer/decode.h>
#include <slope/models/infer/load.h>

namespace slope::train {

// The most tokens of a target, including <eos>: options.max_length, but at most the model's
// positions.
int64_t longest_target(const Translator& translator, const DecodeOptions& options);

// The model's sentences for encoded ones (<sos> … <eos>), as token ids.
std::vector<Sentence> translate_sentences(const Translator& translator,
                                          const std::vector<Sentence>& sources,
                                          const DecodeOptions& options = {});

// One line out for each line in. A line without a word gives an empty line; unknown words are
// <unk>. InputError, with the line's number, if a line has more tokens than the model has
// positions; then nothing is translated.
std::vector<data::Tokens> translate_tokens(const Translator& translator,
                                           const std::vector<std::string>& lines,
                                           const DecodeOptions& options = {});
std::vector<std::string> translate_lines(const Translator& translator,
                                         const std::vector<std::string>& lines,
                                         const DecodeOptions& options = {});

}  // namespace slope::train
