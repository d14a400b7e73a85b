// Text of tensors against torch's (tests/golden/print.py).
#include <slope/core/files/safetensors.h>
#include <slope/core/tensor/print.h>

#include <doctest/doctest.h>

#include <sstream>

using namespace slope;

namespace {

Tensor make(const Dims& shape, DType dtype, auto value_at) {
  Tensor x = Tensor::empty(shape, dtype);
  visit(dtype, [&]<class T> {
    const auto w = x.write<T>();
    for (int64_t i = 0; i < x.numel(); ++i) w[i] = static_cast<T>(value_at(i));
  });
  return x;
}

}  // namespace

#ifndef SLOPE_PLAIN
TEST_CASE("print: every golden text to the byte") {
  const TensorFile golden = load_safetensors(std::string(SLOPE_GOLDEN) + "/print.safetensors");
  for (const auto& entry : golden.tensors) {
    const std::string& name = entry.name;
    PrintOptions options;
    std::string suffix;
    if (const auto given = golden.metadata.find(name + " options");
        given != golden.metadata.end()) {
      std::istringstream list(given->second);
      for (std::string entry; std::getline(list, entry, ';');) {
        const std::string key = entry.substr(0, entry.find('=')),
                          value = entry.substr(entry.find('=') + 1);
        if (key == "precision") options.precision = std::stoi(value);
        if (key == "threshold") options.threshold = std::stoi(value);
        if (key == "edgeitems") options.edgeitems = std::stoi(value);
        if (key == "linewidth") options.linewidth = std::stoi(value);
        if (key == "sci_mode") options.sci_mode = value == "True";
        if (key == "suffix") suffix = value;
      }
    }
    CAPTURE(name);
    CHECK(to_string(entry.tensor, options, suffix) == golden.metadata.at(name));
  }
  CHECK(golden.tensors.size() >= 80);
}
#endif

TEST_CASE("print: views are walked along their strides") {
  const Tensor x = make({2, 3}, i64, [](int64_t i) { return i; });
  const Tensor turned(x.storage(), x.layout().transpose(0, 1), i64);
  CHECK(to_string(turned) == "tensor([[0, 3],\n        [1, 4],\n        [2, 5]])");
  CHECK(to_string(Tensor(x.storage(), x.layout().select(1, 2), i64)) == "tensor([2, 5])");
  CHECK(to_string(Tensor(x.storage(), x.layout().select(0, 1).narrow(0, 1, 1).broadcast_to({2, 2}),
                         i64)) == "tensor([[4, 4],\n        [4, 4]])");
}

TEST_CASE("print: a huge view shows its edges and reads nothing else") {
  const Tensor one = make({1, 1}, f32, [](int64_t) { return 1.5; });
  const Tensor huge(one.storage(), one.layout().broadcast_to({int64_t{1} << 20, int64_t{1} << 20}),
                    f32);
  CHECK(to_string(huge, {.edgeitems = 1}) ==
        "tensor([[1.5000,  ..., 1.5000],\n        ...,\n        [1.5000,  ..., 1.5000]])");
}

TEST_CASE("print: any number of edge items and up to 1000 dims") {
  CHECK(to_string(make({3}, i64, [](int64_t i) { return i; }),
                  {.threshold = 2, .edgeitems = INT64_MAX}) == "tensor([0, 1, 2])");
  const auto of_rank = [](size_t rank) {
    return make(Dims(rank, 1), f32, [](int64_t) { return 1.5; });
  };
  CHECK(to_string(of_rank(1000)) ==
        "tensor(" + std::string(1000, '[') + "1.5000" + std::string(1000, ']') + ")");
  CHECK_THROWS_WITH_AS(to_string(of_rank(1001)),
                       "print: 1001 dims are too many to print; reshape it", ShapeError);
}

TEST_CASE("print: streams, undefined tensors, options out of range") {
  std::ostringstream out;
  out << make({2}, boolean, [](int64_t i) { return i; });
  CHECK(out.str() == "tensor([False,  True])");
  CHECK(to_string(Tensor()) == "tensor(undefined)");
  CHECK_THROWS_AS(to_string(make({1}, f32, [](int64_t) { return 1; }), {.precision = -1}),
                  UsageError);
  CHECK_THROWS_AS(to_string(make({1}, f32, [](int64_t) { return 1; }), {.edgeitems = -1}),
                  UsageError);
}
