// Translation: a trained encoder-decoder reads a sentence as token ids, writes another, and shows
// what it attends to. The page splits sentences into words.
#pragma once

#include <slope/tools/explorer/fields.h>

namespace slope::explorer {

// "do": "load" {"model": a postnorm model's .safetensors in base64, "source_vocab",
//               "target_vocab", "d_model", "n_heads", "n_encoder_layers", "n_decoder_layers",
//               "d_feedforward", "max_len"}: parameters
//       "write" {"tokens": "2 14 8 3"}: greedy decoding: each token with its probability and the
//               likeliest others, and the cross-attention of each layer (H, T, S)
std::string translation(const Fields& fields);

}  // namespace slope::explorer
