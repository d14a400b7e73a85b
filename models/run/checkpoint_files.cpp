#include <slope/autograd/ops.h>
#include <slope/core/files/crc32c.h>
#include <slope/core/files/file_reader.h>
#include <slope/core/files/file_sink.h>
#include <slope/core/memory/memory.h>
#include <slope/core/text/visible.h>
#include <slope/models/run/checkpoint_files.h>

#include <algorithm>
#include <filesystem>

namespace slope::train {

namespace fs = std::filesystem;

namespace {
std::string checksum_of(const std::string& text) { return fmt::format("{:08x}", crc32c(text)); }
std::string checksum_key(const std::string& name) { return "crc32c of " + name; }
std::string size_key(const std::string& name) { return "tokens of " + name; }
}  // namespace

void save_model(const FolderSink& folder, nn::ModuleRef model, const Tokenizers& tokenizers,
                const std::string& settings) {
  const nn::StateDict state = nn::state_dict(model);
  Metadata metadata = state.tied;
  metadata[settings_in_metadata] = settings;
  for (const auto& [stem, tokenizer] : tokenizers)
    for (const data::Tokenizer::File& file : tokenizer->files()) {
      const std::string name = stem + file.ending;
      write_file(folder.file(name), file.bytes);
      metadata[checksum_key(name)] = checksum_of(file.bytes);
      metadata[size_key(name)] = std::to_string(tokenizer->size());
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

int64_t elements_in(const TensorFile& tensors) {
  int64_t n = 0;
  for (const auto& [name, tensor] : tensors.tensors) n += tensor.numel();
  return n;
}

void check_made_tokenizer(const TensorFile& tensors, const data::Tokenizer& tokenizer,
                          const std::string& stem, const std::string& file) {
  for (const data::Tokenizer::File& part : tokenizer.files()) {
    const auto recorded = tensors.metadata.find(checksum_key(stem + part.ending));
    SLOPE_CHECK_INPUT(
        recorded == tensors.metadata.end() || recorded->second == checksum_of(part.bytes),
        "{}: was saved with another {}{} than the one made from this text; name its run, which "
        "brings its vocabulary",
        file, stem, part.ending);
  }
}

void check_tokenizer(const Metadata& metadata, const data::Tokenizer& tokenizer,
                     const std::string& stem) {
  for (const data::Tokenizer::File& part : tokenizer.files()) {
    const std::string file = stem + part.ending, name = fs::path(file).filename();
    if (const auto saved = metadata.find(size_key(name)); saved != metadata.end())
      SLOPE_CHECK_INPUT(saved->second == std::to_string(tokenizer.size()),
                        "{} has {} tokens, the weights were saved with {}", file, tokenizer.size(),
                        brief(saved->second));
    const auto recorded = metadata.find(checksum_key(name));
    if (recorded == metadata.end()) continue;
    const std::string found = checksum_of(read_file(file));
    SLOPE_CHECK_INPUT(found == recorded->second,
                      "{}: damaged, or not the one that the weights were saved with: its checksum "
                      "is {}, recorded is {}",
                      file, found, brief(recorded->second));
  }
  const std::string own = checksum_key(fs::path(stem).filename().string() + ".");
  for (const auto& [key, checksum] : metadata) {
    const auto is_read = [&, &key = key](const data::Tokenizer::File& part) {
      return key == own.substr(0, own.size() - 1) + part.ending;
    };
    const std::vector<data::Tokenizer::File> files = tokenizer.files();
    SLOPE_CHECK_INPUT(!key.starts_with(own) || std::any_of(files.begin(), files.end(), is_read),
                      "{}.{}: is missing; the weights were saved with it", stem,
                      key.substr(own.size()));
  }
}

}  // namespace slope::train
