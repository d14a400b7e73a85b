#include <slope/autograd/ops.h>
#include <slope/models/train/checkpoint_files.h>

namespace slope::train {

void save_model(const std::string& file, nn::ModuleRef model) {
  const nn::StateDict state = nn::state_dict(model);
  save_safetensors(file, state.tensors, state.tied);
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
