#include <slope/core/random.h>

#include <cmath>
#include <numbers>

namespace slope {

Philox::Block Philox::block(Block c, Key k) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53} * c[0], p1 = uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k[0], static_cast<uint32_t>(p1), static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k[1],
         static_cast<uint32_t>(p0)};
    k[0] += 0x9E3779B9;  // the golden ratio, and sqrt(3) - 1
    k[1] += 0xBB67AE85;
  }
  return c;
}

RandomSite Generator::next_site() {
  SLOPE_CHECK(site != UINT32_MAX, "random: 2^32 draws without a new step or seed");
  return {seed, site++, step, static_cast<uint32_t>(stream) << 16 | micro_batch};
}

void Generator::start_step(uint32_t new_step, uint16_t new_micro_batch) {
  step = new_step;
  micro_batch = new_micro_batch;
  site = 0;
}

Generator& generator() {
  thread_local Generator instance;
  return instance;
}

void manual_seed(uint64_t seed) { generator() = Generator{.seed = seed}; }

// Lemire's multiply-shift would need 128-bit products; rejection of the incomplete last range is as unbiased and plain to read.
uint64_t uniform_below(const RandomSite& site, int64_t draw, uint64_t n) {
  const uint64_t limit = UINT64_MAX - UINT64_MAX % n;
  for (uint32_t attempt = 0;; ++attempt) {
    Philox::Block counter = site.counter(draw);
    counter[1] ^= attempt << 24;
    const Philox::Block b = Philox::block(counter, site.key());
    for (int half = 0; half < 4; half += 2) {
      const uint64_t value = static_cast<uint64_t>(b[static_cast<size_t>(half)]) << 32 | b[static_cast<size_t>(half) + 1];
      if (value < limit) return value % n;
    }
  }
}

float uniform_f32(const RandomSite& site, int64_t i) { return static_cast<float>(site.bits(i) >> 8) * 0x1p-24f; }

double uniform_f64(const RandomSite& site, int64_t i) {
  const Philox::Block b = Philox::block(site.counter(i / 2), site.key());
  const size_t half = static_cast<size_t>(i % 2) * 2;
  return static_cast<double>((static_cast<uint64_t>(b[half]) << 32 | b[half + 1]) >> 11) * 0x1p-53;
}

double normal(const RandomSite& site, int64_t i) {
  const Philox::Block b = Philox::block(site.counter(i / 2), site.key());
  const double u = (static_cast<double>(b[0]) + 1) * 0x1p-32, v = static_cast<double>(b[1]) * 0x1p-32;  // u in (0, 1]
  const double r = std::sqrt(-2 * std::log(u)), angle = 2 * std::numbers::pi * v;
  return i % 2 ? r * std::sin(angle) : r * std::cos(angle);
}

}  // namespace slope
