// Translation of lines of text by a trained model.
#pragma once

#include <slope/models/infer/load.h>
#include <slope/models/infer/search/decode.h>

#include <functional>
#include <span>

namespace slope::train {

// The most tokens of a target, including <eos>: options.max_length, but at most the model's
// positions.
int64_t longest_target(const Translator& translator, const DecodeOptions& options);

// The best translations of encoded sentences (<sos> … <eos>), as token ids.
std::vector<Sentence> translate_sentences(const Translator& translator,
                                          const std::vector<Sentence>& sources,
                                          const DecodeOptions& options = {});

// What happens to a line with more tokens than the model has positions. refuse: an InputError;
// crop: only its first tokens are translated; skip: its translation is an empty line.
enum class LongLines { refuse, crop, skip };
LongLines long_lines(const std::string& name);  // by these names; UsageError for any other

struct LineOptions {
  LongLines long_lines = LongLines::refuse;
  size_t lines_before = 0;  // in errors the first line has the number lines_before + 1
  std::function<void()> on_long_line = {};  // called for each line cropped or skipped
};

// The tokens of a line, <sos> … <eos>, at most as many as the model has positions; only <sos> <eos>
// if the line is blank, or too long and skipped. `place` begins errors: "line 7".
Sentence fitting_source(const Translator& translator, const std::string& line,
                        const LineOptions& options, const std::string& place);

struct Translation {
  data::Ids ids;
  std::string text;
  double log_p = 0, score = 0;  // as in Hypothesis; nan where a line has no text or is skipped
};
using Translations = std::vector<Translation>;  // of a line, the best first

// For each line its n_best translations, at least one; fewer if different subwords spell the same
// text: only the best of these is kept. A line without text has one, the empty translation.
// If a line is refused as too long, nothing is translated. With Unknown::copy an <unk> is written
// as the source word to which the last layer's cross-attention, averaged over heads, attends most;
// UsageError if the model does not expose its attention.
std::vector<Translations> translate(const Translator& translator,
                                    const std::vector<std::string>& lines,
                                    const DecodeOptions& options = {},
                                    const LineOptions& line_options = {});

// The same in parts of a thousand lines or more, each decoded in batches of its own: give(i, best)
// gets the translations of line i, in order, as soon as its part is done. If a line is refused,
// nothing is given.
void translate_in_parts(const Translator& translator, std::span<const std::string> lines,
                        const DecodeOptions& options, const LineOptions& line_options,
                        const std::function<void(size_t line, const Translations& best)>& give);

// Encodes a translation's beginning for DecodeOptions::prefix. UsageError if the model cannot write
// all of it, or if it leaves no room for more.
Sentence forced_prefix(const Translator& translator, const std::string& text);

// Only the best translation of each line.
std::vector<data::Ids> translate_ids(const Translator& translator,
                                     const std::vector<std::string>& lines,
                                     const DecodeOptions& options = {},
                                     const LineOptions& line_options = {});
std::vector<std::string> translate_lines(const Translator& translator,
                                         const std::vector<std::string>& lines,
                                         const DecodeOptions& options = {},
                                         const LineOptions& line_options = {});

}  // namespace slope::train
