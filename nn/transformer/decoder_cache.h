// What cached decoding of an encoder-decoder remembers from step to step. A model's start(source)
// fills `source` and `memory`, its decoder hands layer i what belongs to it:
//   for (size_t i = 0; i < layers.size(); ++i)
//     x = layers[i](x, memory, self_mask, cross_mask, layer_of(cache, i));
#pragma once

#include <slope/nn/transformer/kv_cache.h>

#include <vector>

namespace slope::nn {

struct DecoderLayerCache {
  KvCache self{KeysOf::past};     // of the target so far
  KvCache cross{KeysOf::memory};  // of the source
};

struct DecoderCache {
  Tensor source;                               // (B, S) ids
  Tensor memory;                               // (B, S, C), the encoder's output
  std::vector<DecoderLayerCache> layers = {};  // as many as were asked for
  int64_t length = 0;                          // target tokens so far

  Tensor next_position();           // (1) i64, and counts it
  void select(const Tensor& rows);  // keeps, repeats and reorders sentences: rows (B') i64
};

// The part of layer i, begun where there is none yet; null without a cache.
DecoderLayerCache* layer_of(DecoderCache* cache, size_t i);

// A layer's two parts, for its attentions; null without a cache.
inline KvCache* self_of(DecoderLayerCache* cache) { return cache ? &cache->self : nullptr; }
inline KvCache* cross_of(DecoderLayerCache* cache) { return cache ? &cache->cross : nullptr; }

}  // namespace slope::nn
