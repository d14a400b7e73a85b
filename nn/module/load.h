// Loads values into a model by name. Everything is checked before anything is written, so an error
// leaves the model unchanged.
#pragma once

#include <slope/nn/module/state.h>

namespace slope {

struct TensorFile;  // core/files/safetensors.h

namespace nn {

struct LoadReport {
  struct Misfit {
    std::string name, reason;  // "size mismatch for NAME: copying a param with shape …"
  };
  std::string model;                    // its type
  std::vector<std::string> missing;     // in the model, not in the file
  std::vector<std::string> unexpected;  // in the file, not in the model
  // shape or dtype differ, or two names of one tied tensor have different values
  std::vector<Misfit> misfits;

  bool ok() const { return missing.empty() && unexpected.empty() && misfits.empty(); }
  // PyTorch's words in one line; after a missing name, the unexpected one that was probably meant
  std::string message() const;
};

struct LoadOptions {
  // false: missing and unexpected names are only reported; misfits are always errors
  bool strict = true;
};

// Copies the values into the model's own tensors (f32 and f64 convert into each other). A tied
// tensor needs only one of its names and stays tied. An error is an InputError with message().
LoadReport load(ModuleRef model, const NamedTensors& tensors, LoadOptions options = {});
// The same from a file. A name that the file lacks gets the values of the saved name that the
// metadata gives for it (StateDict::tied).
LoadReport load(ModuleRef model, const TensorFile& file, LoadOptions options = {});

}  // namespace nn
}  // namespace slope
