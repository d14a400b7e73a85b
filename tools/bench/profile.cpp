// Where a case's time goes: a table of operations and derivatives with their modules, and a trace
// for Chrome or Perfetto.
#include <slope/autograd/observers/profile.h>
#include <slope/core/files/file_sink.h>
#include <slope/tools/bench/case.h>
#include <slope/tools/command.h>

namespace slope::tools {

void profile(const BenchCase& bench_case, int64_t steps, const std::string& trace_file) {
  constexpr int most_rows = 40;
  if (!trace_file.empty()) FileSink{trace_file};  // refuses a bad name before anything is measured
  const auto workload = bench_case.make();
  workload->run(2);
  const Profile profile;
  const int64_t n = steps > 0 ? steps : 5;
  workload->run(n);
  Profile::mark("the rest");
  print(fmt::format("{}, {} steps\n{}\n", bench_case.name, n, profile.table(most_rows)));
  flush();
  if (!trace_file.empty()) write_file(trace_file, profile.chrome_trace());
}

}  // namespace slope::tools
