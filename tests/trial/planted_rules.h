// The lists of mistakes in rules, and what their lines mean.
#pragma once

#include <slope/autograd/gradcheck/cases/cases.h>
#include <slope/tests/autograd/planted.h>

#include "rules.h"

namespace slope {

const CaseInput one7{{7}}, matrix{{3, 5}}, square{{4, 4}}, positive{{3, 5}, 0.3, 2};
using Inputs = std::vector<CaseInput>;
const Inputs v{one7}, m{matrix}, q{square}, t{{{2, 3, 4}}}, p{positive},
    d{{.shape = {3, 5}, .kinks = {0}, .distinct = true}}, c3{{{3, 3, 3}}}, mm{matrix, matrix},
    mm2 = mm, pp{positive, positive}, qq{square, square}, mv{matrix, {{5}}}, ab{{{3, 4}}, {{4, 5}}},
    ab5{{{3, 5}}, {{5, 4}}}, k{{{4, 7}}}, kk{{{4, 7}}, {{4, 7}}}, wide{{{40}}}, z{{{3, 5}, 0, 0}},
    row{{{1, 5}}, {{3, 5}}}, col{{{3, 5}}, {{3, 1}}}, one{{{3, 5}}, {{}}}, tv{{{2, 3, 4}}, {{4}}},
    cc{{{3, 3, 3}}, {{3, 3, 3}}}, ff{{{5}}, {{4}}}, u{{{2, 6}}}, r{{{2, 3, 5}}},
    ab7{{{3, 7}}, {{5, 7}}}, bq{{{2, 3, 6}}, {{2, 4, 6}}}, signal{{{2, 3, 8}}}, s3{{{3, 3}}},
    ss{{{3, 3}}, {{3, 3}}}, w4{{{3, 4}}, {{4, 4}}}, sv{{{4, 4}}, {{4}}}, sixty{{{60}}},
    tall{{{20, 3}}}, long70{{{70, 2}}}, wide9{{{10, 3}}, {{3, 9}}}, high{{{3, 5}, 750, 800}},
    fifty{{{6}, 50, 60}}, thousand{{{4, 6}, 1000, 1001}}, hinge{{.shape = {3, 5}, .kinks = {1}}},
    six{{.shape = {3, 5}, .high = 8, .kinks = {0, 6}}}, unit{{.shape = {3, 5}, .kinks = {-1, 1}}},
    shrink{{.shape = {3, 5}, .kinks = {-0.5, 0.5}}}, x8{{{2, 8}}}, pair{{{2, 5}}, {{2, 5}}},
    batch{{{2, 3, 4}}, {{2, 4, 3}}}, seven{{{7, 7}}}, long130{{{130}}};

// Given values, and the derivatives of the sum there.
struct Point {
  Inputs inputs;
  std::vector<std::vector<double>> values, expected;
};
const Point tied_pair{{{{3}}, {{3}}}, {{1, 2, 3}, {1, 0, 3}}, {{0.5, 1, 0.5}, {0.5, 0, 0.5}}},
    tied_low{{{{3}}, {{3}}}, {{1, 2, 3}, {1, 0, 3}}, {{0.5, 0, 0.5}, {0.5, 1, 0.5}}},
    tied_row{{{{4}}}, {{2, 5, 5, 1}}, {{0, 0.5, 0.5, 0}}},
    tied_zero{{{{3}}}, {{-1, 0, 2}}, {{-1, 0, 1}}},
    tied_bound{{{{4}}}, {{-1, 0.5, 1, 2}}, {{1, 1, 1, 0}}},
    tied_relu{{{{3}}}, {{-1, 0, 2}}, {{0, 0, 1}}};

struct Mistake {
  const char* kind;
  Inputs inputs;
  Tensor (*forward)(const Tensors&);
  Op op;
  Attributes attributes = {};
  const char* text;
  std::vector<std::vector<double>> values = {}, expected = {};
};

#define FORWARD(y)                                                          \
  [](const Tensors& in) -> Tensor {                                         \
    [[maybe_unused]] const Tensor x = in[0], b = in.size() > 1 ? in[1] : x; \
    return y;                                                               \
  }
#define RULE(...)                                                             \
  [](const Saved& s, [[maybe_unused]] const Tensor& g) -> Grads {             \
    [[maybe_unused]] const Tensor x = at(s, 0), b = at(s, 1), y = s.output(); \
    return {__VA_ARGS__};                                                     \
  }
#define PLANTED .name = "planted", .saves = saves_inputs | saves_output
#define MISTAKE(kind, inputs, y, ...) \
  {kind, inputs, FORWARD(y), {PLANTED, .formula = RULE(__VA_ARGS__)}, {}, #y "; " #__VA_ARGS__},
// A rule that is right after all: nothing may be said of it.
#define NO_MISTAKE(inputs, y, ...) MISTAKE("none", inputs, y, __VA_ARGS__)
#define DROPOUT(kind, inputs, probability, y, ...) \
  {kind,                                           \
   inputs,                                         \
   FORWARD(y),                                     \
   {PLANTED, .formula = RULE(__VA_ARGS__)},        \
   {{"p", probability}},                           \
   #y "; " #__VA_ARGS__},
#define TWO(kind, inputs, y, rule, fast)                               \
  {kind,       inputs,                                                 \
   FORWARD(y), {PLANTED, .formula = RULE(rule), .kernel = RULE(fast)}, \
   {},         #y "; " #rule "; " #fast},
#define POINT(kind, point, y, ...)                                                    \
  {kind, point.inputs,         FORWARD(y),   {PLANTED, .formula = RULE(__VA_ARGS__)}, \
   {},   #y "; " #__VA_ARGS__, point.values, point.expected},
// STRIDE, FLOAT: the right rule, but 1.5 times too large where the first input is not contiguous,
// or 1.01 times in float32.
inline Grads times(Grads grads, double factor) {
  for (Tensor& g : grads)
    if (g.defined()) g = g * factor;
  return grads;
}
#define STRIDE(kind, inputs, y, ...)                                                            \
  {kind,                                                                                        \
   inputs,                                                                                      \
   FORWARD(y),                                                                                  \
   {PLANTED, .formula =                                                                         \
                 [](const Saved& s, const Tensor& g) {                                          \
                   return times(RULE(__VA_ARGS__)(s, g), at(s, 0).is_contiguous() ? 1.0 : 1.5); \
                 }},                                                                            \
   {},                                                                                          \
   #y},
#define FLOAT(kind, inputs, y, ...)                                                      \
  {kind,                                                                                 \
   inputs,                                                                               \
   FORWARD(y),                                                                           \
   {PLANTED, .formula =                                                                  \
                 [](const Saved& s, const Tensor& g) {                                   \
                   return times(RULE(__VA_ARGS__)(s, g), g.dtype() == f32 ? 1.01 : 1.0); \
                 }},                                                                     \
   {},                                                                                   \
   #y},

inline const std::vector<Mistake>& operations() {
  static const std::vector<Mistake> list{
#include "operations.h"
  };
  return list;
}

inline const std::vector<Mistake>& blind_operations() {
  static const std::vector<Mistake> list{
#include "blind_operations.h"
  };
  return list;
}

inline const std::vector<Mistake>& fresh_operations() {
  static const std::vector<Mistake> list{
#include "fresh_operations.h"
  };
  return list;
}

inline const std::vector<Mistake>& newest_operations() {
  static const std::vector<Mistake> list{
#include "newest_operations.h"
  };
  return list;
}

}  // namespace slope
