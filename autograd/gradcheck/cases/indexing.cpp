// Cases of selection by index: repeated indices, unused indices, padding.
#include <slope/autograd/gradcheck/cases/cases.h>

namespace slope {

Cases indexing_cases() {
  Cases result;
  const auto add = [&](const char* op, const char* label, const std::vector<Dims>& shapes,
                       Tensor (*f)(const Tensors&)) {
    std::vector<CaseInput> inputs;
    for (const Dims& shape : shapes) inputs.push_back({shape});
    result.cases.push_back({op, label, inputs, [f](const Tensors& x) { return Tensors{f(x)}; }});
  };
  add("index_select", "rows, one twice", {{4, 3}}, [](const Tensors& x) {
    return index_select(x[0], 0, tensor({2, 0, 2}));
  });
  add("index_select", "middle of three dims", {{2, 3, 2}}, [](const Tensors& x) {
    return index_select(x[0], 1, tensor({1, 1, 0, 2}));
  });
  add("index_select", "n = 1", {{1}},
      [](const Tensors& x) { return index_select(x[0], 0, tensor({0})); });
  add("index_select", "rank 0", {{}},
      [](const Tensors& x) { return index_select(x[0], 0, tensor({0})); });
  add("index_select", "no index", {{3, 2}},
      [](const Tensors& x) { return index_select(x[0], 0, zeros({0}, i64)); });
  add("index_select", "empty", {{3, 0}}, [](const Tensors& x) {
    return index_select(x[0], 0, tensor({1, 1}));
  });

  add("embedding", "repeated", {{5, 3}}, [](const Tensors& x) {
    return embedding(tensor({{1, 4, 1}, {0, 1, 4}}), x[0]);
  });
  // The padding row affects the value but gets no gradient. Its outputs are set to 0, so finite
  // differences agree with backward.
  add("embedding", "padding", {{4, 2}}, [](const Tensors& x) {
    const Tensor index = tensor({{1, 0, 0}, {3, 1, 0}});
    return masked_fill(embedding(index, x[0], 0), unsqueeze(index == 0.0, -1), 0);
  });
  add("embedding", "one index", {{3, 2}},
      [](const Tensors& x) { return embedding(tensor(2), x[0]); });
  add("embedding", "n = 1", {{1, 1}},
      [](const Tensors& x) { return embedding(tensor({0}), x[0]); });
  add("embedding", "empty", {{3, 2}}, [](const Tensors& x) {
    return embedding(zeros({2, 0}, i64), x[0]);
  });

  add("gather", "rows", {{3, 2}}, [](const Tensors& x) {
    return gather(x[0], 0, tensor({{0, 2}, {2, 2}, {1, 0}, {0, 0}}));
  });
  add("gather", "last dim, smaller index", {{3, 4}}, [](const Tensors& x) {
    return gather(x[0], -1, tensor({{3}, {1}}));
  });
  add("gather", "three dims", {{2, 3, 2}}, [](const Tensors& x) {
    return gather(x[0], 1, tensor({{{0, 2}}, {{1, 1}}}));
  });
  add("gather", "rank 0", {{}}, [](const Tensors& x) { return gather(x[0], 0, tensor(0)); });
  add("gather", "n = 1", {{1}}, [](const Tensors& x) { return gather(x[0], 0, tensor({0, 0})); });
  add("gather", "empty", {{2, 3}}, [](const Tensors& x) {
    return gather(x[0], 1, zeros({2, 0}, i64));
  });

  add("scatter_add", "rows, one twice", {{3, 2}, {4, 2}}, [](const Tensors& x) {
    return scatter_add(x[0], 0, tensor({{0, 2}, {2, 2}, {1, 0}, {0, 0}}), x[1]);
  });
  add("scatter_add", "source larger than index", {{3, 4}, {3, 3}}, [](const Tensors& x) {
    return scatter_add(x[0], 1, tensor({{3, 3}, {1, 0}}), x[1]);
  });
  add("scatter_add", "rank 0", {{}, {}},
      [](const Tensors& x) { return scatter_add(x[0], 0, tensor(0), x[1]); });
  add("scatter_add", "n = 1", {{1}, {1}},
      [](const Tensors& x) { return scatter_add(x[0], 0, tensor({0}), x[1]); });
  add("scatter_add", "empty", {{3}, {0}},
      [](const Tensors& x) { return scatter_add(x[0], 0, zeros({0}, i64), x[1]); });

  const auto z = [](const Dims& shape) { return zeros(shape, f64); };
  // clang-format off
  result.refusals = {
      {"index_select", "index out of range", [z] { (void)index_select(z({2, 3}), 0, tensor({0, 2})); }},
      {"index_select", "negative index", [z] { (void)index_select(z({2, 3}), 0, tensor({-1})); }},
      {"index_select", "index of rank 2", [z] { (void)index_select(z({2, 3}), 0, tensor({{0}})); }},
      {"index_select", "floating-point index", [z] { (void)index_select(z({2, 3}), 0, z({1})); }},
      {"embedding", "index out of range", [z] { (void)embedding(tensor({5}), z({5, 2})); }},
      {"embedding", "weight of rank 1", [z] { (void)embedding(tensor({0}), z({5})); }},
      {"embedding", "floating-point index", [z] { (void)embedding(z({2}), z({5, 2})); }},
      {"embedding", "padding_idx out of range", [z] { (void)embedding(tensor({0}), z({5, 2}), 5); }},
      {"gather", "index out of range", [z] { (void)gather(z({2, 3}), 1, tensor({{3}})); }},
      {"gather", "index of another rank", [z] { (void)gather(z({2, 3}), 1, tensor({0})); }},
      {"gather", "index larger than x", [z] { (void)gather(z({2, 3}), 1, tensor({{0}, {0}, {0}})); }},
      {"scatter_add", "index out of range", [z] { (void)scatter_add(z({2}), 0, tensor({2}), z({1})); }},
      {"scatter_add", "source smaller than index",
       [z] { (void)scatter_add(z({2}), 0, tensor({0, 1}), z({1})); }},
      {"scatter_add", "dtypes that differ",
       [z] { (void)scatter_add(z({2}), 0, tensor({0}), zeros({1}, f32)); }},
  };
  // clang-format on
  return result;
}

}  // namespace slope
