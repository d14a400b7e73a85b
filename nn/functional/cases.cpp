// Gradcheck cases of functions of this folder.
#include <slope/nn/cases.h>
#include <slope/nn/functional/activations.h>
#include <slope/nn/functional/layers.h>
#include <slope/nn/functional/losses.h>

namespace slope::nn {

namespace {

struct List {
  std::vector<Case> cases;

  template <class F>
  void add(const char* name, const char* label, std::vector<CaseInput> inputs, F f) {
    cases.push_back(
        {name, label, std::move(inputs), [f](const Tensors& x) { return Tensors{f(x)}; }});
  }
  // a function of one tensor, with its kinks
  void pointwise(const char* name, const std::vector<double>& kinks, Tensor (*f)(const Tensor&)) {
    const auto call = [f](const Tensors& x) { return f(x[0]); };
    add(name, "matrix", {{{3, 4}, -4, 4, kinks}}, call);
    add(name, "n = 1", {{{1}, -4, 4, kinks}}, call);
    add(name, "empty", {{{2, 0}, -4, 4, kinks}}, call);
  }
};

void activations(List& list) {
  list.pointwise("leaky_relu", {0}, [](const Tensor& x) { return leaky_relu(x, 0.2); });
  list.pointwise("rrelu", {0}, [](const Tensor& x) { return rrelu(x); });
  list.pointwise("elu", {0}, [](const Tensor& x) { return elu(x, 0.7); });
  list.pointwise("selu", {0}, selu);
  list.pointwise("celu", {0}, [](const Tensor& x) { return celu(x, 0.7); });
  list.pointwise("hardtanh", {-1, 1}, [](const Tensor& x) { return hardtanh(x); });
  list.pointwise("relu6", {0, 6}, relu6);
  list.pointwise("hardsigmoid", {-3, 3}, hardsigmoid);
  list.pointwise("hardswish", {-3, 3}, hardswish);
  list.pointwise("hardshrink", {-0.5, 0.5}, [](const Tensor& x) { return hardshrink(x); });
  list.pointwise("softshrink", {-0.5, 0.5}, [](const Tensor& x) { return softshrink(x); });
  list.pointwise("threshold", {0.3}, [](const Tensor& x) { return threshold(x, 0.3, -2); });
  list.pointwise("softplus", {}, [](const Tensor& x) { return softplus(x, 1.5); });
  list.pointwise("logsigmoid", {}, logsigmoid);
  list.pointwise("softsign", {0}, softsign);
  list.pointwise("tanhshrink", {}, tanhshrink);
  list.pointwise("mish", {}, mish);
  list.add("softmin", "dim 0", {{{3, 4}}}, [](const Tensors& x) { return softmin(x[0], 0); });
  list.add("glu", "last dim", {{{3, 4}}}, [](const Tensors& x) { return glu(x[0]); });
  list.add("glu", "dim 0, n = 1", {{{2, 1}}}, [](const Tensors& x) { return glu(x[0], 0); });
  const auto of_weight = [](const Tensors& x) { return prelu(x[0], x[1]); };
  list.add("prelu", "a slope for each channel", {{{2, 3, 2}, -2, 2, {0}}, {{3}}}, of_weight);
  list.add("prelu", "one slope", {{{4}, -2, 2, {0}}, {{1}}}, of_weight);
}

void layers(List& list) {
  list.add("bilinear", "bias", {{{2, 3}}, {{2, 2}}, {{4, 3, 2}}, {{4}}},
           [](const Tensors& x) { return bilinear(x[0], x[1], x[2], x[3]); });
  list.add("bilinear", "n = 1, no bias", {{{1}}, {{1}}, {{1, 1, 1}}},
           [](const Tensors& x) { return bilinear(x[0], x[1], x[2]); });
  list.add("group_norm", "two groups", {{{2, 4, 3}}, {{4}}, {{4}}},
           [](const Tensors& x) { return group_norm(x[0], 2, x[1], x[2]); });
  list.add("group_norm", "empty", {{{0, 4, 3}}},
           [](const Tensors& x) { return group_norm(x[0], 2); });
  list.add("conv1d", "stride, padding, dilation, groups", {{{2, 4, 5}}, {{2, 2, 3}}, {{2}}},
           [](const Tensors& x) {
             return conv1d(x[0], x[1], x[2],
                           {.stride = 2, .padding = 2, .dilation = 2, .groups = 2});
           });
  list.add("conv1d", "n = 1, no batch", {{{1, 1}}, {{1, 1, 1}}},
           [](const Tensors& x) { return conv1d(x[0], x[1]); });
}

void losses(List& list) {
  const CaseInput probability{{3, 4}, 0.1, 0.9}, any{{3, 4}};
  const auto signs = [](const Tensors& x, const Dims& shape) {
    return to(tensor({1, -1, -1}), x[0].dtype()).reshape(shape);
  };
  for (const Reduction r : {Reduction::none, Reduction::mean}) {
    const char* label = r == Reduction::none ? "none" : "mean";
    list.add("reduce_loss", label, {any},
             [r](const Tensors& x) { return reduce_loss(x[0] * x[0], r); });
    list.add("l1_loss", label, {{{3, 4}, 0, 1}, {{3, 4}, -1, -0.1}},
             [r](const Tensors& x) { return l1_loss(x[0], x[1], r); });
    list.add("huber_loss", label, {{{7}, -2, 2, {-0.5, 0.5}}}, [r](const Tensors& x) {
      return huber_loss(x[0], zeros_like(x[0]), {.reduction = r, .delta = 0.5});
    });
    list.add("smooth_l1_loss", label, {{{7}, -2, 2, {-0.5, 0.5}}}, [r](const Tensors& x) {
      return smooth_l1_loss(x[0], zeros_like(x[0]), {.reduction = r, .beta = 0.5});
    });
    list.add("poisson_nll_loss", label, {any, {{3, 4}, 1.2, 5}}, [r](const Tensors& x) {
      return poisson_nll_loss(x[0], x[1], {.reduction = r, .full = true});
    });
    list.add("gaussian_nll_loss", label, {any, any, {{3}, 0.2, 2}}, [r](const Tensors& x) {
      return gaussian_nll_loss(x[0], x[1], x[2], {.reduction = r, .full = true});
    });
    list.add("binary_cross_entropy", label, {probability, probability, {{4}}},
             [r](const Tensors& x) {
               return binary_cross_entropy(x[0], x[1], {.reduction = r, .weight = x[2]});
             });
    list.add("binary_cross_entropy_with_logits", label, {any, probability, {{4}, 0.5, 2}},
             [r](const Tensors& x) {
               return binary_cross_entropy_with_logits(x[0], x[1],
                                                       {.reduction = r, .pos_weight = x[2]});
             });
    list.add("multilabel_soft_margin_loss", label, {any, probability}, [r](const Tensors& x) {
      return multilabel_soft_margin_loss(x[0], x[1], {.reduction = r});
    });
    list.add("margin_ranking_loss", label, {{{3}, 1, 2}, {{3}, 0, 0.8}}, [=](const Tensors& x) {
      return margin_ranking_loss(x[0], x[1], signs(x, {3}), {.reduction = r, .margin = 0.1});
    });
    list.add("hinge_embedding_loss", label, {{{3}, -1, 0.9}}, [=](const Tensors& x) {
      return hinge_embedding_loss(x[0], signs(x, {3}), {.reduction = r, .margin = 1});
    });
    list.add("cosine_embedding_loss", label, {{{3, 4}, 0.2, 1}, {{3, 4}, 0.2, 1}},
             [=](const Tensors& x) {
               return cosine_embedding_loss(x[0], x[1], signs(x, {3}), {.reduction = r});
             });
    list.add("soft_margin_loss", label, {{{3}}},
             [=](const Tensors& x) { return soft_margin_loss(x[0], signs(x, {3}), r); });
    list.add("multi_margin_loss", label, {{{2, 3}, -0.4, 0.4}}, [r](const Tensors& x) {
      return multi_margin_loss(x[0], tensor({1, 0}), {.reduction = r, .p = 2});
    });
    list.add("multilabel_margin_loss", label, {{{2, 3}, -0.4, 0.4}}, [r](const Tensors& x) {
      return multilabel_margin_loss(x[0], tensor({{1, 0, -1}, {2, -1, 0}}), r);
    });
    list.add("triplet_margin_loss", label, {{{3, 4}}, {{3, 4}, 3, 5}, {{3, 4}, -4, -3}},
             [r](const Tensors& x) {
               return triplet_margin_loss(x[0], x[1], x[2], {.reduction = r, .margin = 20});
             });
  }
  const auto weight = [](const Tensors& x) {
    return to(tensor({0.5, 2.0, 0.0, 1.5}), x[0].dtype());
  };
  const Tensor target = tensor({2, 0, 3, 0, 1});
  list.add("cross_entropy", "weights of classes", {{{5, 4}}}, [=](const Tensors& x) {
    return cross_entropy(x[0], target, weight(x), {.ignore_index = 0, .label_smoothing = 0.2});
  });
  list.add("cross_entropy", "probabilities as targets", {{{2, 4, 3}}, {{2, 4, 3}, 0, 1}},
           [=](const Tensors& x) {
             return cross_entropy(x[0], x[1], weight(x), {.label_smoothing = 0.1});
           });
  list.add("cross_entropy", "scores (N, C, positions)", {{{2, 4, 3}}}, [](const Tensors& x) {
    return cross_entropy(x[0], tensor({{0, 3, 1}, {1, 2, 2}}), Tensor(),
                         {.reduction = Reduction::none});
  });
  list.add("nll_loss", "weights of classes", {{{5, 4}}},
           [=](const Tensors& x) { return nll_loss(x[0], target, weight(x)); });
  for (const bool log_target : {false, true})
    list.add("kl_div", log_target ? "logarithms as targets" : "mean over the batch",
             {{{3, 4}}, {{3, 4}, 0.1, 1}}, [=](const Tensors& x) {
               return kl_div(x[0], x[1], {.batchmean = true, .log_target = log_target});
             });
  list.add("pairwise_distance", "p = 3", {{{2, 3}, 1, 2}, {{2, 3}, -1, 0}},
           [](const Tensors& x) { return pairwise_distance(x[0], x[1], 3); });
  list.add("cosine_similarity", "dim 1", {{{2, 3}, 0.2, 2}, {{2, 3}, 0.2, 2}},
           [](const Tensors& x) { return cosine_similarity(x[0], x[1]); });
  list.add("normalize", "dim 0", {{{2, 3}, 0.2, 2}},
           [](const Tensors& x) { return normalize(x[0], 2, 0); });
}

}  // namespace

std::vector<Case> functional_cases() {
  List list;
  activations(list);
  layers(list);
  losses(list);
  return list.cases;
}

}  // namespace slope::nn
