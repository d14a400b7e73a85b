// The settings for the user's own parallel text, by its size: a good model without any flag.
//
//   n pairs: subwords that both languages share, embeddings tied, 4 + 4 layers
//     n <= 60000    d_model 128, 4 heads, d_feedforward 256, dropout 0.15, lr 3e-3
//     n >  60000    d_model 256, 8 heads, d_feedforward 512, dropout 0.1, lr 2e-3
//   steps  = 8500 sqrt(n / 29000), at most 40000, each of 256 pairs
//   warmup = a third of the steps, at most 1500
//   attention_dropout, activation_dropout = 0: with them some runs never learn to align
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace slope::train {

int64_t steps_for_pairs(int64_t n);
// Keys and values, as in a preset, for n pairs and this many steps.
std::vector<std::pair<std::string, std::string>> settings_for_pairs(int64_t n, int64_t steps);

}  // namespace slope::train
