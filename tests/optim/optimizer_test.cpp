#include <slope/autograd/grad_mode.h>
#include <slope/autograd/ops.h>
#include <slope/core/loops/copy.h>
#include <slope/core/loops/parallel.h>
#include <slope/nn/module/state.h>
#include <slope/optim/classic/adadelta.h>
#include <slope/optim/classic/adamax.h>
#include <slope/optim/classic/asgd.h>
#include <slope/optim/clip.h>
#include <slope/optim/elementwise/adagrad.h>
#include <slope/optim/elementwise/adamw.h>
#include <slope/optim/elementwise/lion.h>
#include <slope/optim/elementwise/nadam.h>
#include <slope/optim/elementwise/radam.h>
#include <slope/optim/elementwise/rmsprop.h>
#include <slope/optim/elementwise/sgd.h>
#include <slope/optim/ema.h>
#include <slope/optim/lbfgs.h>
#include <slope/optim/whole/adafactor.h>
#include <slope/optim/whole/muon.h>
#include <slope/tests/autograd/same_bits.h>
#include <slope/tests/golden.h>
#include <slope/tests/threads.h>

#include <cmath>

using namespace slope;
using namespace slope::optim;
using slope::test::check_close;

namespace {

NamedTensors parameters_of(const std::vector<Dims>& shapes, DType dtype = f64) {
  NamedTensors all;
  for (size_t k = 0; k < shapes.size(); ++k)
    all.push_back({fmt::format("p{}", k), randn(shapes[k], dtype).set_requires_grad()});
  return all;
}

void set_random_gradients(const NamedTensors& parameters) {
  for (const auto& [name, p] : parameters) p.set_grad(randn(p.shape(), p.dtype()));
}

// all values after five steps with clipping and averaging
std::vector<double> run(int threads, DType dtype) {
  const KeepThreads restore;
  set_num_threads(threads);
  manual_seed(5);
  const NamedTensors ps = parameters_of({{300, 257}, {7}, {}, {0, 3}, {20000}}, dtype);
  Tensors plain;
  for (const auto& [name, p] : ps) plain.push_back(p);
  AdamW adam(ps, {.lr = 1e-2});
  Ema ema(ps, 0.9);
  std::vector<double> values;
  for (int step = 0; step < 5; ++step) {
    set_random_gradients(ps);
    values.push_back(clip_grad_norm(plain, 1.0));
    adam.step();
    ema.update();
  }
  for (const auto& [name, p] : ps)
    for (double v : p.to_vector()) values.push_back(v);
  for (const auto& [name, e] : ema.averages())
    for (double v : e.to_vector()) values.push_back(v);
  return values;
}

}  // namespace

TEST_CASE("adam: the loop and the formula agree to rounding") {
  manual_seed(1);
  for (const bool decoupled : {false, true})
    for (const bool amsgrad : {false, true}) {
      const AdamOptions o{.lr = 0.02,
                          .betas = {0.8, 0.95},
                          .eps = 1e-6,
                          .weight_decay = 0.1,
                          .amsgrad = amsgrad,
                          .decoupled_weight_decay = decoupled};
      const NamedTensors ps = parameters_of({{5, 37}});
      const Tensor& p = ps[0].tensor;
      AdamState s{contiguous_copy(p), zeros_like(p), zeros_like(p), zeros_like(p)};
      std::unique_ptr<Optimizer> optimizer;
      if (decoupled) {
        optimizer = std::make_unique<AdamW>(
            ps, AdamWOptions{o.lr, o.betas, o.eps, o.weight_decay, o.amsgrad});
      } else {
        optimizer = std::make_unique<Adam>(ps, o);
      }
      for (int64_t t = 1; t <= 10; ++t) {
        set_random_gradients(ps);
        s = adam_formula(s, p.grad(), o, t);
        optimizer->step();
        check_close(p, s.p, 1e-13, 1e-14, "p");
      }
      const NamedTensors state = optimizer->state_dict();
      CHECK(state.size() == (amsgrad ? 4 : 3));
      CHECK(state[0].name == "p0.step");
      CHECK(state[0].tensor.item<int64_t>() == 10);
      check_close(state[1].tensor, s.m, 1e-13, 1e-14, state[1].name);
      check_close(state[2].tensor, s.v, 1e-13, 1e-14, state[2].name);
      if (amsgrad) check_close(state[3].tensor, s.v_max, 1e-13, 1e-14, state[3].name);
    }
}

TEST_CASE("sgd: the loop and the formula agree to rounding") {
  manual_seed(2);
  for (const SgdOptions& o :
       {SgdOptions{.lr = 0.1}, SgdOptions{.lr = 0.1, .weight_decay = 0.2},
        SgdOptions{.lr = 0.1, .momentum = 0.9, .dampening = 0.4},
        SgdOptions{.lr = 0.1, .momentum = 0.9, .weight_decay = 0.1, .nesterov = true}}) {
    const NamedTensors ps = parameters_of({{5, 37}});
    const Tensor& p = ps[0].tensor;
    SgdState s{contiguous_copy(p), zeros_like(p)};
    SGD sgd(ps, o);
    for (int64_t t = 1; t <= 10; ++t) {
      set_random_gradients(ps);
      s = sgd_formula(s, p.grad(), o, t);
      sgd.step();
      check_close(p, s.p, 1e-13, 1e-14, "p");
    }
  }
}

TEST_CASE("optimizers: the same bits for any number of threads") {
  for (const DType dtype : {f32, f64}) {
    const auto one = run(1, dtype);
    for (int threads : {2, 3, 7}) CHECK(run(threads, dtype) == one);
  }
}

TEST_CASE("optimizers: a parameter without a gradient, and its state, are left alone") {
  manual_seed(3);
  const NamedTensors ps = parameters_of({{3}, {2}});
  Adam adam(ps);
  adam.step();
  CHECK(adam.state_dict().empty());
  const auto before = ps[1].tensor.to_vector();
  ps[0].tensor.set_grad(ones({3}, f64));
  adam.step();
  CHECK(ps[1].tensor.to_vector() == before);
  CHECK(adam.state_dict().size() == 3);
  adam.zero_grad();
  CHECK(!ps[0].tensor.grad().defined());
}

TEST_CASE("optimizers: saved and loaded state continues with the same bits") {
  for (int kind = 0; kind < 10; ++kind) {
    CAPTURE(kind);
    manual_seed(4);
    const NamedTensors ps = parameters_of({{4, 3}, {5, 2}}, f32),
                       qs = parameters_of({{4, 3}, {5, 2}}, f32);
    const auto make = [&](const NamedTensors& parameters) -> std::unique_ptr<Optimizer> {
      if (kind == 0)
        return std::make_unique<SGD>(parameters, SgdOptions{.lr = 0.1, .momentum = 0.9});
      if (kind == 1) return std::make_unique<Adam>(parameters, AdamOptions{.amsgrad = true});
      if (kind == 2) return std::make_unique<NAdam>(parameters);
      if (kind == 3) return std::make_unique<RAdam>(parameters);
      if (kind == 4)
        return std::make_unique<Adagrad>(parameters,
                                         AdagradOptions{.initial_accumulator_value = 0.1});
      if (kind == 5)
        return std::make_unique<RMSprop>(parameters,
                                         RmspropOptions{.momentum = 0.9, .centered = true});
      if (kind == 6) return std::make_unique<Lion>(parameters);
      if (kind == 7) return std::make_unique<Adafactor>(parameters);
      if (kind == 8) return std::make_unique<Muon>(parameters);
      return std::make_unique<AdamW>(parameters);
    };
    const auto a = make(ps), b = make(qs);
    const auto step = [&](Optimizer& o, const NamedTensors& parameters, int seed) {
      manual_seed(static_cast<uint64_t>(seed));
      set_random_gradients(parameters);
      o.step();
    };
    for (int t = 0; t < 3; ++t) step(*a, ps, t);
    for (size_t k = 0; k < 2; ++k) {
      const NoGrad no_grad;
      copy_into(ps[k].tensor, qs[k].tensor);
    }
    b->load_state_dict(parse_safetensors(format_safetensors(a->state_dict())).tensors);
    for (int t = 3; t < 6; ++t) {
      step(*a, ps, t);
      step(*b, qs, t);
    }
    for (size_t k = 0; k < 2; ++k) CHECK(ps[k].tensor.to_vector() == qs[k].tensor.to_vector());
  }
}

TEST_CASE("muon, lbfgs: what they cannot update is refused by name") {
  const NamedTensors ps = parameters_of({{3}});
  CHECK_THROWS_WITH_AS(
      Muon{ps}, "Muon: p0 has shape (3,); it updates matrices only, give other parameters to AdamW",
      UsageError);
  const Tensor narrow = zeros({2}, f32).set_requires_grad();
  CHECK_THROWS_WITH_AS((LBFGS{NamedTensors{ps[0], {"q", narrow}}}),
                       "LBFGS: q is float32, p0 is float64", DTypeError);
}

TEST_CASE("LBFGS: if an evaluation throws, weights and state are those from before the step") {
  manual_seed(8);
  const NamedTensors ps = parameters_of({{4}, {2, 3}});
  LBFGS lbfgs(ps, {.max_iter = 4, .line_search = LineSearchFn::strong_wolfe});
  int64_t left = 1000;
  const auto closure = [&] {
    if (left-- == 0) throw NumericError("enough");
    lbfgs.zero_grad();
    Tensor loss = zeros({}, f64);
    for (const auto& [name, p] : ps) loss = loss + sum(pow(p - 1, 4)) + sum(p * p);
    loss.backward();
    return loss.item();
  };
  lbfgs.step(closure);
  NamedTensors all = lbfgs.state_dict();
  all.insert(all.end(), ps.begin(), ps.end());
  const std::string before = format_safetensors(all);
  for (const int64_t n : {0, 1, 2}) {
    left = n;
    CHECK_THROWS_AS(lbfgs.step(closure), NumericError);
    NamedTensors now = lbfgs.state_dict();
    now.insert(now.end(), ps.begin(), ps.end());
    CHECK(format_safetensors(now) == before);
  }
}

TEST_CASE("optimizers: a state that does not fit is refused by name, and nothing changes") {
  manual_seed(6);
  const NamedTensors ps = parameters_of({{4}, {5}});
  Adam adam(ps);
  set_random_gradients(ps);
  adam.step();
  const NamedTensors state = adam.state_dict();
  const std::string before = format_safetensors(state);
  for (size_t k = 0; k < state.size(); ++k) {
    NamedTensors missing = state, misshapen = state, extra = state;
    if (state[k].name.ends_with(".step")) {
      misshapen[k].tensor = tensor({1, 2});
    } else {
      misshapen[k].tensor = zeros({7}, f64);
    }
    missing.erase(missing.begin() + static_cast<long>(k));
    extra.push_back({state[k].name + "x", state[k].tensor});
    for (const NamedTensors& bad : {missing, misshapen, extra}) {
      CHECK_THROWS_AS(adam.load_state_dict(bad), InputError);
      CHECK(format_safetensors(adam.state_dict()) == before);
    }
  }
  CHECK_THROWS_WITH(adam.load_state_dict({{"p0.step", tensor(int64_t{1})}}),
                    "optimizer state: p0.exp_avg is missing");
}

TEST_CASE(
    "optimizers: a state loads into its own optimizer; without a parameter's, that one begins "
    "anew") {
  manual_seed(8);
  const NamedTensors ps = parameters_of({{4}, {5}});
  Adam adam(ps);
  set_random_gradients(ps);
  adam.step();
  const std::string before = format_safetensors(adam.state_dict());
  adam.load_state_dict(adam.state_dict());
  CHECK(format_safetensors(adam.state_dict()) == before);
  const Tensor p = ps[0].tensor.detach().clone();
  const auto updated = [&](Adam& a) {  // by the same gradient from the same values
    const NoGrad no_grad;
    copy_into(p, ps[0].tensor);
    a.step();
    return ps[0].tensor.to_vector();
  };
  adam.load_state_dict({});
  CHECK(adam.state_dict().empty());
  Adam fresh(ps);
  CHECK(updated(adam) == updated(fresh));
}

TEST_CASE("optimizers: what makes no sense is refused") {
  manual_seed(7);
  const NamedTensors ps = parameters_of({{4}});
  CHECK_THROWS_AS(Adam(ps, {.lr = -1}), UsageError);
  CHECK_THROWS_AS(Adam(ps, {.betas = {1, 0.9}}), UsageError);
  CHECK_THROWS_AS(SGD(ps, {.nesterov = true}), UsageError);
  for (const double bad : {static_cast<double>(NAN), static_cast<double>(INFINITY), -1.0}) {
    CHECK_THROWS_AS(SGD(ps, {.lr = bad}), UsageError);
    CHECK_THROWS_AS(Adam(ps).set_lr_factor(bad), UsageError);
    CHECK_THROWS_AS(Adam(ps).set_grad_factor(bad), UsageError);
  }
  CHECK_THROWS_AS(Adam({{"a", ps[0].tensor}, {"b", ps[0].tensor}}, AdamOptions{}), UsageError);
  CHECK_THROWS_AS(Adam({{"a", zeros({2})}}, AdamOptions{}), UsageError);
  CHECK_THROWS_AS(Ema(ps, 1.0), UsageError);
  CHECK_THROWS_AS(Ema({ps[0], {"again", ps[0].tensor}}, 0.5), UsageError);
  CHECK_THROWS_AS((void)grad_norm({ps[0].tensor}, 0), UsageError);
}

TEST_CASE(
    "optimizers: a factor of the gradients gives the bits of gradients that were multiplied "
    "before") {
  using Made = std::unique_ptr<Optimizer>;
  const std::vector<Made (*)(const NamedTensors&)> kinds = {
      [](const NamedTensors& ps) { return Made(new SGD(ps, {.lr = 0.1, .weight_decay = 0.01})); },
      [](const NamedTensors& ps) {
        return Made(new SGD(ps, {.lr = 0.1, .momentum = 0.9, .weight_decay = 0.1}));
      },
      [](const NamedTensors& ps) {
        return Made(new SGD(ps, {.lr = 0.1, .momentum = 0.9, .nesterov = true}));
      },
      [](const NamedTensors& ps) { return Made(new Adam(ps, {.lr = 0.1, .weight_decay = 0.1})); },
      [](const NamedTensors& ps) {
        return Made(new Adam(ps, {.lr = 0.1, .weight_decay = 0.1, .amsgrad = true}));
      },
      [](const NamedTensors& ps) { return Made(new AdamW(ps, {.lr = 0.1, .weight_decay = 0.1})); }};
  for (const DType dtype : {f32, f64})
    for (const auto make : kinds) {
      const auto run = [&](bool by_factor) {
        manual_seed(3);
        const NamedTensors ps = parameters_of({{3, 41}, {5}}, dtype);
        const Made optimizer = make(ps);
        Tensors plain;
        for (const auto& [name, p] : ps) plain.push_back(p);
        for (int step = 0; step < 3; ++step) {
          set_random_gradients(ps);
          if (by_factor) {
            optimizer->set_grad_factor(clip_factor(grad_norm(plain), 0.3));
          } else {
            clip_grad_norm(plain, 0.3);
          }
          optimizer->step();
        }
        return plain;
      };
      const Tensors a = run(true), b = run(false);
      CHECK(same_bits(a, b));
    }
  CHECK(clip_factor(3, 1) == 1 / (3 + 1e-6));
  CHECK(clip_factor(0.5, 1) == 1);
  CHECK(clip_factor(NAN, 1) == 1);
  CHECK(clip_factor(INFINITY, 1) == 1);
  CHECK_THROWS_AS((void)clip_factor(1, -1), UsageError);
  SGD sgd(parameters_of({{2}}), {.lr = 0.1});
  for (const double bad : {-1.0, double(NAN), double(INFINITY)})
    CHECK_THROWS_AS(sgd.set_grad_factor(bad), UsageError);
}

TEST_CASE("clip_grad_norm: gradients that share memory or are expanded are scaled once") {
  const Tensor a = zeros({3}).set_requires_grad(), b = zeros({3}).set_requires_grad(),
               c = zeros({3}).set_requires_grad();
  const Tensor g = full({3}, 2.0);
  a.set_grad(g);
  b.set_grad(g.detach());
  c.set_grad(Tensor(full({1}, 2.0).storage(), Layout{{3}, {0}}, f32));
  CHECK(clip_grad_norm({a, b, c}, 3.0) == doctest::Approx(6.0));
  for (const Tensor& p : {a, b, c}) CHECK(p.grad().to_vector()[2] == doctest::Approx(1.0));
  CHECK(grad_norm({}) == 0);
  a.set_grad(full({3}, 2.0));
  b.set_grad(a.grad());  // the same tensor, not only the same memory
  CHECK(clip_grad_norm({a, b}, std::sqrt(6.0)) == doctest::Approx(std::sqrt(24.0)));
  for (const Tensor& p : {a, b}) CHECK(p.grad().to_vector()[2] == doctest::Approx(1.0));
  CHECK_THROWS_AS(clip_grad_norm({a}, -1), UsageError);
  CHECK_THROWS_AS(clip_grad_value({a}, -1), UsageError);
}

TEST_CASE("optimizers: a state is loaded from their own tensors under exchanged names") {
  const NamedTensors ps = parameters_of({{2}, {2}});
  Adam adam(ps);
  ps[0].tensor.set_grad(full({2}, 1.0, f64));
  ps[1].tensor.set_grad(full({2}, 5.0, f64));
  adam.step();
  NamedTensors state = adam.state_dict();
  for (auto& [name, x] : state) name[1] = name[1] == '0' ? '1' : '0';
  adam.load_state_dict(state);
  for (const auto& [name, x] : adam.state_dict())
    if (name.ends_with(".exp_avg"))
      CHECK(x.to_vector()[0] == doctest::Approx(name[1] == '0' ? 0.5 : 0.1));
}

TEST_CASE_TEMPLATE("optimizers: without decay an infinite weight stays as it is", T, float,
                   double) {
  const DType dtype = std::is_same_v<T, float> ? f32 : f64;
  const auto steps = [&](const auto& make) {
    const Tensor p = ones({20}, dtype);
    p.write<T>().get()[3] = -std::numeric_limits<T>::infinity();
    p.set_requires_grad();
    p.set_grad(zeros({20}, dtype));
    make({{"p", p}}).step();
    CHECK(p.to_vector()[3] == -INFINITY);
    CHECK(p.to_vector()[4] == doctest::Approx(1).epsilon(0.02));
  };
  steps([](const NamedTensors& ps) { return SGD(ps, {.lr = 0.1}); });
  steps([](const NamedTensors& ps) { return SGD(ps, {.lr = 0.1, .momentum = 0.9}); });
  steps([](const NamedTensors& ps) { return Adam(ps); });
  steps([](const NamedTensors& ps) { return AdamW(ps); });
  steps([](const NamedTensors& ps) { return Adagrad(ps); });
  steps([](const NamedTensors& ps) { return Lion(ps); });
  steps([](const NamedTensors& ps) { return NAdam(ps); });
  steps([](const NamedTensors& ps) { return RAdam(ps); });
  steps([](const NamedTensors& ps) { return RMSprop(ps); });
  steps([](const NamedTensors& ps) { return Adadelta(ps); });
  steps([](const NamedTensors& ps) { return Adamax(ps); });
  steps([](const NamedTensors& ps) { return ASGD(ps); });
}
