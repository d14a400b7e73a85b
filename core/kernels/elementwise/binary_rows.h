// The loops over two tensors, one row each: SLOPE_BINARY(Row, f), y = f of numbers a and b. Their
// operations are in autograd/ops/elementwise/binary.cpp, pow.cpp and
// autograd/ops/loss/bce_with_logits.cpp. Included like unary_rows.h.

#ifndef SLOPE_BINARY  // included on its own
#define SLOPE_BINARY(...)
#endif

// clang-format off
SLOPE_BINARY(Add, static_cast<decltype(a)>(modular(a) + modular(b)))
SLOPE_BINARY(Sub, static_cast<decltype(a)>(modular(a) - modular(b)))
SLOPE_BINARY(Mul, static_cast<decltype(a)>(modular(a) * modular(b)))
SLOPE_BINARY(Div, a / b)
SLOPE_BINARY(Pow, power(a, b))
SLOPE_BINARY(Maximum, a > b || a != a ? a : b)  // a nan wins
SLOPE_BINARY(Minimum, a < b || a != a ? a : b)
// the loss of a logit a and its target b, and its derivative with respect to the logit; each side
// of 0 has the form in which nothing cancels
SLOPE_BINARY(BceWithLogits, softplus_(a < 0 ? a : -a) + weighted(a < 0 ? -b : 1 - b, a))
SLOPE_BINARY(BceWithLogitsSlope, a < 0 ? sigmoid(a) - b : (1 - b) - sigmoid(-a))
// clang-format on
#undef SLOPE_BINARY
