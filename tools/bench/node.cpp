// The cost of recording: a small operation on the tape, and a chain of a million.
#include <slope/autograd/ops.h>
#include <slope/core/memory/memory.h>
#include <slope/tools/bench/case.h>
#include <slope/tools/bench/report.h>
#include <slope/tools/command.h>

namespace slope::tools {

int measure_nodes() {
  const Tensor x = randn({16}).set_requires_grad(), y = randn({16});
  constexpr int n = 1000, rounds = 200;
  double best = 1e300;
  for (int r = 0; r < rounds; ++r) {
    const Stopwatch watch;
    Tensor z = x;
    for (int i = 0; i < n; ++i) z = z + y;
    z.backward(ones({16}));
    x.set_grad({});
    best = std::min(best, watch.ms() * 1e3 / n);
  }
  print(fmt::format("add of 16 floats, recorded, forward and backward: {:.3f} µs\n", best));
  flush();
  memory::reset_peak();
  const int64_t before = memory::stats().live;
  const Stopwatch watch;
  double forward = 0;
  {
    Tensor z = x;
    for (int i = 0; i < 1'000'000; ++i) z = z + 1.0;
    forward = watch.ms();
    z.backward(ones({16}));
  }
  print(fmt::format(
      "chain of 1,000,000 nodes: forward {:.2f} s, backward and freeing {:.2f} s, {:.0f} MB\n",
      forward / 1e3, (watch.ms() - forward) / 1e3,
      static_cast<double>(memory::stats().peak - before) / 1e6));
  return 0;
}

}  // namespace slope::tools
