// The arguments of torch.nn.MultiheadAttention besides query, key and value, and the checks of all
// arguments.
//   const auto [y, w] = attention(x, x, x, nn::AttentionArguments{.attn_mask = mask});
#pragma once

#include <slope/nn/transformer/mask.h>

#include <string>

namespace slope::nn {

struct AttentionArguments {
  Mask key_padding_mask = {};  // (B, S), unbatched (S)
  bool need_weights = true;
  Mask attn_mask = {};               // (L, S) or (B H, L, S), unbatched (H, L, S)
  bool average_attn_weights = true;  // over the heads
  // Says that attn_mask is the causal one. This is checked and changes no result.
  bool is_causal = false;
};

struct AttentionLengths {
  int64_t B, H, L, S;
};
// ShapeError unless both have two dims, or both three.
AttentionLengths attention_lengths(const Tensor& query, const Tensor& key, int64_t heads,
                                   bool batch_first, const std::string& who);
// Both masks as one that broadcasts to (B, H, L, S). Masks of four dims, such as Mask::padding's,
// are taken as they are. ShapeError, or UsageError for a wrong is_causal; `who` begins the message.
Mask mask_of(const AttentionArguments& arguments, const AttentionLengths& n,
             const std::string& who);

// ShapeError unless query, key and value are all batches (batch and length in either order, then
// channels) or all unbatched sequences, with these numbers of channels.
struct AttentionWidths {
  int64_t query, key, value;
};
void check_inputs(const Tensor& query, const Tensor& key, const Tensor& value,
                  const AttentionWidths& widths, const char* who);

}  // namespace slope::nn
