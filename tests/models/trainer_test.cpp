// The files of a run: killed before any one system call of a save, failing, foreign or gone. What
// is resumed gives the same as the uninterrupted run.
#include <doctest/doctest.h>
#include <slope/core/files/system_call.h>
#include <slope/models/run/run_folder.h>
#include <slope/models/run/run_state.h>
#include <slope/tests/fail_call.h>
#include <slope/tests/file_text.h>
#include <slope/tests/models/small_run.h>
#include <slope/tests/sanitized.h>
#include <slope/tests/temporary_folder.h>
#include <slope/tests/threads.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

using namespace slope;
using namespace slope::train;
using slope::test::outcome, slope::test::run_small, slope::test::small, slope::test::small_text;
using slope::test::TemporaryFolder;
namespace fs = std::filesystem;
using namespace std::string_literals;

namespace {

RunResult run(const std::string& folder, const RunSettings& given) {
  RunSettings s = given;
  LanguageModelTask task(s, small_text);
  return run_small(task, s, folder);
}

struct WithoutLog : LanguageModelTask {
  using LanguageModelTask::LanguageModelTask;
  std::string log;
  Work next() override {
    fs::remove(log);
    return LanguageModelTask::next();
  }
};

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

TEST_CASE("trainer: goes on where its log is removed meanwhile") {
  const TemporaryFolder root;
  RunSettings s = small();
  WithoutLog task(s, small_text);
  task.log = root.file("run/log.jsonl");
  const RunResult result =
      train::train(task, s.training, s.all(), {.folder = root.file("run"), .quiet = true});
  CHECK(result.steps == s.training.steps);
  CHECK(fs::exists(root.file("run/last/model.safetensors")));
  CHECK_FALSE(fs::exists(task.log));
}
