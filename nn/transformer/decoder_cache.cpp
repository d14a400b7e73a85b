#include <slope/nn/transformer/decoder_cache.h>
#include <slope/nn/transformer/sequences.h>

namespace slope::nn {

Tensor DecoderCache::next_position() { return positions(1, length++); }

void DecoderCache::select(const Tensor& rows) {
  source = index_select(source, 0, rows);
  memory = index_select(memory, 0, rows);
  for (DecoderLayerCache& layer : layers) {
    layer.self.select(rows);
    layer.cross.select(rows);
  }
}

}  // namespace slope::nn
