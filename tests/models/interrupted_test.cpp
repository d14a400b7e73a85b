// A Ctrl-C at any piece of a run's work: the run is saved at once, and a resume goes on to the same
// bits.
#include <doctest/doctest.h>
#include <slope/models/run/run_state.h>
#include <slope/models/train/signals.h>
#include <slope/tests/models/small_run.h>
#include <slope/tests/temporary_folder.h>

#include <csignal>
#include <fstream>

using namespace slope;
using namespace slope::train;
using slope::test::outcome, slope::test::run_small, slope::test::small, slope::test::small_text;
using slope::test::TemporaryFolder;

namespace {

// A Ctrl-C during a task's n-th piece of work, counted from 0: a micro-batch, a validation, or the
// moment right after a validation.
struct InterruptedTask : LanguageModelTask {
  using LanguageModelTask::LanguageModelTask;
  int left = -1;
  void work() {
    if (left-- == 0) std::raise(SIGINT);
  }
  Work next() override {
    work();
    return LanguageModelTask::next();
  }
  Evaluation evaluate() override {
    work();
    const Evaluation evaluation = LanguageModelTask::evaluate();
    work();
    return evaluation;
  }
};

RunResult run_interrupted(const std::string& folder, const RunSettings& given, int at,
                          bool resume = false) {
  RunSettings s = given;
  InterruptedTask task(s, small_text);
  task.left = at;
  return run_small(task, s, folder, resume);
}
RunResult run_on(const std::string& folder, const RunSettings& s) {
  return run_interrupted(folder, s, -1, true);
}

// The losses of a run's validations, with their steps.
std::string validations(const std::string& run) {
  std::ifstream log(run + "/log.jsonl");
  std::string all;
  for (std::string line; std::getline(log, line);)
    if (const size_t at = line.find("\"validation_loss\""); at != line.npos)
      all += line.substr(0, line.find(',')) + line.substr(at) + "\n";
  return all;
}

}  // namespace

TEST_CASE(
    "interrupted: between the batches of any step or validation, it goes on to the same "
    "bits") {
  const TemporaryFolder root;
  RunSettings s = small();
  s.training.accumulate = 3, s.training.save_every = 0, s.training.average = 0.9;
  run_on(root.file("whole"), s);
  const std::string expected = outcome(root.file("whole"));
  constexpr int works = 4 * 3 + 2 * 2;  // micro-batches; two validations and the time after each
  for (int at = 0; at < works; ++at) {
    INFO("piece of work ", at);
    const std::string folder = root.file("run-" + std::to_string(at));
    const RunResult first = run_interrupted(folder, s, at);
    const bool is_over = at == works - 1;
    CHECK(first.signal == (is_over ? 0 : SIGINT));
    CHECK(run_on(folder, s).steps == 4);
    CHECK(outcome(folder) == expected);
    CHECK(validations(folder) == validations(root.file("whole")));
  }
}

TEST_CASE("interrupted: twice in the same validation, it still goes on to the same bits") {
  const TemporaryFolder root;
  const RunSettings s = small();
  run_on(root.file("whole"), s);
  CHECK(run_interrupted(root.file("run"), s, 2).signal == SIGINT);  // in the validation of step 2
  CHECK(RunState::read(root.file("run/last/state.json")).validation_due);
  CHECK(run_interrupted(root.file("run"), s, 0, true).signal == SIGINT);
  CHECK(run_on(root.file("run"), s).steps == 4);
  CHECK(outcome(root.file("run")) == outcome(root.file("whole")));
  CHECK(validations(root.file("run")) == validations(root.file("whole")));
}

TEST_CASE("interrupted: leaves no gradients and no signal behind") {
  const SignalGuard other;  // the caller's own, around the run's
  RunSettings s = small();
  s.training.accumulate = 2;
  InterruptedTask task(s, small_text);
  task.left = 1;
  const TemporaryFolder root;
  const RunResult result =
      train::train(task, s.training, s.all(), {.folder = root.file("run"), .quiet = true});
  CHECK(result.steps == 0);
  CHECK(task.position() == 0);
  for (const NamedTensor& p : task.parameters()) CHECK_FALSE(p.tensor.grad().defined());
}

// A Ctrl-C as the forward begins, or as the backward pass does.
struct InterruptedInside : LanguageModelTask {
  using LanguageModelTask::LanguageModelTask;
  bool in_backward = false, forward_ended = false, backward_ended = false;
  Work next() override {
    Work work = LanguageModelTask::next();
    work.loss = [this, loss = work.loss](int64_t begin, int64_t end) {
      if (!in_backward) std::raise(SIGINT);
      const Tensor y = loss(begin, end);
      forward_ended = true;
      if (in_backward) y.register_hook([](const Tensor&) { return std::raise(SIGINT), Tensor(); });
      return y;
    };
    return work;
  }
};

TEST_CASE(
    "interrupted: a signal ends a forward at its next module, a backward pass at its next node") {
  for (const bool in_backward : {false, true}) {
    RunSettings s = small();
    InterruptedInside task(s, small_text);
    task.in_backward = in_backward;
    task.parameters()[0].tensor.register_hook(
        [&](const Tensor&) { return task.backward_ended = true, Tensor(); });
    const TemporaryFolder root;
    const RunResult result =
        train::train(task, s.training, s.all(), {.folder = root.file("run"), .quiet = true});
    CHECK(result.signal == SIGINT);
    CHECK(result.steps == 0);
    CHECK(task.forward_ended == in_backward);
    CHECK(!task.backward_ended);
  }
}

TEST_CASE("interrupted: after the last step's validation, a run is complete") {
  const TemporaryFolder root;
  RunSettings s = small();
  CHECK(run_interrupted(root.file("run"), s, 2).signal == SIGINT);   // in the validation of step 2
  CHECK(run_interrupted(root.file("run"), s, 5, true).signal == 0);  // after that of step 4
  CHECK(run_on(root.file("run"), s).steps == 4);
}

TEST_CASE("interrupted: the run of a build that did not know a setting goes on with its default") {
  const TemporaryFolder root;
  RunSettings s = small();
  run_on(root.file("whole"), s);
  run_interrupted(root.file("run"), s, 2);
  const std::string file = root.file("run/last/state.json");
  RunState state = RunState::read(file);
  for (const char* key : {"\"amsgrad\":false,", "\"validation_size\":200000,"}) {
    const size_t at = state.settings.find(key);
    REQUIRE(at != std::string::npos);
    state.settings.erase(at, std::string(key).size());
  }
  std::ofstream(file) << state.text();
  s.set("amsgrad", "true");
  CHECK_THROWS_WITH_AS(run_on(root.file("run"), s), doctest::Contains("amsgrad was false, is true"),
                       UsageError);
  s.set("amsgrad", "false");
  CHECK(run_on(root.file("run"), s).steps == 4);
  CHECK(outcome(root.file("run")) == outcome(root.file("whole")));
}
