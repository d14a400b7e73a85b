// What a translator attends to: the weights of one layer, all heads, for a sentence and its
// translation.
#pragma once

#include <slope/models/draw/heat_map.h>
#include <slope/models/infer/translate.h>

namespace slope::train {

// source to itself, target to itself, target to source
enum class AttentionKind { encoder, decoder, cross };
AttentionKind attention_kind(const std::string& name);  // by these names; UsageError for any other

struct AttentionChoice {
  AttentionKind kind = AttentionKind::cross;
  int64_t layer = -1;  // from 0; -1: the last. UsageError if there is no such layer
};

// Translates the sentence with the given `options`, then runs both sides through the model once.
// Each row is a token that the decoder writes (in the encoder: one that attends), each column a
// token attended to. draw::to_svg and draw::to_text draw the figure.
draw::HeatMaps attention_figure(const Translator& translator, const std::string& sentence,
                                const AttentionChoice& choice = {},
                                const DecodeOptions& options = {},
                                const LineOptions& line_options = {});

}  // namespace slope::train
