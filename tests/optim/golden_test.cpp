// Optimizers step by step, schedules, clipping and averages against PyTorch's
// (tests/golden/optim.py).
#if __has_include(<nlohmann/json.hpp>)
#include <slope/autograd/grad_mode.h>
#include <slope/core/loops/copy.h>
#include <slope/core/tensor/factories.h>
#include <slope/optim/adamw.h>
#include <slope/optim/clip.h>
#include <slope/optim/ema.h>
#include <slope/optim/schedule.h>
#include <slope/optim/sgd.h>
#include <slope/tests/golden.h>

#include <nlohmann/json.hpp>

#include <memory>

using namespace slope;
using namespace slope::optim;
using slope::test::check_close;
using Json = nlohmann::json;

namespace {

const Json& settings() {
  static const Json json = Json::parse(test::golden_text("optim.json"));
  return json;
}

const TensorFile& values(const std::string& suffix) {
  static const TensorFile wide = parse_safetensors(test::golden_text("optim_f64.safetensors"));
  static const TensorFile narrow = parse_safetensors(test::golden_text("optim_f32.safetensors"));
  return suffix == "f64" ? wide : narrow;
}

double tolerance(const std::string& suffix) { return suffix == "f64" ? 1e-12 : 3e-6; }

Tensor row(const Tensor& x, int64_t k) {  // x[k], without the tape
  Tensor y = Tensor(x.storage(), x.layout().select(0, k), x.dtype());
  return contiguous_copy(y);
}

template <class Optimizer, class Options>
std::unique_ptr<Optimizer> make(const Json& groups, const NamedTensors& parameters) {
  std::vector<Group<Options>> all;
  for (const Json& g : groups) {
    Group<Options> group;
    Options& o = group.options;
    for (const auto& [name, p] : parameters)
      for (const Json& wanted : g["parameters"])
        if (wanted == name) group.parameters.push_back({name, p});
    o.lr = g.value("lr", o.lr);
    o.weight_decay = g.value("weight_decay", o.weight_decay);
    if constexpr (std::is_same_v<Options, SgdOptions>) {
      o.momentum = g.value("momentum", 0.0);
      o.dampening = g.value("dampening", 0.0);
      o.nesterov = g.value("nesterov", false);
    } else {
      if (g.contains("betas")) o.betas = {g["betas"][0], g["betas"][1]};
      o.eps = g.value("eps", o.eps);
      o.amsgrad = g.value("amsgrad", false);
    }
    all.push_back(group);
  }
  return std::make_unique<Optimizer>(all);
}

std::unique_ptr<Optimizer> make_optimizer(const Json& c, const NamedTensors& parameters) {
  if (c["optimizer"] == "sgd") return make<SGD, SgdOptions>(c["groups"], parameters);
  if (c["optimizer"] == "adam") return make<Adam, AdamOptions>(c["groups"], parameters);
  return make<AdamW, AdamWOptions>(c["groups"], parameters);
}

double rate(const Json& s, int64_t step) {  // s: settings of a schedule
  const std::string kind = s["kind"];
  const double base = s["base"];
  if (kind == "constant") return base * constant(step);
  if (kind == "linear")
    return base * linear(step, s["total_iters"], s["start_factor"], s["end_factor"]);
  if (kind == "cosine") return base * cosine(step, s["T_max"], double(s["eta_min"]) / base);
  if (kind == "step") return base * step_decay(step, s["step_size"], s["gamma"]);
  if (kind == "noam") return base * noam(step, s["d_model"], s["warmup"]);
  if (kind == "inverse_sqrt") return base * inverse_sqrt(step, s["warmup"]);
  REQUIRE(kind == "warmup_cosine");
  return base * warmup_cosine(step, s["warmup"], s["total"], s["floor"]);
}

}  // namespace

TEST_CASE("optimizers: every step of 20 equals PyTorch's") {
  int cases = 0;
  for (const std::string suffix : {"f64", "f32"})
    for (const auto& [name, c] : settings()["cases"].items()) {
      const TensorFile& file = values(suffix);
      NamedTensors parameters;
      for (const char* k : {"a", "b"})
        parameters.emplace_back(
            k, contiguous_copy(file.at(std::string("start/") + k)).set_requires_grad());
      const auto optimizer = make_optimizer(c, parameters);
      for (int64_t step = 0; step < 20; ++step) {
        for (const auto& [k, p] : parameters) p.set_grad(row(file.at("gradient/" + k), step));
        if (c.contains("schedule")) {
          const Json& s = settings()["schedules"][std::string(c["schedule"])];
          optimizer->set_lr_factor(rate(s, step) / double(s["base"]));
        }
        optimizer->step();
        for (const auto& [k, p] : parameters)
          check_close(p, row(file.at(name + "/" + k), step), tolerance(suffix), tolerance(suffix),
                      fmt::format("{} {} {} step {}", suffix, name, k, step));
      }
      ++cases;
    }
  CHECK(cases == 2 * 19);
}

TEST_CASE("schedules: every rate equals PyTorch's") {
  for (const auto& item : settings()["schedules"].items())
    for (size_t step = 0; step < item.value()["lr"].size(); ++step) {
      const Json& s = item.value();
      const std::string& name = item.key();
      const double expected = s["lr"][step];
      CHECK_MESSAGE(rate(s, static_cast<int64_t>(step)) == doctest::Approx(expected).epsilon(1e-12),
                    name << ", step " << step);
    }
}

TEST_CASE(
    "clipping: norms and clipped gradients equal PyTorch's; a norm that is not finite changes "
    "nothing") {
  for (const std::string suffix : {"f64", "f32"})
    for (const auto& [name, s] : settings()["clips"].items()) {
      const TensorFile& file = values(suffix);
      NamedTensors named;
      Tensors parameters;
      for (int k = 0; k < 3; ++k) {
        const Tensor g = contiguous_copy(file.at(fmt::format("clip/{}/in{}", name, k)));
        const Tensor p = zeros(g.shape(), g.dtype()).set_requires_grad();
        p.set_grad(g);
        parameters.push_back(p);
        named.push_back({fmt::format("p{}", k), p});
      }
      const std::string bad = first_nonfinite_grad(named);
      double norm = 0;
      if (s.contains("clip_value")) {
        clip_grad_value(parameters, s["clip_value"]);
      } else {
        norm = clip_grad_norm(parameters, s["max_norm"],
                              s["norm_type"] == "inf" ? INFINITY : double(s["norm_type"]));
        check_close(tensor(norm, f64), contiguous_copy(file.at("clip/" + name + "/norm"), f64),
                    tolerance(suffix), 0, name + " norm");
      }
      CHECK(bad == (std::isfinite(norm) ? "" : "p1"));
      for (int k = 0; k < 3; ++k)
        check_close(
            parameters[static_cast<size_t>(k)].grad(),
            file.at(fmt::format("clip/{}/{}{}", name, std::isfinite(norm) ? "out" : "in", k)),
            tolerance(suffix), 0, fmt::format("{} {}", name, k));
    }
}

TEST_CASE("ema: every average of 20 steps, and the model holds them while averaged") {
  for (const std::string suffix : {"f64", "f32"})
    for (const char* decay : {"0.9", "0.999"}) {
      const TensorFile& file = values(suffix);
      NamedTensors parameters;
      for (const char* k : {"a", "b"})
        parameters.emplace_back(
            k, contiguous_copy(file.at(std::string("start/") + k)).set_requires_grad());
      Ema ema(parameters, std::stod(decay));
      for (int64_t step = 0; step < 20; ++step) {
        for (const auto& [k, p] : parameters) {
          const NoGrad no_grad;
          copy_into(row(file.at("adam.plain/" + k), step), p);
        }
        ema.update();
        for (size_t k = 0; k < 2; ++k) {
          const auto& [name, p] = parameters[k];
          const Tensor expected = row(file.at(fmt::format("ema/{}/{}", decay, name)), step);
          const Tensor own = contiguous_copy(p);
          check_close(ema.averages()[k].tensor, expected, tolerance(suffix), tolerance(suffix),
                      name);
          {
            const Averaged averaged(ema);
            check_close(p, expected, tolerance(suffix), tolerance(suffix), name);
          }
          check_close(p, own, 0, 0, name);
        }
      }
    }
}
#endif
