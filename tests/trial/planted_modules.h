// The lists of mistakes in modules, and what their lines mean.
#pragma once

#include <slope/tests/autograd/planted.h>

#include "rules.h"

namespace slope {

template <auto rule>
Tensor custom(const Tensor& a, const Tensor& b, Tensor (*forward)(const Tensor&, const Tensor&),
              Attributes attributes = {}) {
  static const Op op{.name = "custom", .saves = saves_inputs | saves_output, .formula = rule};
  return test::with_rule(
      op, [&] { return forward(a, b); }, {a, b}, std::move(attributes));
}

struct Net {
  NamedTensors leaves;
  Tensor x;
  using Shapes = std::vector<std::pair<const char*, Dims>>;
  explicit Net(const Shapes& shapes) {
    manual_seed(5);
    x = randn({3, 6}, f64);
    for (const auto& [name, shape] : shapes)
      leaves.push_back({name, randn(shape, f64).set_requires_grad()});
  }
};
const Net::Shapes perceptron{{"w1", {5, 6}}, {"b1", {5}}, {"gain", {5}},
                             {"w2", {4, 5}}, {"b2", {4}}, {"table", {6, 5}}},
    block{{"emb", {7, 6}}, {"wq", {6, 6}}, {"wk", {6, 6}},   {"wv", {6, 6}},
          {"scale", {6}},  {"shift", {6}}, {"head", {7, 6}}, {"temperature", {}}};

struct Module {
  const char* kind;
  const char* wrong;
  Tensor (*f)(const Net&);
  const char* text;
  const Net::Shapes* shapes = &perceptron;
};

#define CUSTOM_RULE(...)                                                          \
  [](const Saved& s, const Tensor& g) -> Grads {                                  \
    [[maybe_unused]] const Tensor a = s.input(0), b = s.input(1), y = s.output(); \
    return {__VA_ARGS__};                                                         \
  }
#define CUSTOM(p, r, forward, ...)  \
  custom<CUSTOM_RULE(__VA_ARGS__)>( \
      p, r, [](const Tensor& a, [[maybe_unused]] const Tensor& b) { return Tensor(forward); })
#define CUSTOM_P(probability, p, r, forward, ...)                                              \
  custom<CUSTOM_RULE(__VA_ARGS__)>(                                                            \
      p, r, [](const Tensor& a, [[maybe_unused]] const Tensor& b) { return Tensor(forward); }, \
      {{"p", probability}})
#define MODULE(kind, wrong, ...)                                                             \
  {kind, wrong,                                                                              \
   [](const Net& net) -> Tensor {                                                            \
     [[maybe_unused]] const Tensor &x = net.x, &w1 = net.leaves[0].tensor,                   \
                                   &b1 = net.leaves[1].tensor, &gain = net.leaves[2].tensor, \
                                   &w2 = net.leaves[3].tensor, &b2 = net.leaves[4].tensor,   \
                                   &table = net.leaves[5].tensor;                            \
     __VA_ARGS__;                                                                            \
   },                                                                                        \
   #__VA_ARGS__},

#define BLOCK(kind, wrong, ...)                                                                  \
  {kind, wrong,                                                                                  \
   [](const Net& net) -> Tensor {                                                                \
     [[maybe_unused]] const Tensor &emb = net.leaves[0].tensor, &wq = net.leaves[1].tensor,      \
                                   &wk = net.leaves[2].tensor, &wv = net.leaves[3].tensor,       \
                                   &scale = net.leaves[4].tensor, &shift = net.leaves[5].tensor, \
                                   &head = net.leaves[6].tensor,                                 \
                                   &temperature = net.leaves[7].tensor;                          \
     [[maybe_unused]] const Tensor e = embedding(TOKENS, emb);                                   \
     __VA_ARGS__;                                                                                \
   },                                                                                            \
   #__VA_ARGS__, &block},

inline const std::vector<Module>& modules() {
  static const std::vector<Module> list{
#include "modules.h"
  };
  return list;
}

inline const std::vector<Module>& blind_modules() {
  static const std::vector<Module> list{
#include "blind_modules.h"
  };
  return list;
}

inline const std::vector<Module>& fresh_modules() {
  static const std::vector<Module> list{
#include "fresh_modules.h"
  };
  return list;
}

inline const std::vector<Module>& newest_modules() {
  static const std::vector<Module> list{
#include "newest_modules.h"
  };
  return list;
}

}  // namespace slope
