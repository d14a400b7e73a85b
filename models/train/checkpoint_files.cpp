#include <slope/autograd/ops.h>
#include <slope/core/crc32c.h>
#include <slope/core/file_reader.h>
#include <slope/core/file_sink.h>
#include <slope/models/train/checkpoint_files.h>

namespace slope::train {

namespace {
std::string checksum_of(const std::string& text) { return fmt::format("{:08x}", crc32c(text)); }
std::string key_of(const std::string& name) { return "crc32c of " + name; }
}  // namespace

Metadata write_texts(const FolderSink& folder, const Texts& texts) {
  Metadata checksums;
  for (const auto& [name, text] : texts) {
    write_file(folder.file(name), text);
    checksums[key_of(name)] = checksum_of(text);
  }
  return checksums;
}

void check_text(const Metadata& metadata, const std::string& folder, const std::string& beside, const std::string& name) {
  const auto recorded = metadata.find(key_of(name));
  if (recorded == metadata.end()) return;
  const std::string file = folder + "/" + name, found = checksum_of(read_file(file));
  SLOPE_CHECK_INPUT(found == recorded->second, "{}: damaged, or not the one that {} was saved with: its checksum is {}, recorded is {}",
                    file, beside, found, recorded->second.substr(0, 80));
}

void save_model(const FolderSink& folder, nn::ModuleRef model, const Texts& vocabularies) {
  const nn::StateDict state = nn::state_dict(model);
  Metadata metadata = write_texts(folder, vocabularies);
  metadata.insert(state.tied.begin(), state.tied.end());
  save_safetensors(folder.file("model.safetensors"), state.tensors, metadata);
}

TensorFile load_finite(const std::string& file) {
  TensorFile tensors = load_safetensors(file);
  for (const auto& [name, tensor] : tensors.tensors)
    SLOPE_CHECK_INPUT(!is_floating(tensor.dtype()) || all(isfinite(tensor)), "{}: tensor {} holds values that are not finite", file, name);
  return tensors;
}

void load_named(nn::ModuleRef model, const TensorFile& tensors, const std::string& file) {
  blame(file, [&] { nn::load(model, tensors); });
}

void check_size(const TensorFile& tensors, const std::string& name, const Dims& shape, const std::string& says) {
  const Dims& found = tensors.at(name).shape();
  SLOPE_CHECK_INPUT(found == shape, "{} asks for {} of shape {}, the weights hold {}", says, name, shape, found);
}

void check_vocabulary(const TensorFile& tensors, const std::string& embedding, int64_t words, const std::string& vocab_file) {
  const Tensor& weight = tensors.at(embedding);
  SLOPE_CHECK_INPUT(weight.rank() == 2 && weight.size(0) == words, "{} has {} words, the model's {} has shape {}", vocab_file, words,
                    embedding, weight.shape());
}

}  // namespace slope::train
