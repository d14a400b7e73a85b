#include <slope/nn/summary/multiply_adds.h>

#include <string_view>

namespace slope::nn {

namespace {

// The size of a dim, taken from the first of these inputs that needs a gradient: the tape records
// no others. `from_end` counts dims from the last, which is 1. Returns 0 if none needs one.
struct Place {
  size_t input, from_end;
};
int64_t size_at(const Node& node, std::initializer_list<Place> places) {
  for (const auto& [input, from_end] : places) {
    if (input >= node.inputs.size() || !node.inputs[input]) continue;
    const Dims& shape = node.inputs[input].shape();
    if (shape.size() >= from_end) return shape[shape.size() - from_end];
  }
  return 0;
}
bool has(const Node& node, size_t input) {
  return input < node.inputs.size() && static_cast<bool>(node.inputs[input]);
}

}  // namespace

int64_t multiply_adds(const Node& node) {
  const std::string_view op = node.op->name;
  const Dims& y = node.outputs[0].shape;
  if (op == "linear")  // (*, in), (out, in), (out)? -> (*, out)
    return numel(y) * (size_at(node, {{1, 1}, {0, 1}}) + has(node, 2));
  if (op == "matmul" || op == "bmm")  // (*, n, k), (*, k, m) -> (*, n, m)
    return numel(y) * size_at(node, {{0, 1}, {1, 2}});
  if (op == "linear_cross_entropy")  // (N, d), (V, d), (V)?
    return size_at(node, {{0, 2}}) * size_at(node, {{1, 2}}) *
           (size_at(node, {{0, 1}}) + has(node, 2));
  if (op == "scaled_dot_product_attention") {  // (*, L, D), (*, S, D), (*, S, E) -> (*, L, E)
    const int64_t S = size_at(node, {{1, 2}, {2, 2}}), D = size_at(node, {{0, 1}, {1, 1}}),
                  E = y.back();
    return E == 0 ? 0 : numel(y) / E * S * (D + E);
  }
  return 0;
}

}  // namespace slope::nn
