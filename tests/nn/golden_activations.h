// The activations that are modules, as golden cases name them; several golden files have cases of
// them.
#pragma once

#include <slope/tests/nn/golden_modules.h>

namespace slope::test {

inline Layers with_activations(Layers layers) {
  layers.insert({
      {"ReLU", [](A) { return made(ReLU()); }},
      {"GELU", [](A) { return made(GELU()); }},
      {"SiLU", [](A) { return made(SiLU()); }},
      {"Tanh", [](A) { return made(Tanh()); }},
      {"Sigmoid", [](A) { return made(Sigmoid()); }},
      {"ReLU6", [](A) { return made(ReLU6()); }},
      {"SELU", [](A) { return made(SELU()); }},
      {"Hardsigmoid", [](A) { return made(Hardsigmoid()); }},
      {"Hardswish", [](A) { return made(Hardswish()); }},
      {"LogSigmoid", [](A) { return made(LogSigmoid()); }},
      {"Softsign", [](A) { return made(Softsign()); }},
      {"Tanhshrink", [](A) { return made(Tanhshrink()); }},
      {"Mish", [](A) { return made(Mish()); }},
      {"LeakyReLU", [](A a) { return made(LeakyReLU(a.number("negative_slope"))); }},
      {"ELU", [](A a) { return made(ELU(a.number("alpha"))); }},
      {"CELU", [](A a) { return made(CELU(a.number("alpha"))); }},
      {"Hardtanh", [](A a) { return made(Hardtanh(a.number("min_val"), a.number("max_val"))); }},
      {"Hardshrink", [](A a) { return made(Hardshrink(a.number("lambd"))); }},
      {"Softshrink", [](A a) { return made(Softshrink(a.number("lambd"))); }},
      {"Threshold", [](A a) { return made(Threshold(a.number("threshold"), a.number("value"))); }},
      {"Softplus", [](A a) { return made(Softplus(a.number("beta"), a.number("threshold"))); }},
      {"Softmax", [](A a) { return made(Softmax(a.integer("dim"))); }},
      {"LogSoftmax", [](A a) { return made(LogSoftmax(a.integer("dim"))); }},
      {"Softmin", [](A a) { return made(Softmin(a.integer("dim"))); }},
      {"GLU", [](A a) { return made(GLU(a.integer("dim"))); }},
      {"RReLU", [](A a) { return made(RReLU(a.number("lower"), a.number("upper"))); }},
      {"PReLU", [](A a) { return made(PReLU(a.integer("number", 1))); }},
  });
  return layers;
}

}  // namespace slope::test
