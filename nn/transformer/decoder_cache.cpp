#include <slope/nn/transformer/decoder_cache.h>
#include <slope/nn/transformer/sequences.h>

namespace slope::nn {

Tensor DecoderCache::next_position() { return positions(1, length++); }

DecoderLayerCache* layer_of(DecoderCache* cache, size_t i) {
  if (!cache) return nullptr;
  if (cache->layers.size() <= i) cache->layers.resize(i + 1);
  return &cache->layers[i];
}

void DecoderCache::select(const Tensor& rows) {
  source = index_select(source, 0, rows);
  memory = index_select(memory, 0, rows);
  for (DecoderLayerCache& layer : layers) {
    layer.self.select(rows);
    layer.cross.select(rows);
  }
}

}  // namespace slope::nn
