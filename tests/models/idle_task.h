// A Task for tests: it has no data and saves nothing; what a test needs of it, it overrides.
#pragma once

#include <slope/models/train/task.h>

namespace slope::test {

struct IdleTask : train::Task {
  void seek(int64_t) override {}
  train::Work next() override { return {}; }
  int64_t position() const override { return 0; }
  int64_t epoch_length() const override { return 0; }
  train::Evaluation evaluate() override { return {}; }
  void save(const FolderSink&) const override {}
  void load_weights(const std::string&) override {}
  std::string fingerprint() const override { return ""; }

 private:
  void switch_training(bool) override {}
};

}  // namespace slope::test
