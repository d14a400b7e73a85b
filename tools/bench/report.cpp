#include <slope/core/loops/parallel.h>
#include <slope/core/memory/memory.h>
#include <slope/tools/bench/report.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace slope::tools {

namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  return n == 0 ? 0 : (values[(n - 1) / 2] + values[n / 2]) / 2;
}

std::string number_or_dash(double value, int digits) {
  return value > 0 ? fmt::format("{:.{}f}", value, digits) : "-";
}

constexpr double enough_ms = 2000;
constexpr size_t least_steps = 5;

}  // namespace

double Workload::peak_mb() const { return static_cast<double>(memory::stats().peak) / 1e6; }

Measured measure(const BenchCase& bench_case, int64_t steps) {
  memory::release_cached();  // each case starts without cached blocks, as a new process does
  const auto workload = bench_case.make();
  workload->run(2);
  memory::reset_peak();
  std::vector<double> times, flop_rates, token_rates;
  const auto enough = [&, all = Stopwatch()] {
    return steps > 0 ? static_cast<int64_t>(times.size()) >= steps
                     : times.size() >= least_steps && all.ms() >= enough_ms;
  };
  while (!enough()) {
    const Stopwatch watch;
    const Done done = workload->run(1);
    const double ms = watch.ms();
    times.push_back(ms);
    flop_rates.push_back(done.flops / ms / 1e6);
    token_rates.push_back(static_cast<double>(done.tokens) / ms * 1e3);
  }
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  return {.name = bench_case.name,
          .steps = static_cast<int64_t>(times.size()),
          .median_ms = median(times),
          .min_ms = *least,
          .max_ms = *most,
          .gflops = median(flop_rates),
          .tokens_per_second = median(token_rates),
          .peak_mb = workload->peak_mb()};
}

std::string table_head() {
  return fmt::format("{:<18} {:>6} {:>10} {:>10} {:>10} {:>9} {:>8} {:>9} {:>8}", "case", "steps",
                     "median ms", "min ms", "max ms", "steps/s", "GFLOP/s", "tokens/s", "peak MB");
}

std::string table_line(const Measured& m) {
  return fmt::format("{:<18} {:>6} {:>10.3f} {:>10.3f} {:>10.3f} {:>9.1f} {:>8} {:>9} {:>8.2f}",
                     m.name, m.steps, m.median_ms, m.min_ms, m.max_ms, 1e3 / m.median_ms,
                     number_or_dash(m.gflops, 1), number_or_dash(m.tokens_per_second, 0),
                     m.peak_mb);
}

nlohmann::ordered_json to_json(const Measured& m) {
  nlohmann::ordered_json json = {
      {"case", m.name},     {"steps", m.steps},   {"median_ms", m.median_ms},
      {"min_ms", m.min_ms}, {"max_ms", m.max_ms}, {"steps_per_second", 1e3 / m.median_ms}};
  if (m.gflops > 0) json["gflops"] = m.gflops;
  if (m.tokens_per_second > 0) json["tokens_per_second"] = m.tokens_per_second;
  json["peak_mb"] = m.peak_mb;
  return json;
}

std::string machine_table(const std::vector<MachineLimit>& limits) {
  std::string text = fmt::format("{:<50} {:<8} {:>10} {:>10}\n", "machine", "", "1 thread",
                                 fmt::format("{} threads", num_threads()));
  for (const MachineLimit& l : limits)
    text += fmt::format("{:<50} {:<8} {:>10} {:>10}\n", l.what, l.unit,
                        number_or_dash(l.one_thread, 1), number_or_dash(l.all_threads, 1));
  return text;
}

nlohmann::ordered_json to_json(const std::vector<MachineLimit>& limits) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const MachineLimit& l : limits) {
    nlohmann::ordered_json entry = {{"what", l.what}, {"unit", l.unit}};
    if (l.one_thread > 0) entry["one_thread"] = l.one_thread;
    if (l.all_threads > 0) entry["all_threads"] = l.all_threads;
    json.push_back(entry);
  }
  return json;
}

}  // namespace slope::tools
