// The pieces of an operation of the library, as CONTRIBUTING.md shows them, in one program that
// runs its cases.
#include <slope/autograd/gradcheck/cases/run.h>
#include <slope/autograd/ops.h>
#include <slope/core/loops/copy.h>

#include <cstdio>

namespace slope {

namespace {

constexpr Definition sum_of_squares_definition{"y = sum_i x_i^2", "dx = 2 g x"};

Grads sum_of_squares_formula(const Saved& s, const Tensor& g) { return {2 * g * s.input()}; }

}  // namespace

namespace ops {
extern const Op sum_of_squares{.name = "sum_of_squares",
                               .signature = "(*) -> ()",
                               .definition = sum_of_squares_definition,
                               .saves = saves_input(),
                               .formula = sum_of_squares_formula};
}

Tensor sum_of_squares(const Tensor& x) {
  const Tensor xs = contiguous_copy(x), y = zeros({}, x.dtype());
  visit_floating(x.dtype(), "sum_of_squares", [&]<class T> {
    const T* in = xs.data<T>();
    const auto out = y.write<T>();
    for (int64_t i = 0; i < xs.numel(); ++i) *out += in[i] * in[i];
  });
  return ops::sum_of_squares.record(y, {x});
}

Cases sum_of_squares_cases() {
  const auto f = [](const Tensors& x) { return Tensors{sum_of_squares(x[0])}; };
  return {
      .cases = {{"sum_of_squares", "matrix", {{.shape = {3, 4}}}, f},
                {"sum_of_squares", "n = 1", {{.shape = {}}}, f},
                {"sum_of_squares", "empty", {{.shape = {0, 3}}}, f}},
      .refusals = {{"sum_of_squares", "integers", [] { (void)sum_of_squares(zeros({2}, i64)); }}}};
}

}  // namespace slope

int main() {
  using namespace slope;
  bool ok = true;
  for (const Case& c : sum_of_squares_cases().cases)
    for (const CaseOutcome& outcome : run_case(c)) {
      ok &= outcome.report.ok;
      if (!outcome.report.ok)
        std::printf("%s, %s: %s\n", c.label.c_str(), outcome.what.c_str(),
                    outcome.report.text().c_str());
    }
  for (const Refusal& refusal : sum_of_squares_cases().refusals) try {
      refusal.call();
      ok = false;
    } catch (const Error& e) {
      ok &= std::string(e.what()).find(refusal.name) != std::string::npos;
    }
  return ok ? 0 : 1;
}
