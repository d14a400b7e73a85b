// Loading values into a model by name. Everything is checked before anything is written: when it
// fails, the model is as it was.
#pragma once

#include <slope/nn/module/state.h>

namespace slope {

struct TensorFile;  // core/files/safetensors.h

namespace nn {

struct LoadReport {
  struct Misfit {
    std::string name, reason;  // "expected shape (2, 3), got (3, 2)"
  };
  std::vector<std::string> missing;     // the model has them, the file does not
  std::vector<std::string> unexpected;  // the other way round
  // shape or dtype differ, or two names of one tied tensor have different values
  std::vector<Misfit> misfits;

  bool ok() const { return missing.empty() && unexpected.empty() && misfits.empty(); }
  // one line with all names; for a missing one, the unexpected one that it may have been meant by
  std::string message() const;
};

struct LoadOptions {
  // otherwise missing and unexpected names are only reported; misfits are errors always
  bool strict = true;
};

// Copies the values into the model's own tensors (f32 and f64 convert into each other). Of a tied
// tensor's names one is enough; it stays tied. InputError with the report's message.
LoadReport load(ModuleRef model, const NamedTensors& tensors, LoadOptions options = {});
// also understands names left out by the file's `tied`
LoadReport load(ModuleRef model, const TensorFile& file, LoadOptions options = {});

}  // namespace nn
}  // namespace slope
