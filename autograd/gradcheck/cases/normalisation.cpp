// Cases of softmax, normalisation and dropout.
#include <slope/autograd/gradcheck/cases/cases.h>

namespace slope {

namespace {

// f with random numbers that are the same at every call.
std::function<Tensors(const Tensors&)> with_fixed_seed(std::function<Tensors(const Tensors&)> f) {
  return [f](const Tensors& x) {
    const FixedSeed seed(11);
    return f(x);
  };
}

}  // namespace

Cases normalisation_cases() {
  Cases all;
  const auto add = [&](const char* op, std::string label, std::vector<CaseInput> inputs,
                       std::function<Tensors(const Tensors&)> f) {
    all.cases.push_back({op, std::move(label), std::move(inputs), std::move(f)});
  };
  for (const auto& [op, f] :
       {std::pair<const char*, Tensor (*)(const Tensor&, int64_t)>{"softmax", softmax},
        {"log_softmax", log_softmax}}) {
    add(op, "last dim", {{{2, 3, 4}}}, [f = f](const Tensors& x) { return Tensors{f(x[0], -1)}; });
    add(op, "dim 0", {{{3, 2, 2}}}, [f = f](const Tensors& x) { return Tensors{f(x[0], 0)}; });
    add(op, "dim 1", {{{2, 3, 2}}}, [f = f](const Tensors& x) { return Tensors{f(x[0], 1)}; });
    add(op, "rows longer than 16 lanes", {{{2, 35}}},
        [f = f](const Tensors& x) { return Tensors{f(x[0], -1)}; });
    add(op, "large values", {{{2, 3}, 694, 706}},  // not f(100 x): 100 x would round in f32
        [f = f](const Tensors& x) { return Tensors{f(x[0], -1)}; });
    add(op, "n = 1", {{{3, 1}}}, [f = f](const Tensors& x) { return Tensors{f(x[0], -1)}; });
    add(op, "rank 0", {{{}}}, [f = f](const Tensors& x) { return Tensors{f(x[0], 0)}; });
    add(op, "empty", {{{0, 3}}}, [f = f](const Tensors& x) { return Tensors{f(x[0], -1)}; });
    add(op, "empty rows", {{{2, 0}}}, [f = f](const Tensors& x) { return Tensors{f(x[0], -1)}; });
  }

  const auto affine = [](const Tensors& x) { return Tensors{layer_norm(x[0], x[1], x[2])}; };
  add("layer_norm", "weight and bias", {{{2, 3, 4}}, {{4}}, {{4}}}, affine);
  add("layer_norm", "two dims", {{{2, 3, 2}}, {{3, 2}}, {{3, 2}}}, affine);
  add("layer_norm", "rows longer than 16 lanes", {{{3, 35}}, {{35}}, {{35}}}, affine);
  add("layer_norm", "n = 1", {{{3, 1}}, {{1}}, {{1}}}, affine);
  add("layer_norm", "empty", {{{0, 3}}, {{3}}, {{3}}}, affine);
  add("layer_norm", "empty rows", {{{2, 0}}, {{0}}, {{0}}}, affine);
  add("layer_norm", "no bias", {{{3, 4}}, {{4}}},
      [](const Tensors& x) { return Tensors{layer_norm(x[0], x[1], {})}; });
  add("layer_norm", "plain", {{{3, 4}}},
      [](const Tensors& x) { return Tensors{layer_norm(x[0], {}, {}, 1e-3)}; });
  add("layer_norm", "bias alone", {{{3, 4}}, {{4}}},
      [](const Tensors& x) { return Tensors{layer_norm(x[0], {}, x[1])}; });

  const auto rms = [](const Tensors& x) { return Tensors{rms_norm(x[0], x[1], 1e-3)}; };
  add("rms_norm", "weight", {{{2, 3, 4}}, {{4}}}, rms);
  add("rms_norm", "two dims", {{{2, 3, 2}}, {{3, 2}}}, rms);
  add("rms_norm", "rows longer than 16 lanes", {{{3, 35}}, {{35}}}, rms);
  add("rms_norm", "n = 1", {{{3, 1}}, {{1}}}, rms);
  add("rms_norm", "empty", {{{0, 3}}, {{3}}}, rms);
  add("rms_norm", "plain", {{{3, 4}}},
      [](const Tensors& x) { return Tensors{rms_norm(x[0], {})}; });

  add("dropout", "p = 0.5", {{{5, 17}}},
      with_fixed_seed([](const Tensors& x) { return Tensors{dropout(x[0], 0.5)}; }));
  add("dropout", "p = 0.1, twice", {{{70}}},
      with_fixed_seed([](const Tensors& x) { return Tensors{dropout(dropout(x[0], 0.1), 0.1)}; }));
  add("dropout", "p = 1", {{{2, 3}}},
      with_fixed_seed([](const Tensors& x) { return Tensors{dropout(x[0], 1)}; }));
  add("dropout", "rank 0", {{{}}},
      with_fixed_seed([](const Tensors& x) { return Tensors{dropout(x[0], 0.25)}; }));
  add("dropout", "empty", {{{0, 3}}},
      with_fixed_seed([](const Tensors& x) { return Tensors{dropout(x[0], 0.5)}; }));

  // clang-format off
  all.refusals = {
      {"softmax", "dim out of range", [] { (void)softmax(zeros({2, 3}), 2); }},
      {"softmax", "integer dtype", [] { (void)softmax(zeros({2, 3}, i64)); }},
      {"log_softmax", "dim out of range", [] { (void)log_softmax(zeros({2, 3}), -3); }},
      {"layer_norm", "weight of another size",
       [] { (void)layer_norm(zeros({2, 3}), zeros({4}), zeros({4})); }},
      {"layer_norm", "bias of another size",
       [] { (void)layer_norm(zeros({2, 3}), zeros({3}), zeros({2})); }},
      {"layer_norm", "weight with more dims than x",
       [] { (void)layer_norm(zeros({3}), zeros({2, 3}), zeros({2, 3})); }},
      {"layer_norm", "dtypes that differ",
       [] { (void)layer_norm(zeros({2, 3}), zeros({3}, f64), zeros({3})); }},
      {"layer_norm", "rank 0", [] { (void)layer_norm(zeros({}), {}, {}); }},
      {"rms_norm", "weight of another size", [] { (void)rms_norm(zeros({2, 3}), zeros({2})); }},
      {"rms_norm", "integer dtype", [] { (void)rms_norm(zeros({2, 3}, i64), {}); }},
      {"rms_norm", "dtypes that differ", [] { (void)rms_norm(zeros({2, 3}), zeros({3}, f64)); }},
      {"dropout", "p above 1", [] { (void)dropout(zeros({2}), 1.5); }},
      {"dropout", "p below 0", [] { (void)dropout(zeros({2}), -0.1); }},
      {"dropout", "p is nan", [] { (void)dropout(zeros({2}), std::numeric_limits<double>::quiet_NaN()); }},
      {"dropout", "integer dtype", [] { (void)dropout(zeros({2}, i64), 0.5); }},
  };
  // clang-format on
  return all;
}

}  // namespace slope
