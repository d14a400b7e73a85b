// A vector for each position of a sequence, to be added to the embeddings: learned, or the
// sinusoids of Vaswani et al. (2017, 3.5):
//   PE(t, 2i) = sin(t / 10000^(2i/C))     PE(t, 2i+1) = cos(t / 10000^(2i/C))
// forward(length, offset) gives rows offset … offset + length - 1; ShapeError if the table has
// fewer rows.
#pragma once

#include <slope/nn/init.h>
#include <slope/nn/layers/dropout.h>
#include <slope/nn/layers/embedding.h>
#include <slope/nn/module/module.h>

namespace slope::nn {

// Printed and saved like the torch.nn.Embedding that PyTorch code uses for this.
struct LearnedPositions {
  Parameter weight;  // (positions, C)

  LearnedPositions(int64_t positions, int64_t channels) : weight(Dims{positions, channels}) {
    init::normal(weight);
    module_state.printed_type = "Embedding";
  }
  Tensor forward(int64_t length, int64_t offset = 0) const;  // (length, C)
  int64_t positions() const { return weight.size(0); }

  std::string extra_repr() const { return fmt::format("{}, {}", weight.size(0), weight.size(1)); }
  LearnedPositions blank() const { return LearnedPositions(weight.size(0), weight.size(1)); }
  SLOPE_MODULE(LearnedPositions, weight)
};

struct SinusoidalPositions {
  Buffer table;  // (positions, C), not saved: the constructor computes it

  SinusoidalPositions(int64_t positions, int64_t channels);
  Tensor forward(int64_t length, int64_t offset = 0) const;  // (length, C)
  int64_t positions() const { return table.size(0); }

  std::string extra_repr() const { return fmt::format("{}, {}", table.size(0), table.size(1)); }
  SinusoidalPositions blank() const { return SinusoidalPositions(table.size(0), table.size(1)); }
  SLOPE_MODULE(SinusoidalPositions, table)
};

// y = drop(x + PE): the sinusoids as in tutorials, in a buffer `pe` that is saved.
struct PositionalEncoding {
  Buffer pe;  // (1, positions, C)
  Dropout dropout;

  PositionalEncoding(int64_t positions, int64_t channels, double p);
  // x (B, T, C), positions i64 that broadcast to (B, T); InputError if one is too large
  Tensor forward(const Tensor& x, const Tensor& positions) const;

  PositionalEncoding blank() const { return PositionalEncoding(pe.size(1), pe.size(2), dropout.p); }
  SLOPE_MODULE(PositionalEncoding, pe, dropout)
};

// x_t = drop(sqrt(C) E[token_t] + P[t]), P learned; InputError if a position is too large
struct TransformerEmbedding {
  Embedding embed_tok, embed_pos;  // (V, C), (positions, C)
  Dropout dropout;
  double scale;

  TransformerEmbedding(int64_t vocabulary, int64_t channels, int64_t positions, double p);
  // i64: tokens (B, T) and their positions, which broadcast to (B, T)
  Tensor forward(const Tensor& tokens, const Tensor& positions) const;  // (B, T, C)

  TransformerEmbedding blank() const {
    return TransformerEmbedding(embed_tok.weight.size(0), embed_tok.weight.size(1),
                                embed_pos.weight.size(0), dropout.p);
  }
  SLOPE_MODULE(TransformerEmbedding, embed_tok, embed_pos, dropout)
};

}  // namespace slope::nn
