// Serves one case to a program that alternates it with another implementation, by the protocol of
// compare/protocol.md on standard input and output.
#include <slope/core/error.h>
#include <slope/tools/bench/case.h>
#include <slope/tools/bench/report.h>

#include <charconv>
#include <iostream>

namespace slope::tools {

namespace {

// K of "run K"; 0 for any other line.
int64_t steps_of(const std::string& line) {
  int64_t steps = 0;
  const char* end = line.data() + line.size();
  if (!line.starts_with("run ") || line.size() > 14 ||
      std::from_chars(line.data() + 4, end, steps).ptr != end)
    return 0;
  return std::max<int64_t>(steps, 0);
}

}  // namespace

int serve(const BenchCase& bench_case) {
  std::unique_ptr<Workload> workload;
  std::cout << "ready" << std::endl;
  for (std::string line; std::getline(std::cin, line) && line != "quit";) {
    if (line == "load") {
      workload = bench_case.make();
      std::cout << "loaded " << workload->parameters() << " " << workload->batches() << std::endl;
      continue;
    }
    const int64_t steps = steps_of(line);
    SLOPE_CHECK_AS(UsageError, workload && steps > 0,
                   "bench: expected load, run K or quit, got '{}'", line);
    const Stopwatch watch;
    const Done done = workload->run(steps);
    const double ms = watch.ms(), n = static_cast<double>(steps);
    std::cout << fmt::format("{} {:.4f} {:.6f} {:.0f} {:.0f}", steps, ms, done.loss, done.flops / n,
                             done.bytes / n)
              << std::endl;
  }
  return 0;
}

}  // namespace slope::tools
