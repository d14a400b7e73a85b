// Timing a case, and the table that shows it.
#pragma once

#include <slope/tools/bench/case.h>

#include <nlohmann/json_fwd.hpp>

#include <chrono>

namespace slope::tools {

class Stopwatch {
 public:
  double ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_)
        .count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct Measured {
  std::string name;
  int64_t steps = 0;
  double median_ms = 0, min_ms = 0, max_ms = 0;
  double gflops = 0, tokens_per_second = 0;  // medians over the steps; 0: the case has none
  double peak_mb = 0;
};

// Times each step separately, after a few warm-up steps. steps 0: as many as fit in about two
// seconds, at least 5.
Measured measure(const BenchCase& bench_case, int64_t steps);

std::string table_head();
std::string table_line(const Measured& m);
nlohmann::ordered_json to_json(const Measured& m);

struct MachineLimit {
  std::string what, unit;
  double one_thread = 0, all_threads = 0;  // 0: not measured
};
std::vector<MachineLimit> measure_machine();  // machine.cpp
std::string machine_table(const std::vector<MachineLimit>& limits);
nlohmann::ordered_json to_json(const std::vector<MachineLimit>& limits);

}  // namespace slope::tools
