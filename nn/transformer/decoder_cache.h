// What cached decoding of an encoder-decoder remembers from step to step. A model's start(source)
// fills `source` and `memory`, its step(token, cache) hands layers[i] to its decoder's layer i:
//   Tensor x = embed(token.unsqueeze(1), cache.next_position());
//   for (size_t i = 0; i < layers.size(); ++i)
//     x = layers[i](x, cache.memory, Mask(), Mask::padding(cache.source, pad), &cache.layers[i]);
#pragma once

#include <slope/nn/transformer/kv_cache.h>

#include <vector>

namespace slope::nn {

struct DecoderLayerCache {
  KvCache self{KeysOf::past};     // of the target so far
  KvCache cross{KeysOf::memory};  // of the source
};

struct DecoderCache {
  Tensor source;  // (B, S) ids
  Tensor memory;  // (B, S, C), the encoder's output
  std::vector<DecoderLayerCache> layers;
  int64_t length = 0;  // target tokens so far

  Tensor next_position();           // (1) i64, and counts it
  void select(const Tensor& rows);  // keeps, repeats and reorders sentences: rows (B') i64
};

}  // namespace slope::nn
