// The case start-up: from a process's start to the end of its first training step; the program
// restarts itself for each measurement.
#include <slope/core/loops/parallel.h>
#include <slope/core/product/autocast.h>
#include <slope/nn/layers/linear.h>
#include <slope/tools/bench/tasks.h>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace slope::tools {

namespace {

// This program's peak resident set. The ru_maxrss of getrusage would not do: it starts at what the
// parent held at the fork.
int64_t peak_resident_kb() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:") {
      int64_t kb = 0;
      status >> kb;
      return kb;
    }
  throw IoError("bench: /proc/self/status has no VmHWM");
}

// Runs `slope bench start-up --once` and returns what it prints.
std::string start_once() {
  std::vector<std::string> words = {"slope",       "bench",
                                    "start-up",    "--once",
                                    "--threads",   std::to_string(num_threads()),
                                    "--precision", autocast_dtype() == bf16 ? "bf16" : "f32"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int ends[2];
  if (pipe(ends) != 0) throw IoError(fmt::format("bench: no pipe: {}", std::strerror(errno)));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  pid_t child = 0;
  const int failed =
      posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  char buffer[64];
  for (ssize_t n = 0; !failed && (n = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(n));
  close(ends[0]);
  int status = 0;
  if (failed || waitpid(child, &status, 0) != child || status != 0)
    throw IoError("bench: slope could not restart itself");
  return text;
}

class Starts : public Workload {
 public:
  Done run(int64_t steps) override {
    for (int64_t i = 0; i < steps; ++i) peak_kb_ = std::max(peak_kb_, std::stoll(start_once()));
    return {};
  }
  double peak_mb() const override { return static_cast<double>(peak_kb_) * 1024 / 1e6; }

 private:
  long long peak_kb_ = 0;
};

}  // namespace

int first_step() {
  constexpr int64_t C = 512, B = 32;
  auto model = std::make_unique<nn::Linear>(C, C);
  const nn::Linear& m = *model;
  const FixedLoss loss = [&m](const FixedBatch& b) {
    return mse_loss(m(b.input), b.target, Reduction::sum);
  };
  Training<std::unique_ptr<nn::Linear>> training(
      std::move(model), m, {{.input = randn({B, C}), .target = randn({B, C}), .targets = B * C}},
      loss, {.lr = 1e-3, .clip = 0});
  training.run(1);
  std::printf("%lld\n", static_cast<long long>(peak_resident_kb()));
  return 0;
}

BenchCase start_case() {
  return {"start-up",
          "from the start of a process to the end of a first step: Linear 512 to 512, batch 32, "
          "Adam; peak resident memory",
          [] { return std::make_unique<Starts>(); }};
}

}  // namespace slope::tools
