// A model with running averages and dropout: an interruption and a checkpoint's picture leave it as
// it was.
#include <doctest/doctest.h>
#include <slope/core/files/folder_sink.h>
#include <slope/models/run/settings.h>
#include <slope/models/train/tasks/points_task.h>
#include <slope/models/train/trainer.h>
#include <slope/tests/file_text.h>
#include <slope/tests/temporary_folder.h>

#include <csignal>

using namespace slope;
using namespace slope::train;
using slope::test::file_text, slope::test::TemporaryFolder;

namespace {

struct Config {
  int64_t hidden = 4;
  SLOPE_CONFIG(key(hidden, "channels", 1, 64))
};

struct Averaging {
  Config config;
  nn::Linear in, out;
  nn::BatchNorm1d norm;
  nn::Dropout drop;
  explicit Averaging(const Config& c)
      : config(c), in(2, c.hidden), out(c.hidden, 1), norm(c.hidden) {}
  Tensor forward(const Tensor& x) const { return out(drop(tanh(norm(in(x))))); }
  SLOPE_MODULE(Averaging, in, out, norm, drop)
};

RunSettings three_steps() {
  static const models::ModelTypePtr type = models::points<Averaging>("averaging", "for a test");
  RunSettings settings(*type);
  settings.training.steps = 3;
  settings.training.accumulate = 2;
  return settings;
}

// A Ctrl-C behind the forward of the n-th micro-batch, counted from 0.
struct StoppedTask : PointsTask {
  using PointsTask::PointsTask;
  int left = -1;
  Work next() override {
    Work work = PointsTask::next();
    if (left-- != 0) return work;
    work.loss = [loss = work.loss](int64_t begin, int64_t end) {
      const Tensor y = loss(begin, end);
      std::raise(SIGINT);
      return y;
    };
    return work;
  }
};

RunResult run(const std::string& folder, int interrupted_at = -1) {
  RunSettings s = three_steps();
  StoppedTask task(s);
  task.left = interrupted_at;
  return train::train(task, s.training, s.all(),
                      {.folder = folder,
                       .resume = true,
                       .quiet = true,
                       .values_before = values_before(RunSettings(s.type()).all())});
}

}  // namespace

TEST_CASE("running averages: a step that is interrupted after a forward is repeated as it began") {
  const TemporaryFolder root;
  run(root.file("whole"));
  const std::string expected = file_text(root.file("whole/last/model.safetensors"));
  for (int at = 0; at < 3 * 2; ++at) {
    CAPTURE(at);
    const std::string folder = root.file("run-" + std::to_string(at));
    CHECK(run(folder, at).signal == SIGINT);
    CHECK(run(folder).steps == 3);
    CHECK(file_text(folder + "/last/model.safetensors") == expected);
  }
}

TEST_CASE(
    "points: a checkpoint's picture is of the model in evaluation, which it does not change") {
  const TemporaryFolder root;
  PointsTask task(three_steps());
  const auto saved = [&](const std::string& name, bool training) {
    task.set_training(training);
    FolderSink sink(root.file(name));
    task.save(sink);
    sink.commit();
    return file_text(root.file(name + "/boundary.svg")) +
           file_text(root.file(name + "/model.safetensors"));
  };
  const std::string expected = saved("step-1", false);
  CHECK(saved("step-2", true) == expected);
  CHECK(saved("step-3", true) == expected);
}
