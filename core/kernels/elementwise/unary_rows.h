// The elementwise operations of one tensor, one row each. Besides its row, such an operation needs
// only its declaration in autograd/ops.h and its check case:
//
//   SLOPE_UNARY(Row, name, dtypes, saves, f, df, "y = f(x)", "dx = g df", "domain")
//
// Row and name   the type that names its loops, and the function of autograd/ops.h
// dtypes         floating: integers become f32;   any: integers keep their dtype
// saves          of_input: df is a function of x;   of_output: of y, and x need not be saved
// f              y of a number x, in code
// df             dy/dx, as code for both the loops (on numbers) and the tape's formula (on tensors,
//                whose operations are found by argument-dependent lookup). Where it is a choice
//                (relu, sign), g or 0 is chosen instead of multiplied, so that inf * 0 is no nan:
//                is_choice in elementwise_rows.h
// the texts      y and dx as traces and documents print them; the domain, or "" for all numbers
//
// This file is included several times with different definitions of SLOPE_UNARY: for the loops in
// elementwise_rows.h, for operations and functions in autograd/ops/elementwise/unary.cpp, for the
// list in autograd/ops/list.h. Functions that are too long for a row are in row_functions.h.

#ifndef SLOPE_UNARY  // included on its own
#define SLOPE_UNARY(...)
#endif

// clang-format off
SLOPE_UNARY(Neg, neg, any, of_input, negative(x), -1,
            "y = -x", "dx = -g", "")
SLOPE_UNARY(Abs, abs, any, of_input, absolute(x), sign(x),
            "y = |x|", "dx = g sign x, 0 where x = 0", "")
SLOPE_UNARY(Sign, sign, any, of_input, sign(x), 0,
            "y = 1 where x > 0, -1 where x < 0, else 0", "dx = 0", "")
SLOPE_UNARY(Exp, exp, floating, of_output, exp_(x), y,
            "y = e^x", "dx = g y", "")
SLOPE_UNARY(Expm1, expm1, floating, of_input, expm1_(x), exp(x),
            "y = e^x - 1", "dx = g e^x", "")
SLOPE_UNARY(Log, log, floating, of_input, log_(x), 1 / x,
            "y = log x", "dx = g / x", "x > 0")
SLOPE_UNARY(Log1p, log1p, floating, of_input, log1p_(x), 1 / (x + 1),
            "y = log(1 + x)", "dx = g / (1 + x)", "x > -1")
SLOPE_UNARY(Sqrt, sqrt, floating, of_output, std::sqrt(x), half / y,
            "y = sqrt x", "dx = g / (2 y)", "x >= 0; the derivative at 0 is inf")
SLOPE_UNARY(Rsqrt, rsqrt, floating, of_output, 1 / std::sqrt(x), -(half * y * y * y),
            "y = 1 / sqrt x", "dx = -g y^3 / 2", "x > 0")
SLOPE_UNARY(Sin, sin, floating, of_input, sin_(x), cos(x),
            "y = sin x", "dx = g cos x", "")
SLOPE_UNARY(Cos, cos, floating, of_input, cos_(x), -sin(x),
            "y = cos x", "dx = -g sin x", "")
SLOPE_UNARY(Tanh, tanh, floating, of_output, tanh_(x), 1 - y * y,
            "y = tanh x", "dx = g (1 - y^2)", "")
SLOPE_UNARY(Sigmoid, sigmoid, floating, of_output, sigmoid_(x), y * (1 - y),
            "y = 1 / (1 + e^-x)", "dx = g y (1 - y)", "")
SLOPE_UNARY(Relu, relu, any, of_output, x <= 0 ? decltype(x)(0) : x, positive(y),
            "y = max(x, 0)", "dx = g where y > 0, else 0", "")
SLOPE_UNARY(Erf, erf, floating, of_input, erf_(x),
            Constant{2 * std::numbers::inv_sqrtpi} * exp(-(bounded(x) * bounded(x))),
            "y = 2 / sqrt(pi) int_0^x e^(-t^2) dt", "dx = g 2 / sqrt(pi) e^(-x^2)", "")
SLOPE_UNARY(GeluErf, gelu, floating, of_input, not_below(x) * normal_cdf(x), gelu_slope(bounded(x)),
            "y = x Phi(x), Phi(x) = (1 + erf(x / sqrt 2)) / 2", "dx = g (Phi(x) + x phi(x)), phi = Phi'", "")
SLOPE_UNARY(GeluTanh, gelu_tanh, floating, of_input, not_below(x) * sigmoid(gelu_argument(x)),
            gelu_tanh_slope(bounded(x)),
            "y = x s(u) = x (1 + tanh(u / 2)) / 2, s = sigmoid, "
            "u = 2 k (x + c x^3), k = sqrt(2 / pi), c = 0.044715",
            "dx = g s(u) (1 + x (1 - s(u)) 2 k (1 + 3 c x^2))", "")
SLOPE_UNARY(Silu, silu, floating, of_input, not_below(x) * sigmoid(x), silu_slope(bounded(x)),
            "y = x s(x), s = sigmoid", "dx = g s (1 + x (1 - s))", "")
SLOPE_UNARY(Softplus, softplus, floating, of_input, softplus_(x), logistic(x),
            "y = log(1 + e^x)", "dx = g sigmoid(x)", "")
// clang-format on
#undef SLOPE_UNARY
