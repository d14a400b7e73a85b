// Random numbers from a counter-based generator: Philox 4x32-10 (Salmon et al., "Parallel random
// numbers: as easy as 1, 2, 3", SC 2011). Element i of a draw is a function of (seed, stream, step,
// micro-batch, site, i) alone: the same bits for any number of threads, and after a resume. A
// "site" is one draw (one dropout, one randn) within a step; sites are numbered in the order in
// which they occur.
#pragma once

#include <slope/core/tensor/dims.h>

#include <array>
#include <span>

namespace slope {

struct Philox {
  using Block = std::array<uint32_t, 4>;
  using Key = std::array<uint32_t, 2>;
  static Block block(Block counter, Key key);
};

// The place of one draw: the seed, and the counter except for the element. Saved by operations that
// draw the same numbers again in backward.
struct RandomSite {
  uint64_t seed = 0;
  // stream: the upper half is the number of a stream, the lower half the micro-batch
  uint32_t site = 0, step = 0, stream = 0;

  Philox::Key key() const {
    return {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
  }
  Philox::Block counter(int64_t block) const {
    return {static_cast<uint32_t>(block), site, step,
            stream + (static_cast<uint32_t>(block >> 32) << 24)};
  }
  uint32_t bits(int64_t i) const {
    return Philox::block(counter(i / 4), key())[static_cast<size_t>(i % 4)];
  }
};

struct Generator {
  uint64_t seed = 0;
  uint32_t site = 0, step = 0;
  uint16_t stream = 0, micro_batch = 0;

  RandomSite next_site();                                    // claims the next site
  void start_step(uint32_t step, uint16_t micro_batch = 0);  // sites count from 0 again
  friend bool operator==(const Generator&, const Generator&) = default;
};

Generator& generator();           // the calling thread's; copy it to save, assign it to restore
void manual_seed(uint64_t seed);  // generator() = {seed}

// Restores the thread's generator at the end of a scope.
class KeepGenerator {
 public:
  KeepGenerator() : before_(generator()) {}
  ~KeepGenerator() { generator() = before_; }
  KeepGenerator(const KeepGenerator&) = delete;
  KeepGenerator& operator=(const KeepGenerator&) = delete;

 private:
  const Generator before_;
};

// An unbiased number in [0, n) from the bits of a site; n >= 1. `draw`: which of the caller's draws
// from this site.
uint64_t uniform_below(const RandomSite& site, int64_t draw, uint64_t n);
// Uniform in [0, 1) with 24 bits, or with 53 bits; standard normal (Box-Muller: element pairs share
// a block).
float uniform_f32(const RandomSite& site, int64_t i);
double uniform_f64(const RandomSite& site, int64_t i);
double normal(const RandomSite& site, int64_t i);

// Elements first, first + 1, … as above, two to ten times as fast as one by one.
void uniform_f32(const RandomSite& site, int64_t first, std::span<double> y);
void uniform_f64(const RandomSite& site, int64_t first, std::span<double> y);
void normal(const RandomSite& site, int64_t first, std::span<double> y);

}  // namespace slope
