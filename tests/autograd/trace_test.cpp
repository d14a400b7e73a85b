// The trace of backward: every step with its numbers, as text and as JSON; a graph that is too
// large is refused.
#include <doctest/doctest.h>
#include <slope/autograd/graph/trace.h>
#include <slope/autograd/ops.h>
#include <slope/core/module_path.h>

#include <cmath>

#include <nlohmann/json.hpp>

using namespace slope;

namespace {

Tensor scalar(double value) { return tensor(value, f64).set_requires_grad(); }
bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
// The positions of all parts, which must come in this order.
bool in_order(const std::string& text, const std::vector<std::string>& parts) {
  size_t at = 0;
  for (const std::string& part : parts) {
    at = text.find(part, at);
    if (at == std::string::npos) return false;
    at += part.size();
  }
  return true;
}

}  // namespace

TEST_CASE("trace: L = a b + a, step by step") {
  const Tensor a = scalar(3), b = scalar(-2), c = a * b, L = c + a;
  const Trace trace = trace_backward({L}, {.names = {{"a", a}, {"b", b}, {"c", c}, {"L", L}}});
  CHECK(a.grad().item() == -1);
  CHECK(b.grad().item() == 3);
  const std::string text = trace_text(trace);
  CHECK_MESSAGE(
      in_order(text,
               {"a = 3", "b = -2", "c = mul(a, b) = -6", "L = add(c, a) = -3", "dL/dL = 1",
                "1. L = add(c, a)", "gradient of L: 1", "into c: 1", "into a: 1",
                "2. c = mul(a, b)", "gradient of c: 1", "frees the 16 bytes", "into a: -2",
                "2nd gradient into a: 1 + -2 = -1", "into b: 3", "a.grad += -1", "b.grad += 3"}),
      text);
  CHECK_FALSE(contains(text, "2nd gradient into b"));
}

TEST_CASE("trace: the definition's line of each operation is printed") {
  const Tensor x = ones({2, 3}).set_requires_grad(), W = ones({4, 3}).set_requires_grad();
  const std::string text = trace_text(trace_backward({sum(linear(x, W))}));
  CHECK_MESSAGE(contains(text, "y = x W^T + b"), text);
  CHECK_MESSAGE(contains(text, "dx = g W"), text);
}

TEST_CASE("trace: large tensors are shape and norm") {
  const Tensor x = full({10, 10}, 3).set_requires_grad();
  const Trace trace = trace_backward({sum(x * 2)}, {.most_values = 4});
  const std::string text = trace_text(trace);
  CHECK_MESSAGE(contains(text, "leaf 1 = (10, 10) with norm 30"), text);
  CHECK_MESSAGE(contains(text, "leaf 1.grad += (10, 10) with norm 20"), text);
}

TEST_CASE("trace: names stand as they are given, others are numbered") {
  const Tensor x = scalar(1), y = scalar(2), z = exp(x * y);
  const std::string text = trace_text(trace_backward({z}, {.names = {{"layer.0.my weight", y}}}));
  CHECK_MESSAGE(contains(text, "v1 = mul(leaf 1, layer.0.my weight)"), text);
  CHECK_MESSAGE(contains(text, "v2 = exp(v1)"), text);
  CHECK_MESSAGE(contains(text, "dv2/dv2 = 1"), text);
}

TEST_CASE("trace: JSON has one object an event, with numbers for ids") {
  const Tensor a = scalar(3), b = scalar(-2), c = a * b, L = c + a;
  const Trace trace = trace_backward({L}, {.names = {{"a \"quoted\"", a}, {"c", c}}});
  const auto json = nlohmann::json::parse(trace_json(trace));
  REQUIRE(json["variables"].size() == 4);
  REQUIRE(json["operations"].size() == 2);
  REQUIRE(json["events"].size() == trace.events.size());
  CHECK(json["variables"][0]["name"] == "a \"quoted\"");
  CHECK(json["variables"][0]["kind"] == "leaf");
  CHECK(json["variables"][0]["value"]["values"] == nlohmann::json({3}));
  CHECK(json["operations"][0]["name"] == "mul");
  CHECK(json["operations"][0]["attributes"].empty());
  const Tensor x = scalar(3), half = x * 0.5;
  const Trace scaled = trace_backward({half});
  const auto operations = nlohmann::json::parse(trace_json(scaled))["operations"];
  CHECK(operations[0]["attributes"] == nlohmann::json({{"b", "0.5"}}));
  CHECK_MESSAGE(contains(trace_text(scaled), "v1 = mul_scalar(leaf 1, b = 0.5)"),
                trace_text(scaled));
  CHECK(json["operations"][0]["inputs"] == nlohmann::json({0, 1}));
  CHECK(json["operations"][0]["outputs"] == nlohmann::json({2}));
  std::vector<std::string> kinds;
  for (const auto& event : json["events"]) {
    kinds.push_back(event["event"]);
    if (event["event"] != "sum") continue;
    CHECK(event["variable"] == 0);
    CHECK(event["count"] == 2);
    CHECK(event["values"][0]["values"][0] == 1);
    CHECK(event["values"][1]["values"][0] == -1);
  }
  CHECK(kinds == std::vector<std::string>{"start", "operation", "contribution", "contribution",
                                          "operation", "freed", "contribution", "sum",
                                          "contribution", "leaf", "leaf"});
}

TEST_CASE("trace: an output that is a leaf has its one step, alone or beside a result") {
  const Tensor a = scalar(3);
  const Trace alone = trace_backward({a}, {.names = {{"a", a}}});
  CHECK(alone.operations.empty());
  CHECK_MESSAGE(in_order(trace_text(alone), {"a = 3", "backward", "da/da = 1", "a.grad += 1"}),
                trace_text(alone));
  const auto json = nlohmann::json::parse(trace_json(alone));
  CHECK(json["events"].size() == 2);
  CHECK(json["events"].back()["event"] == "leaf");
  const std::string both = trace_text(trace_backward({a, a * 2.0}, {.names = {{"a", a}}}));
  CHECK_MESSAGE(
      in_order(both, {"da/da = 1", "2nd gradient into a: 1 + 2 = 3", "leaves", "a.grad += 3"}),
      both);
}

TEST_CASE("trace: JSON of what is no number") {
  const Tensor x = scalar(0);
  const auto json = nlohmann::json::parse(trace_json(trace_backward({sqrt(x)})));
  CHECK(json["events"].back()["values"][0]["values"][0] == "inf");
}

TEST_CASE("trace: a gradient that is nan has its line") {
  const Tensor x = tensor(1.0, f64).set_requires_grad();
  const Tensor y = x * 2;
  const std::string text = trace_text(trace_backward({y * NAN}));
  CHECK_MESSAGE(text.find("gradient of v1: nan") != std::string::npos, text);
}

TEST_CASE("trace: an output without a gradient, and an input that needs none") {
  const Tensor x = tensor({1., 2., 3.}, f64).set_requires_grad();
  const std::string text = trace_text(trace_backward({sum(unbind(x)[1] * tensor(2.0, f64))}));
  CHECK_MESSAGE(contains(text, "mul(v2, ·)"), text);
  CHECK_MESSAGE(contains(text, "into leaf 1: [0, 2, 0]"), text);
}

TEST_CASE("trace: a graph too large is refused, saying how large and how to narrow it") {
  const Tensor x = scalar(1);
  Tensor y = x;
  for (int i = 0; i < 300; ++i) y = y * 1.5;
  {
    struct InModule {
      InModule() { set_current_module(intern_path("head.out")); }
      ~InModule() { set_current_module(nullptr); }
    } const in_module;
    y = tanh(y);
  }
  try {
    (void)trace_backward({y});
    FAIL_CHECK("was not refused");
  } catch (const InputError& e) {
    CHECK_MESSAGE(contains(e.what(), "301 operations"), e.what());
    CHECK_MESSAGE(contains(e.what(), "module"), e.what());
  }
  CHECK_FALSE(x.grad().defined());
  CHECK(trace_backward({y}, {.most_operations = 301, .retain_graph = true}).operations.size() ==
        301);
  const Trace head = trace_backward({y}, {.module = "head", .retain_graph = true});
  CHECK(head.operations.size() == 1);
  CHECK(contains(trace_text(head), "tanh"));
  CHECK_THROWS_AS((void)trace_backward({y}, {.module = "hea"}), InputError);
}
