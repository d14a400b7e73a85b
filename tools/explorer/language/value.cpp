#include <slope/tools/explorer/language/value.h>

namespace slope::explorer {

std::string described(const Value& value) {
  struct Describe {
    std::string operator()(double x) const { return fmt::format("the number {}", x); }
    std::string operator()(bool x) const { return x ? "true" : "false"; }
    std::string operator()(const std::string& x) const { return fmt::format("the text '{}'", x); }
    std::string operator()(const Tensor& x) const {
      return fmt::format("a tensor of shape {}", x.shape());
    }
    std::string operator()(const Values& x) const { return fmt::format("a list of {}", x.size()); }
  };
  return std::visit(Describe(), value.of);
}

namespace {

// Appends the elements in row-major order; `shape` is that of the first list of each depth.
void flatten(const Value& value, size_t depth, Dims& shape, std::vector<double>& elements,
             bool& has_truths) {
  if (const auto* list = std::get_if<Values>(&value.of)) {
    const auto n = static_cast<int64_t>(list->size());
    if (elements.empty() && shape.size() == depth) shape.push_back(n);
    if (depth >= shape.size())
      throw Fault("ShapeError", "a list stands where the elements before it are numbers",
                  value.place);
    if (shape[depth] != n)
      throw Fault("ShapeError",
                  fmt::format("a list of {} stands where the lists before it have {} each", n,
                              shape[depth]),
                  value.place);
    for (const Value& element : *list) flatten(element, depth + 1, shape, elements, has_truths);
    return;
  }
  if (depth != shape.size())
    throw Fault("ShapeError", "a number stands where the elements before it are lists",
                value.place);
  const auto* number = std::get_if<double>(&value.of);
  const auto* truth = std::get_if<bool>(&value.of);
  if (!elements.empty() && (has_truths ? number != nullptr : truth != nullptr))
    throw Fault("DTypeError", "a list holds either numbers, or true and false", value.place);
  if (number) {
    elements.push_back(*number);
  } else if (truth) {
    elements.push_back(*truth);
    has_truths = true;
  } else {
    throw Fault(
        "DTypeError",
        fmt::format("a list of numbers cannot hold {}; stack([…]) joins tensors", described(value)),
        value.place);
  }
}

}  // namespace

Tensor tensor_of(const Value& value, DType dtype) {
  if (const auto* tensor = std::get_if<Tensor>(&value.of)) return *tensor;
  Dims shape;
  std::vector<double> elements;
  bool has_truths = false;
  flatten(value, 0, shape, elements, has_truths);
  const Tensor all = from_vector(elements, shape);
  return all.to(has_truths ? boolean : dtype);
}

}  // namespace slope::explorer
