// A run that takes milliseconds: four steps of a small char-gpt on a sentence.
#pragma once

#include <slope/models/run/run_settings.h>
#include <slope/models/train/tasks/language_model_task.h>
#include <slope/models/train/trainer.h>
#include <slope/tests/file_text.h>
#include <slope/tests/models/run_settings.h>

#include <filesystem>

namespace slope::test {

inline constexpr const char* small_text =
    "to be or not to be, that is the question: whether it is nobler in the mind";

inline train::RunSettings small() {
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

inline train::RunResult run_small(train::Task& task, train::RunSettings& s,
                                  const std::string& folder, bool resume = true) {
  return train::train(task, s.training, s.all(),
                      {.folder = folder,
                       .resume = resume,
                       .quiet = true,
                       .values_before = train::values_before(train::RunSettings(s.type()).all())});
}

// All files of a run but its log, which contains times.
inline std::string outcome(const std::string& run) {
  return file_text(run + "/last/model.safetensors") + file_text(run + "/last/state.safetensors") +
         file_text(run + "/best/model.safetensors") +
         std::filesystem::read_symlink(run + "/last").string() + " " +
         std::filesystem::read_symlink(run + "/best").string();
}

}  // namespace slope::test
