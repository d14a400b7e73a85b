// Cases larger than every chunk, tile, part and block of the kernels, of sizes that none of these
// divides.
#include <slope/autograd/gradcheck/cases/cases.h>

namespace slope {

namespace {

Tensor spread(int64_t n, int64_t below) {  // indices below `below`, some of them repeated
  std::vector<double> v(static_cast<size_t>(n));
  for (size_t i = 0; i < v.size(); ++i)
    v[i] = static_cast<double>((i * i + 3 * i) % static_cast<size_t>(below));
  return to(from_vector(v, {n}), i64);
}

}  // namespace

Cases large_cases() {
  Cases result;
  const auto add = [&](const char* op, const char* label, std::vector<CaseInput> inputs,
                       std::function<Tensor(const Tensors&)> f) {
    result.cases.push_back({.name = op,
                            .label = label,
                            .inputs = std::move(inputs),
                            .f = [f](const Tensors& x) { return Tensors{f(x)}; },
                            .kind = Case::Kind::large});
  };
  const CaseInput many{{700, 67}}, wide{{3, 7000}}, w67{{67}}, w7000{{7000}},
      apart{.shape = {700, 67}, .distinct = true};

  for (const auto& [op, f] :
       {std::pair<const char*, Tensor (*)(const Tensor&, int64_t)>{"softmax", softmax},
        {"log_softmax", log_softmax}}) {
    add(op, "700 x 67", {many}, [f = f](const Tensors& x) { return f(x[0], -1); });
    add(op, "3 x 7000", {wide}, [f = f](const Tensors& x) { return f(x[0], -1); });
    add(op, "700 x 67, dim 0", {many}, [f = f](const Tensors& x) { return f(x[0], 0); });
  }
  for (const auto& [label, x, w] : {std::tuple{"700 x 67", many, w67}, {"3 x 7000", wide, w7000}}) {
    add("layer_norm", label, {x, w, w},
        [](const Tensors& x) { return layer_norm(x[0], x[1], x[2]); });
    add("rms_norm", label, {x, w}, [](const Tensors& x) { return rms_norm(x[0], x[1]); });
    add("logsumexp", label, {x}, [](const Tensors& x) { return logsumexp(x[0], {1}); });
    add("var", label, {x}, [](const Tensors& x) { return var(x[0], {1}); });
    add("std", label, {x}, [](const Tensors& x) { return std(x[0], {1}); });
    add("cumsum", label, {x}, [](const Tensors& x) { return cumsum(x[0], 1); });
    add("norm", label, {x}, [](const Tensors& x) { return norm(x[0], 2, {1}); });
  }
  for (const auto& [op, f] :
       {std::pair<const char*, Tensor (*)(const Tensor&, const Dims&, bool)>{"sum", sum},
        {"mean", mean}}) {
    add(op, "46,900", {many}, [f = f](const Tensors& x) { return f(x[0], {}, false); });
    add(op, "700 x 67, dim 0", {many}, [f = f](const Tensors& x) { return f(x[0], {0}, false); });
    add(op, "3 x 7000, dim 1", {wide}, [f = f](const Tensors& x) { return f(x[0], {1}, false); });
  }
  add("var", "46,900", {many}, [](const Tensors& x) { return var(x[0]); });
  add("std", "46,900", {many}, [](const Tensors& x) { return std(x[0]); });
  add("sum_to", "700 x 67", {many}, [](const Tensors& x) { return sum_to(x[0], {67}); });
  add("amax", "700 x 67", {apart}, [](const Tensors& x) { return amax(x[0], {0}); });
  add("max", "700 x 67", {apart}, [](const Tensors& x) { return max(x[0], 1).values; });
  add("prod", "2 x 300", {{{2, 300}, 0.99, 1.01}}, [](const Tensors& x) { return prod(x[0], 1); });

  add("exp", "46,900", {many}, [](const Tensors& x) { return exp(x[0]); });
  add("gelu", "46,900", {many}, [](const Tensors& x) { return gelu(x[0]); });
  add("add", "broadcast", {many, w67}, [](const Tensors& x) { return x[0] + x[1]; });
  add("mul", "broadcast", {many, w67}, [](const Tensors& x) { return x[0] * x[1]; });
  add("mul", "700 x 67, 700 x 1", {many, {{700, 1}}}, [](const Tensors& x) { return x[0] * x[1]; });
  add("clone", "46,900", {many}, [](const Tensors& x) { return clone(x[0]); });
  add("dropout", "46,900", {many}, [](const Tensors& x) {
    const FixedSeed seed(3);
    return dropout(x[0], 0.3);
  });

  const Tensor rows = spread(900, 700);
  add("index_select", "900 of 700", {many},
      [rows](const Tensors& x) { return index_select(x[0], 0, rows); });
  add("embedding", "900 of 700", {many},
      [rows](const Tensors& x) { return embedding(rows, x[0]); });
  add("gather", "700 x 67", {many},
      [index = spread(46900, 67).reshape({700, 67})](const Tensors& x) {
        return gather(x[0], 1, index);
      });
  add("scatter_add", "700 x 67", {many, many},
      [index = spread(46900, 67).reshape({700, 67})](const Tensors& x) {
        return scatter_add(x[0], 1, index, x[1]);
      });
  add("cat", "1400 x 67", {many, many}, [](const Tensors& x) { return cat({x[0], x[1]}, 1); });
  add("repeat", "1400 x 67", {many}, [](const Tensors& x) { return repeat(x[0], {2, 1}); });

  add("matmul", "70 x 290 x 67", {{{70, 290}}, {{290, 67}}},
      [](const Tensors& x) { return matmul(x[0], x[1]); });
  add("bmm", "3 x 70 x 130 x 67", {{{3, 70, 130}}, {{3, 130, 67}}},
      [](const Tensors& x) { return bmm(x[0], x[1]); });
  add("linear", "700 x 67", {many, {{35, 67}}, {{35}}},
      [](const Tensors& x) { return linear(x[0], x[1], x[2]); });
  add("cross_entropy", "700 x 67", {many}, [t = spread(700, 67)](const Tensors& x) {
    return cross_entropy(x[0], t, {.label_smoothing = 0.1});
  });
  add("cross_entropy", "700 x 67, each by itself", {many}, [t = spread(700, 67)](const Tensors& x) {
    return cross_entropy(x[0], t, {.reduction = Reduction::none});
  });
  add("cross_entropy", "3 x 7000", {wide},
      [t = spread(3, 7000)](const Tensors& x) { return cross_entropy(x[0], t); });
  add("linear_cross_entropy", "700 x 9 x 67", {{{700, 9}}, {{67, 9}}, {{67}}},
      [t = spread(700, 67)](const Tensors& x) {
        return linear_cross_entropy(x[0], x[1], x[2], t, {.label_smoothing = 0.1});
      });
  add("bce_with_logits", "46,900", {many, {{700, 67}, 0, 1}},
      [](const Tensors& x) { return bce_with_logits(x[0], x[1]); });
  for (const bool causal : {false, true})
    add("scaled_dot_product_attention", causal ? "L = 133, causal" : "L = 133",
        {{{2, 133, 11}}, {{2, 133, 11}}, {{2, 133, 11}}}, [causal](const Tensors& x) {
          return scaled_dot_product_attention(x[0], x[1], x[2], {.causal = causal});
        });
  // more queries than a tile has, but few keys: the scratch memory is just large enough
  add("scaled_dot_product_attention", "L = 64, S = 3", {{{64, 4}}, {{3, 4}}, {{3, 40}}},
      [](const Tensors& x) { return scaled_dot_product_attention(x[0], x[1], x[2]); });
  return result;
}

}  // namespace slope
