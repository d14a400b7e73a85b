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

int64_t elements_in(const TensorFile& tensors);

// The vocabulary has as many tokens, and is the one whose checksum the weights were saved with, if
// their metadata tell.
void check_vocabulary(const TensorFile& tensors, int64_t size, const std::string& vocab_file);

// make(), which must not ask for more than the weights can fill: a config that claims too much is
// an InputError before the memory is taken. (Twice their elements: tied tensors are in the file
// once.)
template <class Make>
auto within_size_of(const TensorFile& weights, const Make& make) {
  const nn::init::ElementLimit limit(2 * elements_in(weights) + (1 << 20));
  return make();
}

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
