// Cases of losses.
#include <slope/autograd/gradcheck/cases/cases.h>

namespace slope {

Cases loss_cases() {
  Cases all;
  const auto add = [&](const char* op, std::string label, std::vector<CaseInput> inputs,
                       std::function<Tensors(const Tensors&)> f) {
    all.cases.push_back({op, std::move(label), std::move(inputs), std::move(f)});
  };
  struct Variant {
    std::string label;
    CrossEntropyOptions options;
  };
  std::vector<Variant> variants;
  for (const auto& [name, reduction] :
       {std::pair{"mean", Reduction::mean}, {"sum", Reduction::sum}, {"none", Reduction::none}}) {
    variants.push_back({name, {.reduction = reduction}});
    variants.push_back(
        {std::string(name) + ", ignore_index", {.ignore_index = 0, .reduction = reduction}});
    variants.push_back({std::string(name) + ", ignore_index, label_smoothing",
                        {.ignore_index = 0, .label_smoothing = 0.2, .reduction = reduction}});
  }
  const Tensor target = tensor({2, 0, 3, 0, 1});
  for (const auto& [label, options] : variants) {
    add("cross_entropy", label, {{{5, 4}}}, [=, options = options](const Tensors& x) {
      return Tensors{cross_entropy(x[0], target, options)};
    });
    add("linear_cross_entropy", label, {{{5, 3}}, {{4, 3}}, {{4}}},
        [=, options = options](const Tensors& x) {
          return Tensors{linear_cross_entropy(x[0], x[1], x[2], target, options)};
        });
  }
  const auto cross_entropy_with = [](Tensor t, CrossEntropyOptions options = {}) {
    return [=](const Tensors& x) { return Tensors{cross_entropy(x[0], t, options)}; };
  };
  add("cross_entropy", "one row without a batch", {{{4}}}, cross_entropy_with(tensor(2)));
  add("cross_entropy", "n = 1", {{{2, 1}}}, cross_entropy_with(tensor({0, 0})));
  add("cross_entropy", "rows longer than 16 lanes", {{{2, 37}}},
      cross_entropy_with(tensor({36, 5})));
  add("cross_entropy", "all ignored", {{{2, 3}}},
      cross_entropy_with(tensor({1, 1}), {.ignore_index = 1, .reduction = Reduction::sum}));
  add("cross_entropy", "empty", {{{0, 3}}},
      cross_entropy_with(zeros({0}, i64), {.reduction = Reduction::sum}));
  add("cross_entropy", "empty, none", {{{0, 3}}},
      cross_entropy_with(zeros({0}, i64), {.reduction = Reduction::none}));
  add("cross_entropy_sum", "sum and count", {{{3, 4}}}, [](const Tensors& x) {
    const LossAndCount loss = cross_entropy_sum(x[0], tensor({1, 0, 3}), {.ignore_index = 0});
    return Tensors{loss.sum / static_cast<double>(loss.count)};
  });

  for (const auto& of :
       {std::pair{"mean", Reduction::mean}, {"sum", Reduction::sum}, {"none", Reduction::none}}) {
    const char* name = of.first;
    const Reduction reduction = of.second;
    const auto add_with_reduction = [&](const char* op, const CaseInput& a, const CaseInput& b,
                                        Tensor (*f)(const Tensor&, const Tensor&, Reduction)) {
      add(op, name, {a, b}, [=](const Tensors& x) { return Tensors{f(x[0], x[1], reduction)}; });
    };
    add_with_reduction("bce_with_logits", {{3, 4}}, {{3, 4}}, bce_with_logits);
    add_with_reduction("mse_loss", {{3, 4}}, {{3, 4}}, mse_loss);
    add_with_reduction("kl_div", {{3, 4}}, {{3, 4}, 0.1, 1}, kl_div);
    add("nll_loss", name, {{{5, 4}}}, [=](const Tensors& x) {
      return Tensors{nll_loss(x[0], target, {.ignore_index = 0, .reduction = reduction})};
    });
  }
  const auto add_edge_cases = [&](const char* op,
                                  Tensor (*f)(const Tensor&, const Tensor&, Reduction)) {
    add(op, "one number", {{{}, 0.1, 1}, {{}, 0.1, 1}},
        [f](const Tensors& x) { return Tensors{f(x[0], x[1], Reduction::sum)}; });
    add(op, "empty", {{{0, 2}}, {{0, 2}}},
        [f](const Tensors& x) { return Tensors{f(x[0], x[1], Reduction::none)}; });
  };
  add_edge_cases("mse_loss", mse_loss);
  add_edge_cases("kl_div", kl_div);
  add("nll_loss", "empty", {{{0, 3}}}, [](const Tensors& x) {
    return Tensors{nll_loss(x[0], zeros({0}, i64), {.reduction = Reduction::sum})};
  });
  const auto bce = [](const Tensors& x) {
    return Tensors{bce_with_logits(x[0], x[1], Reduction::none)};
  };
  add("bce_with_logits", "one number", {{{}}, {{}}}, bce);
  add("bce_with_logits", "empty", {{{0, 2}}, {{0, 2}}}, bce);

  add("linear_cross_entropy", "no bias", {{{3, 2}}, {{4, 2}}}, [](const Tensors& x) {
    return Tensors{linear_cross_entropy(x[0], x[1], {}, tensor({3, 0, 1}))};
  });
  add("linear_cross_entropy", "many rows, some ignored", {{{70, 2}}, {{3, 2}}, {{3}}},
      [](const Tensors& x) {
        Tensor t = zeros({70}, i64);
        {
          const auto out = t.write<int64_t>();
          for (int64_t i = 0; i < 70; ++i) out.get()[i] = i * i % 3;
        }
        return Tensors{linear_cross_entropy(x[0], x[1], x[2], t, {.ignore_index = 0})};
      });
  add("linear_cross_entropy", "n = 1", {{{1, 1}}, {{1, 1}}, {{1}}}, [](const Tensors& x) {
    return Tensors{linear_cross_entropy(x[0], x[1], x[2], tensor({0}))};
  });
  add("linear_cross_entropy", "empty", {{{0, 2}}, {{3, 2}}, {{3}}}, [](const Tensors& x) {
    return Tensors{
        linear_cross_entropy(x[0], x[1], x[2], zeros({0}, i64), {.reduction = Reduction::sum})};
  });
  add("linear_cross_entropy", "tied: x is the weight", {{{3, 2}}}, [](const Tensors& x) {
    return Tensors{linear_cross_entropy(x[0], x[0], {}, tensor({2, 0, 1}))};
  });

  const auto refuse = [&](const char* op, const char* label, std::function<void()> call) {
    all.refusals.push_back({op, label, std::move(call)});
  };
  refuse("cross_entropy", "target out of range", [] {
    (void)cross_entropy(zeros({2, 5}), tensor({1, 7}));
  });
  refuse("cross_entropy", "negative target", [] {
    (void)cross_entropy(zeros({2, 5}), tensor({-1, 0}));
  });
  refuse("cross_entropy", "fewer targets than rows", [] {
    (void)cross_entropy(zeros({2, 5}), tensor({1}));
  });
  refuse("cross_entropy", "floating-point targets", [] {
    (void)cross_entropy(zeros({2, 5}), zeros({2}));
  });
  refuse("cross_entropy", "label smoothing above 1", [] {
    (void)cross_entropy(zeros({1, 5}), tensor({1}), {.label_smoothing = 1.5});
  });
  refuse("linear_cross_entropy", "inner sizes that differ", [] {
    (void)linear_cross_entropy(zeros({2, 3}), zeros({4, 2}), {}, tensor({1, 1}));
  });
  refuse("linear_cross_entropy", "bias of another size", [] {
    (void)linear_cross_entropy(zeros({2, 3}), zeros({4, 3}), zeros({3}), tensor({1, 1}));
  });
  refuse("linear_cross_entropy", "target out of range", [] {
    (void)linear_cross_entropy(zeros({2, 3}), zeros({4, 3}), {}, tensor({1, 4}));
  });
  refuse("nll_loss", "target out of range", [] { (void)nll_loss(zeros({2, 5}), tensor({1, 5})); });
  refuse("nll_loss", "label smoothing", [] {
    (void)nll_loss(zeros({1, 5}), tensor({1}), {.label_smoothing = 0.1});
  });
  refuse("nll_loss", "scores of rank 3", [] {
    (void)nll_loss(zeros({1, 5, 2}), zeros({1, 2}, i64));
  });
  refuse("mse_loss", "shapes that differ", [] { (void)mse_loss(zeros({2, 3}), zeros({3})); });
  refuse("mse_loss", "dtypes that differ", [] { (void)mse_loss(zeros({2}), zeros({2}, f64)); });
  refuse("mse_loss", "integer dtype", [] { (void)mse_loss(zeros({2}, i64), zeros({2}, i64)); });
  refuse("bce_with_logits", "shapes that differ", [] {
    (void)bce_with_logits(zeros({2, 3}), zeros({2, 1}));
  });
  refuse("kl_div", "shapes that differ", [] { (void)kl_div(zeros({2, 3}), zeros({2})); });
  return all;
}

}  // namespace slope
