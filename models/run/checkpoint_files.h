// The weights of a checkpoint: written with PyTorch's names, read back strictly. Nothing is
// half-loaded: all is checked before a tensor changes.
#pragma once

#include <slope/core/files/folder_sink.h>
#include <slope/core/files/safetensors.h>
#include <slope/nn/nn.h>

namespace slope::train {

// model.safetensors, and the vocabularies by their files' names. Its metadata keep their checksums:
// without them the weights mean nothing.
void save_model(const FolderSink& folder, nn::ModuleRef model,
                const std::map<std::string, std::string>& vocabularies);
// InputError naming the first tensor that holds nan or inf
TensorFile load_finite(const std::string& file);
// Copies the file's tensors into the model's, and gives back the memory that reading them took.
void load_named(nn::ModuleRef model, TensorFile&& tensors, const std::string& file);

// The file's tensor `name` must have this shape; `says` is the file that claims it. So nothing is
// built that the weights do not fill.
void check_size(const TensorFile& tensors, const std::string& name, const Dims& shape,
                const std::string& says);
// The vocabulary has as many words, and is the one whose checksum the metadata hold, if they do.
void check_vocabulary(const TensorFile& tensors, const std::string& embedding, int64_t words,
                      const std::string& vocab_file);

// What f gives. What it refuses, a setting too, is the fault of `file`: an
// InputError that names it.
template <class F>
auto blame(const std::string& file, F f) {
  try {
    return f();
  } catch (const UsageError& e) {
    throw InputError(fmt::format("{}: {}", file, e.what()));
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: {}", file, e.what()));
  }
}

}  // namespace slope::train
