// What a translator attends to: the weights of one layer, all heads, for a sentence and its
// translation.
#pragma once

#include <slope/models/draw/heat_map.h>
#include <slope/models/infer/translate.h>

namespace slope::train {

// source on itself, target on itself, target on source
enum class AttentionKind { encoder, decoder, cross };
AttentionKind attention_kind(const std::string& name);  // by these names; UsageError for others

struct AttentionChoice {
  AttentionKind kind = AttentionKind::cross;
  int64_t layer = -1;  // from 0; -1: the last. UsageError where there is none
};

// The sentence is translated as `options` say and both sides then go through the model once. A row
// is the token that the decoder writes there (in the encoder: the token that attends), a column the
// token that is attended to. The figure is drawn by draw::to_svg or draw::to_text.
draw::HeatMaps attention_figure(const Translator& translator, const std::string& sentence,
                                const AttentionChoice& choice = {},
                                const DecodeOptions& options = {});

}  // namespace slope::train
