// The trainer against kills: the run's folder as it is before each system call of every save, resumed, gives what the whole run gave.
#include <doctest/doctest.h>
#include <slope/core/system_call.h>
#include <slope/models/train/language_model.h>
#include <slope/models/train/run_folder.h>
#include <slope/models/train/trainer.h>
#include <slope/tests/temporary_folder.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace slope;
using namespace slope::train;
using slope::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

LanguageModelSettings small() {
  LanguageModelSettings s;
  s.block_size = 4, s.n_layer = 1, s.n_head = 1, s.n_embd = 4;
  s.training.batch_size = 2, s.training.steps = 4, s.training.validate_every = 2, s.training.save_every = 1, s.training.warmup = 0;
  return s;
}

// A task whose validations a Ctrl-C interrupts, where that is wanted.
struct Interrupted : LanguageModelTask {
  using LanguageModelTask::LanguageModelTask;
  bool at_validation = false;
  Evaluation evaluate() override {
    if (at_validation) std::raise(SIGINT);
    return LanguageModelTask::evaluate();
  }
};

RunResult run(const std::string& folder, const LanguageModelSettings& given, bool resume = true, bool interrupted = false) {
  LanguageModelSettings s = given;
  Interrupted task(s, "to be or not to be, that is the question: whether it is nobler in the mind");
  task.at_validation = interrupted;
  return train::train(task, s.training, settings_of(s), {.folder = folder, .resume = resume, .quiet = true});
}

std::string content(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
// All that a run gives, but its log, which holds times.
std::string outcome(const std::string& run) {
  return content(run + "/last/model.safetensors") + content(run + "/last/state.safetensors") + content(run + "/best/model.safetensors") +
         fs::read_symlink(run + "/last").string() + " " + fs::read_symlink(run + "/best").string();
}

}  // namespace

TEST_CASE("trainer: a kill before any system call of any save is resumed by itself, to the same bits") {
  for (const bool first_is_validated : {false, true}) {
    LanguageModelSettings s = small();
    if (first_is_validated) s.training.save_every = 0;
    const TemporaryFolder root;
    int instants = 0, alone = 0;
    const auto at = [&](int k) { return root.file("killed-" + std::to_string(k)); };
    sys::set_hook([&](const sys::Call& call) {
      const std::string name = call.name;
      if (name == "write" || name == "sync" || name == "open" || name == "read" || name == "close" || !fs::exists(root.file("run")))
        return 0;
      fs::copy(root.file("run"), at(instants++), fs::copy_options::recursive | fs::copy_options::copy_symlinks);
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
    CHECK(alone >= 1);  // a checkpoint that `last` does not lead to yet
  }
}

TEST_CASE("trainer: interrupted after the last step, a run is complete") {
  const TemporaryFolder root;
  LanguageModelSettings s = small();
  CHECK(run(root.file("run"), s, false, true).signal == SIGINT);  // at step 2
  CHECK(run(root.file("run"), s, true, true).signal == 0);
  CHECK(run(root.file("run"), s).steps == 4);
}
