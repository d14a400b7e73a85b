// The weights of a checkpoint: written with PyTorch's names, read back strictly. Nothing is ever
// half-loaded: everything is checked before a tensor changes.
#pragma once

#include <slope/core/files/folder_sink.h>
#include <slope/core/files/safetensors.h>
#include <slope/nn/nn.h>

namespace slope::train {

// model.safetensors, and the vocabularies under their files' names. Its metadata hold their
// checksums: without the vocabularies the weights mean nothing.
void save_model(const FolderSink& folder, nn::ModuleRef model,
                const std::map<std::string, std::string>& vocabularies);
// InputError that names the first tensor with nan or inf
TensorFile load_finite(const std::string& file);
// Copies the file's tensors into the model's, and releases the memory that reading them took.
void load_named(nn::ModuleRef model, TensorFile&& tensors, const std::string& file);

int64_t elements_in(const TensorFile& tensors);

// The vocabulary has this many tokens, and the checksum recorded in the weights' metadata, if there
// is one.
void check_vocabulary(const TensorFile& tensors, int64_t size, const std::string& vocab_file);

// Calls make(), which must not allocate more than the weights can fill: a config that claims too
// much is an InputError before the memory is taken. (The limit is twice the file's elements,
// because the file has tied tensors only once.)
template <class Make>
auto within_size_of(const TensorFile& weights, const Make& make) {
  const nn::init::ElementLimit limit(2 * elements_in(weights) + (1 << 20));
  return make();
}

// Calls f. Whatever it refuses, even a setting, is the fault of `file`: an InputError that names
// it.
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
