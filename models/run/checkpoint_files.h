// The weights of a checkpoint: written with PyTorch's names, read back strictly. Nothing is ever
// half-loaded: everything is checked before a tensor changes.
#pragma once

#include <slope/core/files/folder_sink.h>
#include <slope/core/files/safetensors.h>
#include <slope/models/data/tokenizer.h>
#include <slope/nn/nn.h>

#include <map>

namespace slope::train {

// The tokenizers of a model by the stems of their files: "source", "target", "shared".
using Tokenizers = std::map<std::string, data::TokenizerPtr>;

// The weights mean nothing without their settings and tokenizers, so the metadata of
// model.safetensors holds the settings, as JSON under this key, and the tokenizers' checksums.
constexpr const char* settings_in_metadata = "settings";

// Writes model.safetensors and the tokenizers' files.
void save_model(const FolderSink& folder, nn::ModuleRef model, const Tokenizers& tokenizers,
                const std::string& settings);
// Reads a safetensors file; an InputError names the first tensor with nan or inf.
TensorFile load_finite(const std::string& file);
// Copies the file's tensors into the model's, and releases the memory that reading them took.
void load_named(nn::ModuleRef model, TensorFile&& tensors, const std::string& file);

int64_t elements_in(const TensorFile& tensors);

// InputError unless `tokenizer`, read from the files STEM.*, has the number of tokens and the
// checksums that the weights' metadata record, if any.
void check_tokenizer(const Metadata& metadata, const data::Tokenizer& tokenizer,
                     const std::string& stem);

// InputError unless a tokenizer that was made from a text has the files that are recorded in the
// metadata of `file`, if any are. stem: "source", …
void check_made_tokenizer(const TensorFile& tensors, const data::Tokenizer& tokenizer,
                          const std::string& stem, const std::string& file);

// Calls make(), which must not allocate more than the weights can fill: a config that claims too
// much causes an InputError before memory is taken. (The limit is twice the file's elements,
// because the file has tied tensors only once, plus 64 MB for tables that are not saved.)
template <class Make>
auto within_size_of(const TensorFile& weights, const Make& make) {
  const nn::init::ElementLimit limit(2 * elements_in(weights) + (1 << 20));
  return make();
}

// Calls f. Its InputErrors, and UsageErrors (about settings), become InputErrors that name `file`.
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
