// A rule must give the same for a gradient in any memory layout: sums pass on one number, expanded.
#include <doctest/doctest.h>
#include <slope/autograd/gradcheck/fast/fast.h>

#include "planted.h"

using namespace slope;
using test::mentions;
using test::quiet;
using test::values;
using test::with_rule;

namespace {

// y = 2 x; reads g as if it were contiguous
const Op reads_in_a_row{.name = "reads_in_a_row", .formula = [](const Saved&, const Tensor& g) {
                          const Tensor dx = zeros(g.shape(), f64);
                          const double* p = g.data<double>();
                          const auto out = dx.write<double>();
                          for (int64_t i = 0; i < g.numel(); ++i) out[i] = 2 * p[i];
                          return Grads{dx};
                        }};
// knows strides, but not that they may be 0
const Op knows_no_expanded{
    .name = "knows_no_expanded", .formula = [](const Saved&, const Tensor& g) {
      const bool is_expanded = g.numel() > 1 && g.strides()[g.strides().size() - 1] == 0;
      return Grads{is_expanded ? 3 * g : 2 * g};
    }};
const Op refuses_strides{.name = "refuses_strides", .formula = [](const Saved&, const Tensor& g) {
                           SLOPE_CHECK_SHAPE(g.is_contiguous(), "refuses_strides: g has strides");
                           return Grads{2 * g};
                         }};

GradcheckReport check_twice(const Op& op, const Tensor& x) {
  return gradcheck(
      [&](const Tensors& in) {
        return Tensors{with_rule(op, [&] { return in[0] * 2.0; }, {in[0]})};
      },
      {x}, quiet);
}

}  // namespace

TEST_CASE("gradcheck: a rule that depends on the memory layout of its gradient is named") {
  for (const Dims& shape : {Dims{5}, Dims{3, 4}, Dims{2, 1, 3}}) {
    const GradcheckReport report = check_twice(reads_in_a_row, values(shape));
    CHECK(!report.ok);
    CHECK(report.failed == 0);
    REQUIRE(report.problems.size() == 1);
    CHECK_MESSAGE(report.problems[0].starts_with(
                      "backward depends on the memory layout of its gradient, first in "
                      "reads_in_a_row: input 0, element "),
                  report.problems[0]);
    CHECK(mentions(report.problems, " is nan if g lies in strides, but "));
  }
  CHECK(mentions(check_twice(knows_no_expanded, values({3, 4})).problems,
                 "first in knows_no_expanded: input 0, element 0 is 2304 if g is one number, "
                 "expanded, but 1536 if the same numbers lie in a row"));
  CHECK(mentions(check_twice(refuses_strides, values({3, 4})).problems,
                 "memory layout of its gradient: a rule refuses one that is not contiguous: "
                 "refuses_strides: g has strides"));
  const Tensor x = values({3, 4});
  const auto f = [&] { return Tensors{with_rule(reads_in_a_row, [&] { return x * 2.0; }, {x})}; };
  CHECK(mentions(gradcheck_fast(f, {{"x", x}}, {.raise_exception = false}).problems,
                 "depends on the memory layout of its gradient"));
}

TEST_CASE("gradcheck: rules that read any layout of their gradient pass") {
  for (const Dims& shape : {Dims{}, Dims{1}, Dims{4}, Dims{2, 3, 4}, Dims{1, 3, 1}})
    CHECK(gradcheck(
              [](const Tensors& in) {
                return Tensors{exp(in[0]), in[0] * in[0]};
              },
              {values(shape)}, quiet)
              .ok);
}
