// The right form of the exhibits' parts: attention, a block, a decoder's block, a language model
// and a translator, so small that each of their inputs can be tried.
#pragma once

#include <slope/autograd/backward.h>
#include <slope/nn/nn.h>
#include <slope/tools/museum/museum.h>

#include <algorithm>
#include <cmath>

namespace slope::museum {

constexpr int64_t C = 8, H = 2, V = 13, places = 8, pad = 0;

struct Attention {
  nn::Linear query, key, value, out;
  Attention() : query(C, C), key(C, C), value(C, C), out(C, C) {}
  // (B, T, C), (B, S, C) -> (B, T, C)
  Tensor forward(const Tensor& x, const Tensor& memory, const nn::Mask& mask) const {
    const Tensor q = nn::split_heads(query(x), H), k = nn::split_heads(key(memory), H),
                 v = nn::split_heads(value(memory), H);
    return out(nn::merge_heads(nn::attend(q, k, v, mask)));
  }
  SLOPE_MODULE(Attention, query, key, value, out)
};

template <class Attention = museum::Attention>
struct Block {
  Attention attention;
  nn::LayerNorm norm1;
  nn::FeedForward ff;
  nn::LayerNorm norm2;
  Block() : norm1(C), ff(C, 2 * C), norm2(C) {}
  Tensor forward(const Tensor& x, const Tensor& memory, const nn::Mask& mask) const {
    const Tensor y = norm1(x + attention(x, memory, mask));
    return norm2(y + ff(y));
  }
  SLOPE_MODULE(Block, attention, norm1, ff, norm2)
};

template <class Cross = Block<>>
struct DecoderBlock {
  Attention self;
  nn::LayerNorm norm;
  Cross cross;
  DecoderBlock() : norm(C) {}
  Tensor forward(Tensor x, const Tensor& memory, const nn::Mask& self_mask,
                 const nn::Mask& cross_mask) const {
    x = norm(x + self(x, x, self_mask));
    return cross(x, memory, cross_mask);
  }
  SLOPE_MODULE(DecoderBlock, self, norm, cross)
};

// Reads from left to right.
template <class Block = museum::Block<>>
struct TextModel {
  nn::Embedding tokens, positions;
  Block block;
  nn::Linear head;
  TextModel() : tokens(V, C), positions(places, C), head(C, V) {}
  Tensor forward(const Tensor& ids) const {  // (B, T) -> (B, T, V)
    const int64_t T = ids.size(1);
    const Tensor x = tokens(ids) + positions(nn::positions(T));
    return head(block(x, x, nn::Mask::causal(T)));
  }
  SLOPE_MODULE(TextModel, tokens, positions, block, head)
};

// Reads a sentence as a whole, without its padding.
template <class Block = museum::Block<>>
struct Reader {
  nn::Embedding tokens, positions;
  Block block;
  Reader() : tokens(V, C), positions(places, C) {}
  Tensor forward(const Tensor& ids) const {  // (B, S) -> (B, S, C)
    const Tensor x = tokens(ids) + positions(nn::positions(ids.size(1)));
    return block(x, x, nn::Mask::padding(ids, pad));
  }
  SLOPE_MODULE(Reader, tokens, positions, block)
};

template <class Decoder = DecoderBlock<>>
struct Translator {
  Reader<> reader;
  nn::Embedding tokens, positions;
  Decoder decoder;
  nn::Linear head;
  Translator() : tokens(V, C), positions(places, C), head(C, V) {}
  Tensor forward(const Tensor& source, const Tensor& target) const {  // (B, T, V)
    const int64_t T = target.size(1);
    const Tensor x = tokens(target) + positions(nn::positions(T));
    return head(decoder(x, reader(source), nn::Mask::padding(target, pad) & nn::Mask::causal(T),
                        nn::Mask::padding(source, pad)));
  }
  SLOPE_MODULE(Translator, reader, tokens, positions, decoder, head)
};

// A model in f64, with weights from a fixed seed.
template <class M>
M make() {
  manual_seed(1);
  M model;
  nn::to(model, f64);
  return model;
}

inline Tensor source() { return tensor({{4, 9, 5, 7, 11}, {6, 8, 12, 10, 3}}); }
inline Tensor target() { return tensor({{2, 6, 10, 4, 8}, {2, 7, 5, 11, 9}}); }
// Cross entropy of the next tokens.
inline Tensor loss(const Tensor& logits) {  // for target()
  return cross_entropy(logits.narrow(1, 0, 4).reshape({-1, V}),
                       target().narrow(1, 1, 4).reshape({-1}));
}

inline double largest(const Tensor& x) { return x.defined() ? amax(x.detach().abs()).item() : 0; }
inline Tensor gradient(const Tensor& loss, const Tensor& of) {
  return grad({loss}, {of}, {.allow_unused = true})[0];
}
// How much output `t` changes if input `s` is replaced, relative to the largest output.
inline double moved(const nn::lint::Dependence& d, int64_t t, int64_t s) {
  return d.change[t][s].item();
}
template <class M>
nn::lint::Dependence on_target(const M& model) {
  return nn::lint::dependence([&](const Tensor& x) { return model(source(), x); }, target());
}
template <class M>
nn::lint::Dependence on_text(const M& model) {
  return nn::lint::dependence([&](const Tensor& x) { return model(x); }, target());
}

inline nn::lint::Findings joined(nn::lint::Findings a, const nn::lint::Findings& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace slope::museum
