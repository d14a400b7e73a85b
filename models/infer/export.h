// A run's model as other programs load it: a new folder with
//   model.safetensors   every name of PyTorch's state_dict, a tied tensor under each of its names
//   config.json         the settings;
//                       `tied`: for each further name of a tensor, its first name;
//                       `modules`: the model as PyTorch prints it, with eps, biases, kinds of gelu
//                       (as published: the norms of two models print no eps; it is 1e-6)
//   *.vocab, *.model, *.spacing    the tokenizers
#pragma once

#include <string>

namespace slope::train {

// UsageError if the folder exists already, or another process is writing it. A failure leaves
// nothing behind; what a kill left is removed by the next export to the same folder.
void export_to_pytorch(const std::string& run, const std::string& folder);

}  // namespace slope::train
