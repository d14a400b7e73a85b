// The pieces of an operation of the library, as CONTRIBUTING.md shows them, in one program that
// runs its cases.
#include <slope/autograd/gradcheck/cases/run.h>
#include <slope/autograd/ops.h>
#include <slope/core/loops/copy.h>
#include <slope/core/loops/parallel.h>

#include <cmath>
#include <cstdio>

namespace slope {

//   y = x / (1 + |x|)        dx = g / (1 + |x|)^2
namespace ops {
extern const Op softsign{.name = "softsign",
                         .signature = "(*) -> (*)",
                         .saves = saves_input(),
                         .formula = [](const Saved& s, const Tensor& g) {
                           const Tensor d = 1 + abs(s.input());
                           return Grads{g / (d * d)};
                         }};
}

Tensor softsign(const Tensor& x) {
  const Tensor xs = contiguous_copy(x), y = empty_like(xs);
  visit_floating(x.dtype(), "softsign", [&]<class T> {
    const T* in = xs.data<T>();
    T* out = y.write<T>();
    parallel_for(y.numel(), 1 << 15, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) out[i] = in[i] / (1 + std::abs(in[i]));
    });
  });
  return ops::softsign.record(y, {x});
}

Cases softsign_cases() {
  const auto f = [](const Tensors& x) { return Tensors{softsign(x[0])}; };
  return {.cases = {{"softsign", "matrix", {{.shape = {3, 4}, .kinks = {0}}}, f},
                    {"softsign", "n = 1", {{.shape = {}, .kinks = {0}}}, f},
                    {"softsign", "empty", {{.shape = {0, 3}}}, f}},
          .refusals = {{"softsign", "integers", [] { (void)softsign(zeros({2}, i64)); }}}};
}

}  // namespace slope

int main() {
  using namespace slope;
  bool ok = true;
  for (const Case& c : softsign_cases().cases)
    for (const CaseOutcome& outcome : run_case(c)) {
      ok &= outcome.report.ok;
      if (!outcome.report.ok)
        std::printf("%s, %s: %s\n", c.label.c_str(), outcome.what.c_str(),
                    outcome.report.text().c_str());
    }
  for (const Refusal& refusal : softsign_cases().refusals) try {
      refusal.call();
      ok = false;
    } catch (const Error& e) {
      ok &= std::string(e.what()).find(refusal.op) != std::string::npos;
    }
  return ok ? 0 : 1;
}
