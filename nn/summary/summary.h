// What a model is made of, as torchinfo prints it: the shape of each module's output, its
// parameters, its multiply-adds and the memory of its output, in one call on example inputs.
//   std::cout << nn::summary(model, x).text();
// The call runs in evaluation mode and records a tape, from which the products are counted
// (multiply_adds.h). Weights, gradients and modes stay as they are.
#pragma once

#include <slope/nn/module/module_ref.h>

#include <functional>
#include <optional>

namespace slope::nn {

struct LayerSummary {
  std::string name, type;  // "encoder.layers.0", "EncoderLayer"; the model's name is empty
  int64_t depth = 0;
  bool has_parts = false;
  int64_t calls = 0;
  std::optional<Dims> output = {};  // of the last call; none: no call that gave one tensor
  int64_t output_bytes = 0;         // of all calls
  // its own, without those of its parts; a tied parameter counts only where it comes first
  int64_t parameters = 0, trainable = 0;
  int64_t multiply_adds = 0;  // of products in its own forward
};

struct Summary {
  std::vector<LayerSummary> layers;  // the model first, each before its parts
  int64_t parameters = 0, trainable = 0, multiply_adds = 0;
  int64_t input_bytes = 0, parameter_bytes = 0;
  // as torchinfo counts: outputs of layers with parameters and without parts, and their gradients
  int64_t pass_bytes = 0;
  std::string text() const;
};

// `call` returns the model's result; `inputs` must be the tensors that it passes to the model.
// UsageError if weights are in bf16, which record no tape.
Summary summary_of(ModuleRef model, const Tensors& inputs, const std::function<Tensor()>& call);

// The model is called with these arguments.
template <IsModule M, class... Args>
Summary summary(const M& model, const Args&... args) {
  Tensors inputs;
  const auto keep = [&]<class A>(const A& a) {
    if constexpr (std::is_convertible_v<const A&, const Tensor&>) inputs.push_back(a);
  };
  (keep(args), ...);
  return summary_of(model, inputs, [&] { return model(args...); });
}

}  // namespace slope::nn
