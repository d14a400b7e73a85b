#include <slope/core/kernels/random/philox.h>
#include <slope/core/kernels/random/random_blocks.h>

namespace slope {
namespace {

void blocks(const RandomSite& site, int64_t first, int64_t n, Philox::Block* y) {
  constexpr int64_t side_by_side = philox_group / 4;
  alignas(64) uint32_t bits[philox_group];
  int64_t skip = first % side_by_side;
  for (int64_t group = first / side_by_side; n > 0; ++group) {
    philox_bits(site, group, bits);
    const int64_t count = n < side_by_side - skip ? n : side_by_side - skip;
    for (int64_t b = 0; b < count; ++b)
      for (int64_t word = 0; word < 4; ++word)
        y[b][static_cast<size_t>(word)] = bits[word * side_by_side + skip + b];
    y += count;
    n -= count;
    skip = 0;
  }
}

}  // namespace

SLOPE_KERNEL(RandomBlocks, blocks)

}  // namespace slope
