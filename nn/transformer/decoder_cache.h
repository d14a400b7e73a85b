// What cached decoding of an encoder-decoder keeps from step to step. A model's start(source) fills
// `source` and `memory`; its decoder gives layer i its part:
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
  std::vector<DecoderLayerCache> layers = {};  // created by layer_of
  int64_t length = 0;                          // target tokens so far

  Tensor next_position();           // (1) i64; increments length
  void select(const Tensor& rows);  // keeps, repeats and reorders sentences: rows (B') i64
};

// The part of layer i, created at the first call; null without a cache.
DecoderLayerCache* layer_of(DecoderCache* cache, size_t i);

// The two parts of a layer, for its attentions; null without a cache.
inline KvCache* self_of(DecoderLayerCache* cache) { return cache ? &cache->self : nullptr; }
inline KvCache* cross_of(DecoderLayerCache* cache) { return cache ? &cache->cross : nullptr; }

}  // namespace slope::nn
