// What `slope bench` measures. A case makes a workload; a workload runs steps and reports on them.
// The command times them (report.h) or lets another program do it (serve.cpp).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace slope::tools {

// What some steps did: all are totals, except the loss.
struct Done {
  double loss = 0;     // mean
  int64_t tokens = 0;  // read in training, source and target; written in decoding
  double flops = 0;    // of the matrix products: 2 m n k forward, twice that backward
  double bytes = 0;    // memory traffic that no implementation can avoid: traffic.h
};

class Workload {
 public:
  virtual ~Workload() = default;
  virtual Done run(int64_t steps) = 0;
  virtual int64_t parameters() const { return 0; }
  // After this many steps the first batch is used again.
  virtual int64_t batches() const { return 1; }
  virtual double peak_mb() const;  // of the allocator, since its last reset
};

struct BenchCase {
  std::string name, about;
  std::function<std::unique_ptr<Workload>()> make;
};

std::vector<BenchCase> training_cases();  // models.cpp
std::vector<BenchCase> decoding_cases();  // decoding.cpp
std::vector<BenchCase> op_cases();        // ops.cpp
BenchCase start_case();                   // start.cpp

// real.cpp: training on the batches of a file; write_batches() makes such a file from a text
BenchCase real_case(const std::string& batches_file);
void write_batches(const std::string& file, const std::string& text_prefix, int64_t count);

// What start_case() runs in a new process: takes one step, prints the peak resident set in kB.
int first_step();
int measure_nodes();  // node.cpp: the cost of recording an operation, and a chain of a million

// scale.cpp: time and memory of a step against each of its sizes; plots go to the folder
int measure_scale(const std::string& folder);

// profile.cpp
void profile(const BenchCase& bench_case, int64_t steps, const std::string& trace_file);

// serve.cpp: speaks compare/protocol.md on standard input and output
int serve(const BenchCase& bench_case);

}  // namespace slope::tools
