// A run's model as other programs load it: a new folder with
//   model.safetensors   every name of PyTorch's state_dict, a tied tensor under each of its names
//   config.json         the settings, `tied` (each further name, and the first), and `modules`:
//   what
//                       PyTorch prints of the model, with the kind of gelu, eps and biases
//   *.vocab, *.model    the tokenizers
#pragma once

#include <string>

namespace slope::train {

// UsageError where the folder exists already; nothing is left behind if it fails.
void export_to_pytorch(const std::string& run, const std::string& folder);

}  // namespace slope::train
