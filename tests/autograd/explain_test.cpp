// Derivatives as they are written in the definitions, evaluated and held to the rules.
#include <doctest/doctest.h>
#include <slope/autograd/gradcheck/explain/explain.h>
#include <slope/autograd/gradcheck/explain/expression.h>
#include <slope/autograd/ops.h>

using namespace slope;

TEST_CASE("explain: what is written agrees with the rule and with differences") {
  int explained = 0, written = 0;
  for (const Op* op : registry()) {
    try {
      const Explanation found = explain(op->name);
      CHECK_MESSAGE(found.is_held(), found.text());
      ++explained;
      written += found.is_written();
    } catch (const UsageError&) {  // no case with this call alone
    }
  }
  CHECK(explained >= 60);
  CHECK(written >= 35);
  for (const char* name : {"tanh", "gelu", "gelu_tanh", "erf", "silu", "relu", "pow", "clamp",
                           "softmax", "log_softmax", "mean", "div", "abs"}) {
    CAPTURE(std::string(name));
    CHECK(explain(name).is_written());
  }
  CHECK(!explain("matmul").is_written());
  CHECK_THROWS_WITH_AS((void)explain("mse_loss"),
                       doctest::Contains("not an operation with its own rule"), UsageError);
}

TEST_CASE("explain: juxtaposition, functions without parentheses, inner products, cases") {
  const Tensor x = tensor({1.0, -2.0, 4.0}, f64), g = tensor({1.0, 2.0, 3.0}, f64);
  const auto value = [&](const std::string& text, const std::string& where = "") {
    return evaluate_text(text, where, {.values = {{"x", x}, {"g", g}}, .dims = {0}}).to_vector();
  };
  using Values = std::vector<double>;
  CHECK(value("g 2 / x x") == Values{2, 4, 6});
  CHECK(value("g (x - 1)^2") == Values{0, 18, 27});
  CHECK(value("g sign x |x|^2") == Values{1, -8, 48});
  CHECK(value("x - <g, x>") == Values{-8, -11, -5});
  CHECK(value("g where x > 0, else 0") == Values{1, 0, 3});
  CHECK(value("g where -3 <= x <= 1, g / 2 where x = 4, else 0") == Values{1, 2, 1.5});
  CHECK(value("k s(x) x, s = sign", "y = x, k = 2") == Values{2, 4, 8});
  CHECK(right_side("da = g b, db = g a", "db") == "g a");
  CHECK(right_side("dx = g s, s = sigmoid", "dx") == "g s, s = sigmoid");
  for (const char* bad : {"g in x's shape", "g_i", "g (x", "x where", ""})
    CHECK_THROWS_AS((void)value(bad), Unreadable);
}
