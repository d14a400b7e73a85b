#include <slope/core/kernels/random/random_blocks.h>
#include <slope/core/tensor/random.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

namespace slope {

Philox::Block Philox::block(Block c, Key k) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53} * c[0], p1 = uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k[0], static_cast<uint32_t>(p1),
         static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k[1], static_cast<uint32_t>(p0)};
    k[0] += 0x9E3779B9;  // 2^32 (golden ratio - 1), then 2^32 (sqrt(3) - 1)
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

// Rejects numbers beyond the last multiple of n: unbiased and plain to read. Lemire's
// multiply-shift would need 128-bit products.
uint64_t uniform_below(const RandomSite& site, int64_t draw, uint64_t n) {
  const uint64_t limit = UINT64_MAX - UINT64_MAX % n;
  for (uint32_t attempt = 0;; ++attempt) {
    Philox::Block counter = site.counter(draw);
    counter[1] ^= attempt << 24;
    const Philox::Block b = Philox::block(counter, site.key());
    for (int half = 0; half < 4; half += 2) {
      const uint64_t value = static_cast<uint64_t>(b[static_cast<size_t>(half)]) << 32 |
                             b[static_cast<size_t>(half) + 1];
      if (value < limit) return value % n;
    }
  }
}

namespace {

// The numbers of one block.
std::array<float, 4> uniforms_f32(const Philox::Block& b) {
  std::array<float, 4> u;
  for (size_t word = 0; word < u.size(); ++word)
    u[word] = static_cast<float>(b[word] >> 8) * 0x1p-24f;
  return u;
}
std::array<double, 2> uniforms_f64(const Philox::Block& b) {
  const auto of = [](uint64_t high, uint64_t low) {
    return static_cast<double>((high << 32 | low) >> 11) * 0x1p-53;
  };
  return {of(b[0], b[1]), of(b[2], b[3])};
}
std::array<double, 2> normals(const Philox::Block& b) {
  const double u = (static_cast<double>(b[0]) + 1) * 0x1p-32,
               v = static_cast<double>(b[1]) * 0x1p-32;  // u in (0, 1]
  const double r = std::sqrt(-2 * std::log(u)), angle = 2 * std::numbers::pi * v;
  return {r * std::cos(angle), r * std::sin(angle)};
}

// How many elements are made from a block.
template <auto numbers>
constexpr auto each = static_cast<int64_t>(std::tuple_size_v<decltype(numbers(Philox::Block()))>);

template <auto numbers>
auto element(const RandomSite& site, int64_t i) {
  return numbers(Philox::block(site.counter(i / each<numbers>),
                               site.key()))[static_cast<size_t>(i % each<numbers>)];
}

template <auto numbers>
void elements(const RandomSite& site, int64_t first, std::span<double> y) {
  constexpr int64_t most = 64;
  Philox::Block blocks[most];
  const int64_t n = std::ssize(y), end = (first + n - 1) / each<numbers> + 1;  // of the blocks
  for (int64_t block = first / each<numbers>; block < end; block += most) {
    kernels<RandomBlocks>().blocks(site, block, std::min(most, end - block), blocks);
    for (int64_t b = 0; b < std::min(most, end - block); ++b) {
      int64_t i = (block + b) * each<numbers> - first;
      for (const double number : numbers(blocks[b])) {
        if (i >= 0 && i < n) y[static_cast<size_t>(i)] = number;
        ++i;
      }
    }
  }
}

}  // namespace

float uniform_f32(const RandomSite& site, int64_t i) { return element<uniforms_f32>(site, i); }
double uniform_f64(const RandomSite& site, int64_t i) { return element<uniforms_f64>(site, i); }
double normal(const RandomSite& site, int64_t i) { return element<normals>(site, i); }

void uniform_f32(const RandomSite& site, int64_t first, std::span<double> y) {
  elements<uniforms_f32>(site, first, y);
}
void uniform_f64(const RandomSite& site, int64_t first, std::span<double> y) {
  elements<uniforms_f64>(site, first, y);
}
void normal(const RandomSite& site, int64_t first, std::span<double> y) {
  elements<normals>(site, first, y);
}

}  // namespace slope
