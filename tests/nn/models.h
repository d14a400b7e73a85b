// Small models for the tests of nn: every kind of field, nested.
#pragma once

#include <slope/core/files/safetensors.h>
#include <slope/nn/nn.h>

namespace slope::test {

struct Block {
  nn::LayerNorm ln;
  nn::FeedForward ff;
  explicit Block(int64_t c) : ln(c), ff(c, 2 * c, {.dropout = 0.1}) {}
  Tensor forward(const Tensor& x) const { return x + ff(ln(x)); }
  SLOPE_MODULE(Block, ln, ff)
};

struct Config {
  int64_t vocabulary = 11, channels = 4, blocks = 3;
  bool with_extra = true;
};

struct Tiny {  // tied head, a saved and an unsaved buffer, an optional, a vector, a list
  Config config;
  nn::Embedding embed;
  std::optional<nn::Parameter> extra;
  std::vector<Block> blocks;
  nn::ModuleList list;
  nn::Sequential<nn::Linear, nn::ReLU> net;
  nn::Buffer count, table;
  nn::MultiheadAttention attention;
  nn::Linear head;

  explicit Tiny(const Config& c)
      : config(c), embed(c.vocabulary, c.channels),
        net(nn::Linear(c.channels, c.channels), nn::ReLU()), count(tensor({1, 2})),
        table(ones({2}), nn::Saved::no), attention(c.channels, 2),
        head(c.channels, c.vocabulary, false) {
    if (c.with_extra) extra.emplace(zeros({c.channels}));
    for (int64_t i = 0; i < c.blocks; ++i) blocks.emplace_back(c.channels);
    list.append(nn::Linear(c.channels, c.channels));
    list.append(nn::Tanh());
    nn::tie(head.weight, embed.weight);
  }
  Tensor forward(const Tensor& ids) const {  // (B, T) -> (B, T, V)
    Tensor x = embed(ids);
    if (extra) x = x + *extra;
    for (const Block& block : blocks) x = block(x);
    for (const nn::AnyModule& m : list) x = m(x);
    x = x + attention(x, x, x, nn::Mask::causal(x.size(1)));
    return head(net(x));
  }
  SLOPE_MODULE(Tiny, embed, extra, blocks, list, net, count, table, attention, head)
};

inline Tensor tiny_ids() { return tensor({{1, 2, 3, 4}, {5, 6, 7, 0}}); }

inline std::string bytes_of(const Tiny& model) {
  return format_safetensors(nn::state_dict(model).tensors);
}

}  // namespace slope::test
