// The machine's limits, measured in the same run as the cases: arithmetic, memory, and matrix
// products of the cases' shapes.
#include <slope/core/kernels/limits.h>
#include <slope/core/loops/parallel.h>
#include <slope/core/product/autocast.h>
#include <slope/core/product/bf16_unit.h>
#include <slope/core/product/blas.h>
#include <slope/core/product/gemm.h>
#include <slope/core/tensor/factories.h>
#include <slope/tools/bench/report.h>

#include <fmt/format.h>

#if defined(SLOPE_BLAS)
#include <cblas.h>
#endif

#include <atomic>

namespace slope::tools {

namespace {

// Work per ms of the fastest of many repetitions.
double best_rate(double work, const std::function<void()>& f) {
  double best = 1e300;
  const Stopwatch all;
  do {
    const Stopwatch watch;
    f();
    best = std::min(best, watch.ms());
  } while (all.ms() < 150);
  return work / best;
}

// A limit with one thread and with all.
MachineLimit on_threads(std::string what, std::string unit,
                        const std::function<double(int threads)>& rate) {
  const int all = num_threads();
  MachineLimit limit{std::move(what), std::move(unit)};
  set_num_threads(1);
  limit.one_thread = rate(1);
  set_num_threads(all);
  if (all > 1) limit.all_threads = rate(all);
  return limit;
}

MachineLimit arithmetic(const Limits& loops) {
  return on_threads(
      fmt::format("multiply-add, vectors of {}", name(cpu_isa())), "GFLOP/s", [&](int threads) {
        constexpr int64_t rounds = 400'000;
        std::atomic<float> kept = 0;  // keeps the loop from being optimised away
        const double flops = threads * static_cast<double>(rounds) * loops.flops_per_round;
        return best_rate(flops,
                         [&] {
                           parallel_for(threads, 1, [&](int64_t, int64_t) {
                             kept = loops.multiply_adds(rounds);
                           });
                         }) /
               1e6;
      });
}

// a = b + 3 c on n floats per thread, `passes` times.
MachineLimit bandwidth(const Limits& loops, const std::string& where, int64_t n, int64_t passes) {
  return on_threads(
      fmt::format("triad in {}, {:.1f} MB a thread", where, static_cast<double>(12 * n) / 1e6),
      "GB/s", [&](int threads) {
        const Tensor a = zeros({threads, n}), b = ones({threads, n}), c = ones({threads, n});
        const auto to = a.write<float>();
        const double bytes = 12.0 * static_cast<double>(n * passes * threads);
        return best_rate(bytes,
                         [&] {
                           parallel_for(threads, 1, [&](int64_t t, int64_t) {
                             for (int64_t p = 0; p < passes; ++p)
                               loops.triad(n, to + t * n, b.data<float>() + t * n,
                                           c.data<float>() + t * n);
                           });
                         }) /
               1e6;
      });
}

struct Shape {
  const char* of;
  int m, n, k;
};
// Products of the training cases; a GPT is named by its channels.
constexpr Shape shapes[] = {
    {"translation, projection", 3072, 256, 256}, {"translation, feed-forward", 3072, 512, 256},
    {"translation, head", 3072, 6000, 256},      {"base, projection", 1024, 512, 512},
    {"base, feed-forward", 1024, 2048, 512},     {"base, head", 1024, 10000, 512},
    {"GPT 128, q k v", 768, 384, 128},           {"GPT 128, feed-forward", 768, 512, 128},
    {"GPT 384, q k v", 2048, 1152, 384},         {"GPT 384, feed-forward", 2048, 1536, 384},
    {"GPT 768, q k v", 256, 2304, 768},          {"GPT 768, feed-forward", 256, 3072, 768},
    {"GPT 768, head", 256, 50257, 768},
};

// x W^T, as in a linear layer's forward.
void products(const Shape& s, std::vector<MachineLimit>& limits) {
  const Tensor x = randn({s.m, s.k}), w = randn({s.n, s.k}), y = zeros({s.m, s.n});
  const auto out = y.write<float>();
  const double flops = 2.0 * s.m * s.n * s.k;
  const std::string shape = fmt::format("{} ({} x {} x {})", s.of, s.m, s.n, s.k);
  limits.push_back(on_threads("gemm: " + shape, "GFLOP/s", [&](int) {
    const Autocast products(f32);
    return best_rate(flops,
                     [&] {
                       gemm<float>(false, true, s.m, s.n, s.k, 1, x.data<float>(), s.k,
                                   w.data<float>(), s.k, 0, out, s.n);
                     }) /
           1e6;
  }));
  limits.push_back(
      on_threads(fmt::format("bf16 ({}): {}", name(bf16_unit()), shape), "GFLOP/s", [&](int) {
        const Autocast products(bf16);
        return best_rate(flops,
                         [&] {
                           gemm<float>(false, true, s.m, s.n, s.k, 1, x.data<float>(), s.k,
                                       w.data<float>(), s.k, 0, out, s.n);
                         }) /
               1e6;
      }));
#if defined(SLOPE_BLAS)
  initialise_blas();
  limits.push_back(on_threads("cblas_sgemm: " + shape, "GFLOP/s", [&](int threads) {
    openblas_set_num_threads(threads);  // OpenBLAS may split the product as it likes
    const double rate = best_rate(flops, [&] {
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, s.m, s.n, s.k, 1, x.data<float>(), s.k,
                  w.data<float>(), s.k, 0, out, s.n);
    });
    openblas_set_num_threads(1);
    return rate / 1e6;
  }));
#endif
}

}  // namespace

std::vector<MachineLimit> measure_machine() {
  const Limits& loops = kernels<Limits>();
  std::vector<MachineLimit> limits = {arithmetic(loops), bandwidth(loops, "cache", 1 << 14, 200),
                                      bandwidth(loops, "memory", 1 << 24, 1)};
  for (const Shape& s : shapes) products(s, limits);
  return limits;
}

}  // namespace slope::tools
