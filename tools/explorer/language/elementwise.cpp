// Elementwise functions.
#include <slope/tools/explorer/language/functions.h>

namespace slope::explorer {

namespace {

using A = const Arguments&;

std::optional<double> optional(A a, const char* name) {
  return a.has(name) ? std::optional(a.number(name)) : std::nullopt;
}

constexpr Function elementwise[] = {
#define SLOPE_UNARY(Row, name, ...) \
  {#name, "x", [](A a) { return Value{slope::name(a.tensor("x"))}; }},
#include <slope/core/kernels/elementwise/unary_rows.h>
    {"add", "a, b", [](A a) { return Value{add(a.tensor("a"), a.tensor("b"))}; }},
    {"sub", "a, b", [](A a) { return Value{sub(a.tensor("a"), a.tensor("b"))}; }},
    {"mul", "a, b", [](A a) { return Value{mul(a.tensor("a"), a.tensor("b"))}; }},
    {"div", "a, b", [](A a) { return Value{div(a.tensor("a"), a.tensor("b"))}; }},
    {"pow", "a, b", [](A a) { return Value{pow(a.tensor("a"), a.tensor("b"))}; }},
    {"maximum", "a, b", [](A a) { return Value{maximum(a.tensor("a"), a.tensor("b"))}; }},
    {"minimum", "a, b", [](A a) { return Value{minimum(a.tensor("a"), a.tensor("b"))}; }},
    {"clamp", "x, low = none, high = none",
     [](A a) { return Value{clamp(a.tensor("x"), optional(a, "low"), optional(a, "high"))}; }},
    {"where", "condition, a, b",
     [](A a) { return Value{where(a.truths("condition"), a.tensor("a"), a.tensor("b"))}; }},
    {"masked_fill", "x, mask, value",
     [](A a) { return Value{masked_fill(a.tensor("x"), a.truths("mask"), a.number("value"))}; }},
    {"dropout", "x, p", [](A a) { return Value{dropout(a.tensor("x"), a.number("p"))}; }},
};

}  // namespace

std::span<const Function> elementwise_functions() { return elementwise; }

}  // namespace slope::explorer
