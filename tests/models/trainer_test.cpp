// The trainer against kills: a resume from the run's folder as it was before any one system call
// of a save gives the same as the uninterrupted run.
#include <doctest/doctest.h>
#include <slope/core/files/system_call.h>
#include <slope/models/run/run_folder.h>
#include <slope/models/run/run_state.h>
#include <slope/models/train/signals.h>
#include <slope/models/train/tasks/language_model_task.h>
#include <slope/models/train/trainer.h>
#include <slope/tests/fail_call.h>
#include <slope/tests/file_text.h>
#include <slope/tests/models/run_settings.h>
#include <slope/tests/sanitized.h>
#include <slope/tests/temporary_folder.h>
#include <slope/tests/threads.h>

#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>

using namespace slope;
using namespace slope::train;
using slope::test::settings_of, slope::test::TemporaryFolder;
namespace fs = std::filesystem;
using namespace std::string_literals;

namespace {

RunSettings small() {
  return settings_of("char-gpt", {{"block_size", "4"},
                                  {"n_layer", "1"},
                                  {"n_head", "1"},
                                  {"n_embd", "4"},
                                  {"batch_size", "2"},
                                  {"steps", "4"},
                                  {"validate_every", "2"},
                                  {"save_every", "1"},
                                  {"warmup", "0"}});
}

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

RunResult run(const std::string& folder, const RunSettings& given, bool resume = true,
              int interrupted_at = -1) {
  RunSettings s = given;
  InterruptedTask task(
      s, "to be or not to be, that is the question: whether it is nobler in the mind");
  task.left = interrupted_at;
  return train::train(task, s.training, s.all(),
                      {.folder = folder,
                       .resume = resume,
                       .quiet = true,
                       .values_before = values_before(RunSettings(s.type()).all())});
}

// All files of a run but its log, which contains times.
std::string outcome(const std::string& run) {
  return test::file_text(run + "/last/model.safetensors") +
         test::file_text(run + "/last/state.safetensors") +
         test::file_text(run + "/best/model.safetensors") +
         fs::read_symlink(run + "/last").string() + " " + fs::read_symlink(run + "/best").string();
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
    "trainer: a kill before any system call of any save is resumed by itself, to the same bits") {
  for (const bool first_is_validated : {false, true}) {
    RunSettings s = small();
    if (first_is_validated) s.training.save_every = 0;
    const TemporaryFolder root;
    int instants = 0, alone = 0;
    const auto at = [&](int k) { return root.file("killed-" + std::to_string(k)); };
    sys::set_hook([&](const sys::Call& call) {
      const std::string name = call.name;
      for (const char* other : {"write", "sync", "open", "read", "close", "look", "list"})
        if (name == other) return 0;  // leaves the names as they are
      if (!fs::exists(root.file("run"))) return 0;
      fs::copy(root.file("run"), at(instants++),
               fs::copy_options::recursive | fs::copy_options::copy_symlinks);
      return 0;
    });
    run(root.file("run"), s);
    sys::set_hook({});
    const std::string expected = outcome(root.file("run"));
    CHECK(instants > 20);
    for (int k = 0; k < instants; ++k) {
      CAPTURE(k);
      alone += resume_point(at(k)).starts_with("step-");
      run(at(k), s);
      CHECK(outcome(at(k)) == expected);
    }
    CHECK(alone >= 1);  // a checkpoint that `last` does not point to yet
  }
}

TEST_CASE(
    "trainer: whatever call fails, once or for good, nothing is lost: a resume gives the same "
    "bits, other files stay") {
  const KeepThreads restore;
  set_num_threads(1);  // thousands of runs so small that a second thread would only wait
  const RunSettings s = small();
  const TemporaryFolder root;
  run(root.file("whole"), s);
  const std::string expected = outcome(root.file("whole"));
  int single = 0, refusals = 0;
  // the kind of error makes no difference to memory access
  const std::vector<int> errors =
      test::sanitized ? std::vector{EIO} : std::vector{EIO, ESTALE, ENOSPC, EROFS};
  const int stride = test::sanitized ? 3 : 1;
  for (const int error : errors)
    for (const bool persistently : {false, true})
      for (int n = 1;; n += stride) {
        CAPTURE(n);
        CAPTURE(error);
        CAPTURE(persistently);
        const std::string folder = root.file("run");
        fs::remove_all(folder);
        fs::create_directories(folder + "/backup.tmp");
        std::ofstream(folder + "/thesis.tmp") << "mine";
        bool failed, threw = false;
        {
          const test::FailCall fail(n, error, persistently);
          try {
            run(folder, s);
          } catch (const IoError& e) {
            threw = true;
            CHECK(std::string(e.what()).find('\n') == std::string::npos);
          }
          failed = fail.failed();
        }
        if (!failed) {
          CHECK(n > 200);
          break;
        }
        if (!persistently) ++single;
        refusals += threw;
        // at the end of a run only superseded checkpoints are left to remove: they stay
        if (persistently && !threw) CHECK(outcome(folder) == expected);
        CHECK(fs::exists(folder + "/backup.tmp"));
        CHECK(test::file_text(folder + "/thesis.tmp") == "mine");
        run(folder, s);
        CHECK(outcome(folder) == expected);
      }
  CHECK(single > 200 / stride * static_cast<int>(errors.size()));
  CHECK(refusals > 400 / stride * static_cast<int>(errors.size()));
}

TEST_CASE("trainer: events for TensorBoard that cannot be written change nothing else") {
  RunSettings s = small();
  const TemporaryFolder root;
  run(root.file("whole"), s);
  const std::string expected = outcome(root.file("whole"));
  s.training.tensorboard = true;
  for (const bool persistently : {false, true})
    for (int n = 1, calls = n; n <= calls; ++n) {
      CAPTURE(n);
      calls = 0;
      sys::set_hook([&](const sys::Call& call) {
        // a name that cannot be looked at is an error: it may be a link
        if (call.path.find("/tensorboard") == call.path.npos || call.name == "look"s) return 0;
        ++calls;
        return calls == n || (persistently && calls > n) ? EIO : 0;
      });
      fs::remove_all(root.file("run"));
      run(root.file("run"), s);
      sys::set_hook({});
      CHECK(outcome(root.file("run")) == expected);
    }
}

TEST_CASE(
    "trainer: a checkpoint in which somebody keeps files of his own is not removed, nor replaced") {
  const TemporaryFolder root;
  RunSettings s = small();
  s.training.steps = 2;
  run(root.file("run"), s);
  std::ofstream(root.file("run/step-2/notes.txt")) << "mine";
  fs::create_directories(root.file("run/step-4"));
  std::ofstream(root.file("run/step-4/thesis")) << "mine";
  s.training.steps = 4;
  CHECK_THROWS_WITH_AS(run(root.file("run"), s), doctest::Contains("step-4: is in the way"),
                       IoError);
  CHECK(test::file_text(root.file("run/step-4/thesis")) == "mine");
  fs::rename(root.file("run/step-4"), root.file("run/step-3"));  // which only an interruption saves
  const std::string log = test::file_text(root.file("run/log.jsonl"));
  CHECK_THROWS_WITH_AS(run(root.file("run"), s), doctest::Contains("step-3: is in the way"),
                       IoError);
  CHECK(test::file_text(root.file("run/log.jsonl")) == log);     // before the first step
  fs::rename(root.file("run/step-3"), root.file("run/step-5"));  // beyond its steps
  run(root.file("run"), s);
  CHECK(test::file_text(root.file("run/step-2/notes.txt")) == "mine");
}

TEST_CASE(
    "trainer: of two guards the last one puts the handlers back, and only a second Ctrl-C would "
    "end the process") {
  struct sigaction before, now;
  sigaction(SIGINT, nullptr, &before);
  {
    const SignalGuard first;
    {
      const SignalGuard second;
      std::raise(SIGTERM);
      std::raise(SIGHUP);
      std::raise(SIGHUP);
      std::raise(SIGTERM);
      std::raise(SIGINT);
      CHECK(SignalGuard::received() == SIGTERM);
    }
    sigaction(SIGINT, nullptr, &now);
    CHECK((now.sa_handler != before.sa_handler));
    const SignalGuard third;
    CHECK(SignalGuard::received() == SIGTERM);  // a later guard keeps the signal
  }
  sigaction(SIGINT, nullptr, &now);
  CHECK((now.sa_handler == before.sa_handler));
  const SignalGuard fresh;
  CHECK(SignalGuard::received() == 0);
}

TEST_CASE("trainer: a signal is kept for later guards, and the handlers are put back meanwhile") {
  struct sigaction before, now;
  sigaction(SIGTERM, nullptr, &before);
  {
    const KeepSignal keep;
    CHECK(SignalGuard::received() == 0);
    {
      const SignalGuard guard;
      CHECK(SignalGuard::exists());
      std::raise(SIGTERM);
    }
    CHECK(!SignalGuard::exists());
    sigaction(SIGTERM, nullptr, &now);
    CHECK((now.sa_handler == before.sa_handler));
    const SignalGuard later;
    CHECK(SignalGuard::received() == SIGTERM);
  }
  const SignalGuard fresh;
  CHECK(SignalGuard::received() == 0);
}

TEST_CASE("trainer: a child that is forked under a guard ends by a signal") {
  const SignalGuard guard;
  const pid_t child = fork();
  if (child == 0) {
    { const SignalGuard of_child; }
    std::raise(SIGHUP);
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGHUP));
  CHECK(SignalGuard::exists());
}

TEST_CASE("trainer: a signal that was ignored before stays ignored") {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const auto before = std::signal(number, SIG_IGN);
    {
      const SignalGuard guard;
      std::raise(number);
      CHECK(SignalGuard::received() == 0);
    }
    std::signal(number, before);
  }
}

TEST_CASE(
    "trainer: interrupted between the batches of any step or validation, it goes on to the same "
    "bits") {
  const TemporaryFolder root;
  RunSettings s = small();
  s.training.accumulate = 3, s.training.save_every = 0, s.training.average = 0.9;
  run(root.file("whole"), s);
  const std::string expected = outcome(root.file("whole"));
  constexpr int works = 4 * 3 + 2 * 2;  // micro-batches; two validations and the time after each
  for (int at = 0; at < works; ++at) {
    INFO("piece of work ", at);
    const std::string folder = root.file("run-" + std::to_string(at));
    const RunResult first = run(folder, s, false, at);
    const bool is_over = at == works - 1;
    CHECK(first.signal == (is_over ? 0 : SIGINT));
    CHECK(run(folder, s).steps == 4);
    CHECK(outcome(folder) == expected);
    CHECK(validations(folder) == validations(root.file("whole")));
  }
}

TEST_CASE("trainer: interrupted twice in the same validation, it still goes on to the same bits") {
  const TemporaryFolder root;
  const RunSettings s = small();
  run(root.file("whole"), s);
  CHECK(run(root.file("run"), s, false, 2).signal == SIGINT);  // in the validation of step 2
  CHECK(RunState::read(root.file("run/last/state.json")).validation_due);
  CHECK(run(root.file("run"), s, true, 0).signal == SIGINT);
  CHECK(run(root.file("run"), s).steps == 4);
  CHECK(outcome(root.file("run")) == outcome(root.file("whole")));
  CHECK(validations(root.file("run")) == validations(root.file("whole")));
}

TEST_CASE("training: what was interrupted leaves no gradients and no signal behind") {
  const SignalGuard other;  // the caller's own, around the run's
  RunSettings s = small();
  s.training.accumulate = 2;
  InterruptedTask task(s, "to be or not to be, that is the question: whether it is nobler");
  task.left = 1;
  const TemporaryFolder root;
  const RunResult result =
      train::train(task, s.training, s.all(), {.folder = root.file("run"), .quiet = true});
  CHECK(result.steps == 0);
  CHECK(task.position() == 0);
  for (const NamedTensor& p : task.parameters()) CHECK_FALSE(p.tensor.grad().defined());
}

struct WithoutLog : LanguageModelTask {
  using LanguageModelTask::LanguageModelTask;
  std::string log;
  Work next() override {
    fs::remove(log);
    return LanguageModelTask::next();
  }
};

TEST_CASE("training: goes on where its log is removed meanwhile") {
  const TemporaryFolder root;
  RunSettings s = small();
  WithoutLog task(s, "to be or not to be, that is the question: whether it is nobler");
  task.log = root.file("run/log.jsonl");
  const RunResult result =
      train::train(task, s.training, s.all(), {.folder = root.file("run"), .quiet = true});
  CHECK(result.steps == s.training.steps);
  CHECK(fs::exists(root.file("run/last/model.safetensors")));
  CHECK_FALSE(fs::exists(task.log));
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

TEST_CASE("trainer: a signal ends a forward at its next module, a backward pass at its next node") {
  for (const bool in_backward : {false, true}) {
    RunSettings s = small();
    InterruptedInside task(s, "to be or not to be, that is the question: whether it is nobler");
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

TEST_CASE("trainer: interrupted after the last step's validation, a run is complete") {
  const TemporaryFolder root;
  RunSettings s = small();
  CHECK(run(root.file("run"), s, false, 2).signal == SIGINT);  // in the validation of step 2
  CHECK(run(root.file("run"), s, true, 5).signal == 0);        // after that of step 4
  CHECK(run(root.file("run"), s).steps == 4);
}

TEST_CASE("trainer: the run of a build that did not know a setting goes on with its default") {
  const TemporaryFolder root;
  RunSettings s = small();
  run(root.file("whole"), s);
  run(root.file("run"), s, false, 2);
  const std::string file = root.file("run/last/state.json");
  RunState state = RunState::read(file);
  for (const char* key : {"\"amsgrad\":false,", "\"validation_size\":200000,"}) {
    const size_t at = state.settings.find(key);
    REQUIRE(at != std::string::npos);
    state.settings.erase(at, std::string(key).size());
  }
  std::ofstream(file) << state.text();
  s.set("amsgrad", "true");
  CHECK_THROWS_WITH_AS(run(root.file("run"), s), doctest::Contains("amsgrad was false, is true"),
                       UsageError);
  s.set("amsgrad", "false");
  CHECK(run(root.file("run"), s).steps == 4);
  CHECK(outcome(root.file("run")) == outcome(root.file("whole")));
}
