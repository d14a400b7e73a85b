#include <slope/autograd/graph/printed_name.h>

#include <cctype>
#include <string_view>

namespace slope {

namespace {

// The names that do not follow from slope's.
constexpr std::pair<std::string_view, std::string_view> pytorch_names[] = {
    {"add_scalar", "AddBackward0"},
    {"clamp", "ClampBackward1"},
    {"cross_entropy", "NllLossBackward0"},
    {"bce_with_logits", "BinaryCrossEntropyWithLogitsBackward0"},
    {"div_scalar", "DivBackward0"},
    {"dropout", "MulBackward0"},
    {"gelu_tanh", "GeluBackward0"},
    {"layer_norm", "NativeLayerNormBackward0"},
    {"log1p", "Log1PBackward0"},
    {"mul_scalar", "MulBackward0"},
    {"narrow", "SliceBackward0"},
    {"norm", "LinalgVectorNormBackward0"},
    {"pad", "ConstantPadNdBackward0"},
    {"pow", "PowBackward1"},
    {"pow_scalar", "PowBackward0"},
    {"repeat_interleave", "ViewBackward0"},
    {"reshape", "ViewBackward0"},
    {"rms_norm", "MulBackward0"},
    {"scalar_div", "MulBackward0"},
    {"squeeze", "SqueezeBackward1"},
    {"sum_to", "SumBackward1"},
    {"to", "ToCopyBackward0"},
};

// masked_fill -> MaskedFillBackward0
std::string in_capitals(std::string_view name) {
  std::string result;
  bool capital = true;
  for (const char c : name) {
    if (c != '_')
      result += static_cast<char>(capital ? std::toupper(static_cast<unsigned char>(c)) : c);
    capital = c == '_';
  }
  return result + "Backward0";
}

std::string name_of_linear(const Node& node, size_t rank) {
  const bool bias = static_cast<bool>(node.inputs[2]);  // a bias that needs a gradient
  if (rank == 2) return bias ? "AddmmBackward0" : "MmBackward0";
  return bias ? "ViewBackward0" : rank == 1 ? "SqueezeBackward4" : "UnsafeViewBackward0";
}

bool smooths_labels(const Node& node) {
  const Attribute* e = find(node.attributes, "label_smoothing");
  return e && std::get<double>(e->value) > 0;
}

}  // namespace

std::string printed_name(const Node& node) {
  const std::string_view name = node.op->name;
  const size_t rank = node.outputs[0].shape.size();
  if (name == "matmul") return rank == 2 ? "MmBackward0" : "UnsafeViewBackward0";
  if (name == "cross_entropy" && smooths_labels(node)) return "AddBackward0";
  if (name == "linear") return name_of_linear(node, rank);
  if (name == "sum" || name == "mean" || name == "prod")  // of all elements, or over dims
    return in_capitals(name).substr(0, name.size()) + (rank == 0 ? "Backward0" : "Backward1");
  for (const auto& [own, pytorchs] : pytorch_names)
    if (own == name) return std::string(pytorchs);
  return in_capitals(name);
}

}  // namespace slope
