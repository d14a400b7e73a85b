#include <slope/core/error.h>
#include <slope/models/data/blocks.h>
#include <slope/models/data/shuffle.h>

#include <algorithm>

namespace slope::data {
namespace {

void append(Blocks& blocks, std::span<const int64_t> text, int64_t start) {
  const auto from = text.begin() + start;
  blocks.inputs.insert(blocks.inputs.end(), from, from + blocks.length);
  blocks.targets.insert(blocks.targets.end(), from + 1, from + blocks.length + 1);
  ++blocks.rows;
}

void check_sizes(int64_t rows, int64_t length) {
  SLOPE_CHECK_AS(UsageError, rows > 0 && length > 0,
                 "batch size {} and block size {} must be at least 1", rows, length);
}

}  // namespace

Blocks random_blocks(std::span<const int64_t> text, int64_t rows, int64_t length, uint64_t seed,
                     int64_t step) {
  check_sizes(rows, length);
  const auto n = static_cast<int64_t>(text.size());
  SLOPE_CHECK_INPUT(n > length, "the text has {} tokens, it needs more than the block size {}", n,
                    length);
  const RandomSite site{seed, 0, static_cast<uint32_t>(step), block_stream};
  Blocks blocks{.length = length};
  for (int64_t b = 0; b < rows; ++b)
    append(blocks, text,
           static_cast<int64_t>(uniform_below(site, b, static_cast<uint64_t>(n - length))));
  return blocks;
}

std::vector<Blocks> evaluation_blocks(std::span<const int64_t> text, int64_t rows, int64_t length) {
  check_sizes(rows, length);
  const auto n = static_cast<int64_t>(text.size());
  SLOPE_CHECK_INPUT(n > 1, "the text has {} tokens, it needs at least 2", n);
  std::vector<Blocks> all;
  for (int64_t start = 0; start + 1 < n; start += length) {
    const int64_t left = std::min(length, n - 1 - start);
    if (all.empty() || all.back().rows == rows || all.back().length != left)
      all.push_back({.length = left});
    append(all.back(), text, start);
  }
  return all;
}

}  // namespace slope::data
