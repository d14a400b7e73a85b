#include <slope/autograd/ops.h>
#include <slope/core/files/crc32c.h>
#include <slope/core/files/file_reader.h>
#include <slope/core/files/file_sink.h>
#include <slope/core/memory/memory.h>
#include <slope/models/run/checkpoint_files.h>

#include <filesystem>

namespace slope::train {

namespace fs = std::filesystem;

namespace {
std::string checksum_of(const std::string& text) { return fmt::format("{:08x}", crc32c(text)); }
std::string checksum_key(const std::string& name) { return "crc32c of " + name; }
}  // namespace

void save_model(const FolderSink& folder, nn::ModuleRef model,
                const std::map<std::string, std::string>& vocabularies) {
  const nn::StateDict state = nn::state_dict(model);
  Metadata metadata = state.tied;
  for (const auto& [name, text] : vocabularies) {
    write_file(folder.file(name), text);
    metadata[checksum_key(name)] = checksum_of(text);
  }
  save_safetensors(folder.file("model.safetensors"), state.tensors, metadata);
}

TensorFile load_finite(const std::string& file) {
  TensorFile tensors = load_safetensors(file);
  for (const auto& [name, tensor] : tensors.tensors)
    SLOPE_CHECK_INPUT(!is_floating(tensor.dtype()) || all(isfinite(tensor)),
                      "{}: tensor {} holds values that are not finite", file, name);
  return tensors;
}

void load_named(nn::ModuleRef model, TensorFile&& tensors, const std::string& file) {
  const auto load = [&](const TensorFile& read) { nn::load(model, read); };
  blame(file, [&] { load(TensorFile(std::move(tensors))); });
  memory::release_cached();
}

void check_size(const TensorFile& tensors, const std::string& name, const Dims& shape,
                const std::string& says) {
  const Dims& found = tensors.at(name).shape();
  SLOPE_CHECK_INPUT(found == shape, "{} asks for {} of shape {}, the weights hold {}", says, name,
                    shape, found);
}

void check_vocabulary(const TensorFile& tensors, const std::string& embedding, int64_t words,
                      const std::string& vocab_file) {
  const Tensor& weight = tensors.at(embedding);
  SLOPE_CHECK_INPUT(weight.rank() == 2 && weight.size(0) == words,
                    "{} has {} words, the model's {} has shape {}", vocab_file, words, embedding,
                    weight.shape());
  const auto recorded = tensors.metadata.find(checksum_key(fs::path(vocab_file).filename()));
  if (recorded == tensors.metadata.end()) return;
  const std::string found = checksum_of(read_file(vocab_file));
  SLOPE_CHECK_INPUT(found == recorded->second,
                    "{}: damaged, or not the one that the weights were saved with: its checksum is "
                    "{}, recorded is {}",
                    vocab_file, found, recorded->second.substr(0, 80));
}

}  // namespace slope::train
