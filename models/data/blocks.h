// Blocks of one long text for a language model: T tokens, and for each of them the token that
// follows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace slope::data {

struct Blocks {
  int64_t rows = 0, length = 0;  // B, T
  // (B, T) row-major; targets[b, t] follows inputs[b, t] in the text
  std::vector<int64_t> inputs, targets;
};

// B blocks that begin anywhere in the text: a function of (seed, step) alone. InputError if the
// text has fewer than T + 1 tokens.
Blocks random_blocks(std::span<const int64_t> text, int64_t rows, int64_t length, uint64_t seed,
                     int64_t step);

// The whole text in blocks that do not overlap, `rows` at a time: every token but the first is a
// target exactly once. The rest at the end is a shorter block of its own. InputError if the text
// has fewer than two tokens.
std::vector<Blocks> evaluation_blocks(std::span<const int64_t> text, int64_t rows, int64_t length);

}  // namespace slope::data
