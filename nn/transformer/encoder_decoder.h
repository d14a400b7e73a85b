// What every encoder-decoder for sentences does alike: features of padded or packed sentences, the
// loss without padding, cached decoding. A model derives from it and has
//   Config config                                    with pad
//   embed_source(ids, positions), embed_target(…)    i64 (B, T) -> (B, T, C)
//   transformer                                      nn::Transformer of its layers (stacks.h)
//   head(features), output()                         (B, T, C) -> (B, T, V), and its nn::Linear
#pragma once

#include <slope/nn/layers/linear.h>
#include <slope/nn/transformer/attention_paths.h>
#include <slope/nn/transformer/sequences.h>
#include <slope/nn/transformer/stacks.h>

namespace slope::nn {

template <class Model>
struct EncoderDecoder {
  Tensor features(const SequencePair& p) const {
    const Tensor target = model().embed_target(p.target, p.target_positions);  // (B, T, C)
    const Tensor source = model().embed_source(p.source, p.source_positions);  // (B, S, C)
    return model().transformer(source, target, p);                             // (B, T, C)
  }
  // source (B, S), target (B, T): i64, padded; target begins with <sos>
  Tensor features(const Tensor& source, const Tensor& target) const {
    return features(padded_pair(source, target, model().config.pad));  // (B, T, C)
  }
  Tensor forward(const Tensor& source, const Tensor& target) const {
    return model().head(features(source, target));  // (B, T, V)
  }

  // Cross entropy of target[:, 1:] given target[:, :-1], summed over the tokens that are not
  // padding. target (B, T+1)
  Tensor loss(const Tensor& source, const Tensor& target, double label_smoothing = 0) const {
    const Scope scope(model());
    const int64_t pad = model().config.pad;
    const PackedPair p(source, target, pad);
    const Tensor x = features(p);
    const Linear& output = model().output();
    return linear_cross_entropy(
        x.reshape({-1, output.in_features()}), output.weight, or_none(output.bias),
        p.next.reshape({-1}),
        {.ignore_index = pad, .label_smoothing = label_smoothing, .reduction = Reduction::sum});
  }

  // ---- decoding with a cache
  using Cache = DecoderCache;
  Cache start(const Tensor& source) const {  // (B, S)
    const Scope scope(model());
    const Tensor x = model().embed_source(source, positions(source.size(1)));
    return model().transformer.start(source, x, model().config.pad);
  }
  // (B,) the newest token of each sentence -> (B, V) logits of the next
  Tensor step(const Tensor& token, Cache& cache) const {
    const Scope scope(model());
    const Tensor x = model().embed_target(token.unsqueeze(1), cache.next_position());  // (B, 1, C)
    return model().head(model().transformer.step(x, cache, model().config.pad).select(1, 0));
  }

 private:
  const Model& model() const { return static_cast<const Model&>(*this); }
};

// The paths of the attention modules in a model's `transformer`, by their names in a layer.
template <class Transformer>
AttentionPaths attention_paths_of(const Transformer& t, const char* encoder, const char* decoder,
                                  const char* cross) {
  const size_t n = t.encoder.layers.size(), m = t.decoder.layers.size();
  return {.encoder = layer_paths("transformer.encoder.layers", n, encoder),
          .decoder = layer_paths("transformer.decoder.layers", m, decoder),
          .cross = layer_paths("transformer.decoder.layers", m, cross)};
}

}  // namespace slope::nn
