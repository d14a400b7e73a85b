// The base of all encoder-decoders for sentences: features of padded or packed sentences, the loss
// without padding, cached decoding. A model derives from it and has
//   Config config                                    with pad
//   embed_source(ids, positions), embed_target(…)    i64 (B, T) -> (B, T, C)
//   transformer                                      a Transformer or Stacks; or, in its place,
//   encoder, decoder                                 its two parts, called as in stacks.h
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
    if constexpr (requires { model().transformer; }) {
      return model().transformer(source, target, p);  // (B, T, C)
    } else {
      const Tensor memory = model().encoder(source, p.source_mask);  // (B, S, C)
      return model().decoder(target, memory, p.target_mask, p.cross_mask);
    }
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

  // ---- the three parts of forward
  Tensor encode(const Tensor& source) const {  // (B, S) -> (B, S, C)
    const Scope scope(model());
    const Tensor x = model().embed_source(source, positions(source.size(1)));
    return parts().encoder(x, Mask::padding(source, model().config.pad));
  }
  // memory: encode(source); target (B, T) -> (B, T, C)
  Tensor decode(const Tensor& memory, const Tensor& source, const Tensor& target) const {
    const Scope scope(model());
    const SequencePair p = padded_pair(source, target, model().config.pad);
    const Tensor x = model().embed_target(p.target, p.target_positions);
    return parts().decoder(x, memory, p.target_mask, p.cross_mask);
  }
  Tensor project(const Tensor& features) const {  // (B, T, C) -> (B, T, V)
    const Scope scope(model());
    return model().head(features);
  }

  // ---- decoding with a cache
  using Cache = DecoderCache;
  Cache start(const Tensor& source) const {  // (B, S)
    const Scope scope(model());
    return {.source = source, .memory = encode(source)};
  }
  // (B,) the newest token of each sentence -> (B, V) logits of the next one
  Tensor step(const Tensor& token, Cache& cache) const {
    const Scope scope(model());
    const Tensor x = model().embed_target(token.unsqueeze(1), cache.next_position());  // (B, 1, C)
    const Tensor y = parts().decoder(x, cache.memory, Mask(),
                                     Mask::padding(cache.source, model().config.pad), &cache);
    return model().head(y.select(1, 0));
  }

 private:
  const Model& model() const { return static_cast<const Model&>(*this); }
  const auto& parts() const {  // the object that has encoder and decoder
    if constexpr (requires { model().transformer; })
      return model().transformer;
    else
      return model();
  }
};

// The paths of the attention modules in the stacks at `prefix`, given their names in a layer.
template <class Parts>
AttentionPaths attention_paths_of(const Parts& t, const std::string& prefix, const char* encoder,
                                  const char* decoder, const char* cross) {
  const size_t n = t.encoder.layers.size(), m = t.decoder.layers.size();
  return {.encoder = layer_paths(prefix + "encoder.layers", n, encoder),
          .decoder = layer_paths(prefix + "decoder.layers", m, decoder),
          .cross = layer_paths(prefix + "decoder.layers", m, cross)};
}

}  // namespace slope::nn
