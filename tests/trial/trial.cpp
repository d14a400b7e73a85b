// The trial of the diagnosis: of the mistakes listed in operations.h and modules.h, for how many
// does the report name the right class first, or among the first three, and the operation and the
// parameters that are wrong? Prints the score and every miss; fails below 85 %, 95 %, 100 %, 100 %.
// TRIAL=TEXT in the environment prints the whole report of the mistakes that begin with TEXT.
#include <slope/autograd/gradcheck/cases/function_check.h>
#include <slope/nn/functional/activations.h>
#include <slope/tests/autograd/planted.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

using namespace slope;

namespace {

// What a sentence about a mistake of the class says; one of these words is enough.
const std::map<std::string, std::vector<std::string>> words{
    {"sign", {"wrong sign"}},
    {"constant", {"factor", "constant"}},
    {"n", {"1/n", "n - 1"}},
    {"sqrt d", {"sqrt(d)"}},
    {"dropout", {"dropout's scale"}},
    {"operand", {"power or operand", "in place of"}},
    {"swapped", {"swapped operands", "swapped"}},
    {"mask", {"mask"}},
    {"transposition", {"transposition", "order of factors"}},
    {"order", {"in reverse", "shifted", "order of"}},
    {"term", {"a term"}},
    {"accumulation", {"accumulation", "use is lost", "one use"}},
    {"broadcast", {"broadcast"}},
    {"contraction", {"contracted"}},
    {"zero", {"gives 0", "no gradient"}},
    {"should be zero", {"should give 0", "missing mask"}},
    {"guard", {"guard"}},
    {"edge", {"edge", "loop leaves out"}},
    {"kernel", {"the kernel, not"}},
    {"formula", {"the formula or reference, not"}},
    {"detached", {"detached"}},
    {"detached value", {"detached", "detach()"}},
    {"stride", {"stride"}},
    {"f32", {"float32"}},
    {"not repeatable", {"not deterministic", "not repeatable"}},
    {"state", {"not deterministic", "no state"}},
    {"shape", {"shape must not depend"}},
    {"nan", {"is nan", "0/0"}},
};

// Those of a class, or of two that cannot be told apart: "mask|swapped".
std::vector<std::string> words_of(const std::string& kind) {
  const size_t bar = kind.find('|');
  std::vector<std::string> result = words.at(kind.substr(0, bar));
  if (bar != std::string::npos)
    for (const std::string& word : words.at(kind.substr(bar + 1))) result.push_back(word);
  return result;
}

struct Score {
  int planted = 0, first = 0, among_three = 0, operation = 0, leaves = 0;

  void add(const std::string& place, const std::string& kind, const Guesses& guesses) {
    ++planted;
    size_t rank = guesses.size();
    for (size_t i = guesses.size(); i-- > 0;)
      for (const std::string& word : words_of(kind))
        if (guesses[i].mistake.find(word) != std::string::npos) rank = i;
    first += rank == 0 && !guesses.empty();
    among_three += rank < guesses.size();
    if (rank > 0 || guesses.empty())
      std::printf("%s (%s): %s\n", place.c_str(), kind.c_str(), text_of(guesses).c_str());
  }
  bool print(const char* what) const {
    std::printf(
        "%s: %d mistakes, right class first %.1f %%, among three %.1f %%, operation %d, "
        "leaves %d\n",
        what, planted, 100.0 * first / planted, 100.0 * among_three / planted, operation, leaves);
    return first >= 0.85 * planted && among_three >= 0.95 * planted && operation == planted &&
           leaves == planted;
  }
};

// Where there is no guess, a problem of the check itself is what the report says first.
Guesses seen_in(const GradcheckReport& report, const Guesses& guesses) {
  const bool is_guess = !guesses.empty() || report.problems.empty();
  return is_guess ? guesses : Guesses{{1, report.problems[0], ""}};
}

void show_if_wanted(const std::string& mistake, const std::string& report) {
  const char* wanted = std::getenv("TRIAL");
  if (wanted && mistake.starts_with(wanted)) std::puts(report.c_str());
}

Tensor at(const Saved& s, int i) { return i < s.inputs() ? s.input(i) : Tensor(); }

// ---- what the second list's rules are written in
Tensor low(const Tensor& x) { return tril(ones_like(x)); }  // a fixed mask
double root(double d) { return std::sqrt(d); }
Tensor outer(const Tensor& a, const Tensor& b) { return unsqueeze(a, 1) * b; }
Tensor deviation(const Tensor& x) {  // 1 / the standard deviation of a row
  return rsqrt(var(x, {1}, 0, keepdim) + 1e-5);
}
Tensor sub_rows(const Tensor& g, const Tensor& y) {  // softmax's rule
  return y * (g - sum(g * y, {1}, keepdim));
}
// x as it is read by someone who forgets its strides; the derivative is that of x.
Tensor raw(const Tensor& x) {
  const Tensor inside = x.detach();
  Layout forgetful = Layout::contiguous(x.shape());
  forgetful.offset = inside.layout().offset;
  if (!forgetful.is_within(inside.storage()->bytes() / size_of(x.dtype()))) return x;
  return x + (Tensor(inside.storage(), forgetful, x.dtype()) - inside);
}
int64_t calls() {
  static int64_t count = 0;
  return ++count;
}

// ---- operations
const CaseInput one7{{7}}, matrix{{3, 5}}, square{{4, 4}}, positive{{3, 5}, 0.3, 2};
using Inputs = std::vector<CaseInput>;
const Inputs v{one7}, m{matrix}, q{square}, t{{{2, 3, 4}}}, p{positive},
    d{{.shape = {3, 5}, .kinks = {0}, .distinct = true}}, c3{{{3, 3, 3}}}, mm{matrix, matrix},
    mm2 = mm, pp{positive, positive}, qq{square, square}, mv{matrix, {{5}}}, ab{{{3, 4}}, {{4, 5}}},
    ab5{{{3, 5}}, {{5, 4}}}, k{{{4, 7}}}, kk{{{4, 7}}, {{4, 7}}}, wide{{{40}}}, z{{{3, 5}, 0, 0}},
    row{{{1, 5}}, {{3, 5}}}, col{{{3, 5}}, {{3, 1}}}, one{{{3, 5}}, {{}}}, tv{{{2, 3, 4}}, {{4}}},
    cc{{{3, 3, 3}}, {{3, 3, 3}}}, ff{{{5}}, {{4}}};

struct Mistake {
  const char* kind;
  Inputs inputs;
  Tensor (*forward)(const Tensors&);
  Op op;
  Attributes attributes = {};
  const char* text;
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
// The right rule, but 1.5 times too large where the first input is not contiguous, or in float32.
Grads times(Grads grads, double factor) {
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

const std::vector<Mistake>& operations() {
  static const std::vector<Mistake> list{
#include "operations.h"
  };
  return list;
}

const std::vector<Mistake>& blind_operations() {
  static const std::vector<Mistake> list{
#include "blind_operations.h"
  };
  return list;
}

bool try_operations(const char* what, const std::vector<Mistake>& mistakes) {
  Score score;
  for (const Mistake& mistake : mistakes) {
    const Case planted{
        "planted", "the only one", mistake.inputs, [&](const Tensors& in) {
          return Tensors{test::with_rule(
              mistake.op, [&] { return mistake.forward(in); }, in, mistake.attributes)};
        }};
    const FunctionCheck check = check_function("planted", {planted});
    if (check.ok()) std::printf("not noticed: ");
    const FunctionCheck::Outcome* failed = check.first_failure();
    show_if_wanted(mistake.text, text_of(check, false));
    score.add(mistake.text, mistake.kind,
              failed ? seen_in(failed->outcome.report, diagnose(check)) : Guesses());
    score.operation += failed && text_of(check, false).starts_with("planted ");
    ++score.leaves;
  }
  return score.print(what);
}

// ---- modules
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
  Net() {
    manual_seed(5);
    x = randn({3, 6}, f64);
    const std::pair<const char*, Dims> shapes[] = {{"w1", {5, 6}}, {"b1", {5}}, {"gain", {5}},
                                                   {"w2", {4, 5}}, {"b2", {4}}, {"table", {6, 5}}};
    for (const auto& [name, shape] : shapes)
      leaves.push_back({name, randn(shape, f64).set_requires_grad()});
  }
};

struct Module {
  const char* kind;
  const char* wrong;
  Tensor (*f)(const Net&);
  const char* text;
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

const std::vector<Module>& modules() {
  static const std::vector<Module> list{
#include "modules.h"
  };
  return list;
}

const std::vector<Module>& blind_modules() {
  static const std::vector<Module> list{
#include "blind_modules.h"
  };
  return list;
}

bool try_modules(const char* what, const std::vector<Module>& mistakes) {
  Score score;
  for (const Module& module : mistakes) {
    const Net net;
    const GradcheckReport report =
        gradcheck([&] { return Tensors{module.f(net)}; }, net.leaves, test::quiet);
    std::string wrong;
    for (const GradcheckLeaf& leaf : report.leaves)
      if (leaf.failed > 0) wrong += (wrong.empty() ? "" : " ") + leaf.name;
    show_if_wanted(module.text, report.text());
    score.add(module.text, module.kind, seen_in(report, diagnose(report)));
    const bool by_problem = *module.wrong == 0 && !report.problems.empty();
    const bool named =
        by_problem || (!report.culprits.empty() &&
                       (report.culprits[0].is_cut || report.culprits[0].op == "custom"));
    if (wrong != module.wrong || !named)
      std::printf("%s: parameters %s, not %s; %s\n", module.text, wrong.c_str(), module.wrong,
                  report.text().c_str());
    score.leaves += wrong == module.wrong;
    score.operation += named;
  }
  return score.print(what);
}

}  // namespace

int main() {
  const bool passed[]{try_operations("operations", operations()), try_modules("modules", modules()),
                      try_operations("operations, blind", blind_operations()),
                      try_modules("modules, blind", blind_modules())};
  return std::ranges::count(passed, false) == 0 ? 0 : 1;
}
