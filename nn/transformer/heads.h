// Building blocks of models besides layers: heads, masked attention that can be captured, a check
// of positions.
#pragma once

#include <slope/nn/module/capture.h>
#include <slope/nn/transformer/mask.h>

namespace slope::nn {

// (B, L, C) -> (B, H, L, C/H); ShapeError if H does not divide C
Tensor split_heads(const Tensor& x, int64_t heads);
// returns `heads`, which must divide `channels`; else a UsageError:
// "d_model 8 is not divisible by n_heads 3"
int64_t checked_heads(int64_t heads, int64_t channels, const char* heads_are = "n_heads",
                      const char* channels_are = "d_model");
Tensor merge_heads(const Tensor& x);  // (B, H, L, D) -> (B, L, H D)

// softmax(scale q k^T + mask) v, scale = 1 / sqrt(D) unless given, with dropout on the weights,
// which CaptureAttention collects if one is active.
Tensor attend(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask = {},
              double dropout = 0,
              std::optional<double> scale = {});  // (B, H, L, D), 2 x (B, H, S, D)
AttentionOutput attend_with_weights(const Tensor& q, const Tensor& k, const Tensor& v,
                                    const Mask& mask = {}, double dropout = 0,
                                    std::optional<double> scale = {});

// ShapeError "gpt: sequence of 300 exceeds 256 positions" if length + offset > positions.
void check_positions(int64_t length, int64_t positions, const char* who, int64_t offset = 0);
// UsageError if a table that is computed, and not saved, would have more than 2^26 elements.
void check_table(const char* who, int64_t positions, int64_t channels);

}  // namespace slope::nn
