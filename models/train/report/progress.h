// What the user sees of a run: a line that is redrawn on a terminal (stderr), or plain lines on
// stdout.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace slope::train {

struct ProgressState {
  int64_t step = 0, total = 0;
  std::optional<double> epoch;  // how many are done, where the task has any
  double loss = 0, lr = 0, tokens_per_second = 0;
};

class Progress {
 public:
  explicit Progress(bool quiet = false);
  ~Progress();
  // Redraws the line on a terminal. Without one it prints a line if `log_line` is set.
  void update(const ProgressState& state, bool log_line);
  void message(const std::string& line);  // prints a line that stays, on stdout

 private:
  void clear();
  bool quiet_, terminal_, drawn_ = false, said_unwritten_ = false;
  std::chrono::steady_clock::time_point start_, last_;
  int64_t first_step_ = -1;
};

bool draws_escapes(int descriptor);    // a terminal, but not one with TERM=dumb
std::string duration(double seconds);  // "1:02:03" or "02:03"

// "  43% ████▎      430/1000 [00:12<00:16, 5100 tokens/s, loss 1.92, lr 5e-04]"
std::string progress_line(const ProgressState& state, double elapsed, int64_t steps_here,
                          int width);

}  // namespace slope::train
