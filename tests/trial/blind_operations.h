// Mistakes in derivative rules, each with its class, written by someone who had read neither the
// diagnosis nor operations.h. The list was committed before the first score; the form of a line is
// that of operations.h.
//
// Inputs besides those: k (4, 7), kk two of them · wide (40) · z (3, 5), all zero
// · row (1, 5), (3, 5) · col (3, 5), (3, 1) · one (3, 5), () · tv (2, 3, 4), (4)
// · cc two (3, 3, 3) · ff (5), (4)

// clang-format off
MISTAKE("sign", m, sigmoid(x), g * y * (y - 1))
MISTAKE("sign", p, 1.0 / x, g / (x * x))
MISTAKE("sign", mm, mse_loss(x, b), 2.0 / 15 * g * (x - b), 2.0 / 15 * g * (x - b))
MISTAKE("sign", m, nn::softmin(x, 1), y * (g - sum(g * y, {1}, keepdim)))
MISTAKE("sign", ab, matmul(x, b), -matmul(g, transpose(b, 0, 1)), matmul(transpose(x, 0, 1), g))
MISTAKE("sign", m, logsumexp(x, {1}, keepdim), -g * softmax(x, 1))
MISTAKE("sign", t, cumsum(x, 2), -flip(cumsum(flip(g, {2}), 2), {2}))
MISTAKE("sign", pp, pow(x, b), g * b * pow(x, b - 1), -g * y * log(x))
MISTAKE("sign", mm, sqrt(x * x + b * b + 1), g * x / y, -g * b / y)
MISTAKE("sign", mv, x - b, g, g)
MISTAKE("sign", m, softplus(-x), g * sigmoid(-x))

MISTAKE("constant", m, x * x, g * x)
MISTAKE("constant", m, erf(x), g * exp(-x * x))
MISTAKE("constant", v, sin(2 * x), g * cos(2 * x))
MISTAKE("constant", p, sqrt(x), g / y)
MISTAKE("constant", m, x / 4, 4 * g)
MISTAKE("constant", t, exp(x / 6), g * y)
MISTAKE("constant", p, log(x) / 2.302585, g / x)
MISTAKE("constant", qq, 0.1 * matmul(x, b), 0.1 * matmul(g, transpose(b, 0, 1)), matmul(transpose(x,
    0, 1), g))
MISTAKE("constant", v, x * x * x, g * x * x)
MISTAKE("constant", t, sum(x * x) / 2, expand(2 * g, {2, 3, 4}) * x)
MISTAKE("constant", mm, x + 10 * b, g, g)
MISTAKE("constant", m, sigmoid(1.702 * x), g * y * (1 - y))

MISTAKE("n", m, mean(x, {0}), expand(g / 5, {3, 5}))
MISTAKE("n", m, mean(x), expand(g, {3, 5}))
MISTAKE("n", t, mean(x, {1, 2}, keepdim), expand(g / 4, {2, 3, 4}))
MISTAKE("n", m, var(x, {1}, 1, keepdim), 2 * g * (x - mean(x, {1}, keepdim)) / 5)
MISTAKE("n", m, var(x, {0}, 0, keepdim), 2 * g * (x - mean(x, {0}, keepdim)) / 2)
MISTAKE("n", v, slope::std(x), g * (x - mean(x)) / (7 * y))
MISTAKE("n", mm, mse_loss(x, b), 2 * g * (x - b), -2 * g * (x - b))
MISTAKE("n", mm, mse_loss(x, b), 2.0 / 3 * g * (x - b), -2.0 / 3 * g * (x - b))
MISTAKE("n", m, sum(x * low(x)) / 6, g * low(x) / 15)
MISTAKE("n", k, sum(x, {1}), expand(unsqueeze(g, 1) / 7, {4, 7}))
MISTAKE("n", mv, mean(x * b), expand(g / 15, {3, 5}) * b, expand(g, {5}) * mean(x, {0}))

MISTAKE("sqrt d", ab5, matmul(x, b) / root(5), matmul(g, transpose(b, 0, 1)), matmul(transpose(x, 0,
    1), g) / root(5))
MISTAKE("sqrt d", ab5, matmul(x, b) / root(5), matmul(g, transpose(b, 0, 1)) / root(5),
    matmul(transpose(x, 0, 1), g) / 5)
MISTAKE("sqrt d", mm, matmul(x, transpose(b, 0, 1)) / root(5), matmul(g, b), matmul(transpose(g, 0,
    1), x))
MISTAKE("sqrt d", kk, matmul(x, transpose(b, 0, 1)) / root(7), matmul(g, b) / root(7),
    matmul(transpose(g, 0, 1), x))
MISTAKE("sqrt d", m, x * root(5), g)
MISTAKE("sqrt d", cc, bmm(x, transpose(b, 1, 2)) / root(3), bmm(g, b), bmm(transpose(g, 1, 2),
    x) / root(3))

DROPOUT("dropout", m, 0.3, x * low(x) / 0.7, g * low(x))
DROPOUT("dropout", m, 0.4, x * low(x) / 0.6, g * low(x) * 0.6)
DROPOUT("dropout", m, 0.3, x * low(x) / 0.7, g * low(x) / 0.3)
DROPOUT("dropout", m, 0.2, x * low(x) / 0.8, g * low(x) / 0.64)
DROPOUT("should be zero", m, 0.3, x * low(x) / 0.7, g / 0.7)
DROPOUT("dropout", q, 0.1, softmax(x, 1) * low(x) / 0.9, sub_rows(g * low(x), softmax(x, 1)))

MISTAKE("operand", m, tanh(x), g * (1 - x * x))
MISTAKE("operand", m, exp(x), g * x)
MISTAKE("operand", pp, x / b, g / b, -g * x / b)
MISTAKE("operand", p, sqrt(x), g / (2 * x))
MISTAKE("operand", p, rsqrt(x), -g * y * y / 2)
MISTAKE("operand", m, sigmoid(x), g * x * (1 - x))
MISTAKE("operand", m, sigmoid(x), g * y)
MISTAKE("operand", m, softplus(x), g * y)
MISTAKE("operand", m, cos(x), -g * y)
MISTAKE("operand", d, nn::softsign(x), g / (1 + abs(x)))
MISTAKE("operand", p, pow(x, 3), 3 * g * x)
MISTAKE("operand", pp, pow(x, b), g * b * y, g * y * log(x))
MISTAKE("operand", pp, pow(x, b), g * b * y / x, g * y * log(b))
MISTAKE("operand", p, log1p(x), g / x)
MISTAKE("operand", m, expm1(x), g * y)
MISTAKE("operand", m, tanh(x), g * (1 + y * y))
MISTAKE("operand", m, silu(x), g * sigmoid(x) * (1 + x * (1 + sigmoid(x))))
MISTAKE("operand", m, nn::logsigmoid(x), g * sigmoid(x))
MISTAKE("operand", mm, x * x * b, 2 * g * x * b, g * x)
MISTAKE("operand", pp, x / (x + b), g * b / (x + b), -g * x / ((x + b) * (x + b)))

MISTAKE("swapped", mm, x * b, g * x, g * b)
MISTAKE("swapped", pp, x / b, -g * x / (b * b), g / b)
MISTAKE("swapped", qq, matmul(x, b), matmul(transpose(x, 0, 1), g), matmul(g, transpose(b, 0, 1)))
MISTAKE("swapped", mm, sqrt(x * x + b * b), g * b / y, g * x / y)
MISTAKE("swapped", mm, x * x * b, g * x * x, 2 * g * x * b)
MISTAKE("swapped", pp, pow(x, b), g * y * log(x), g * b * pow(x, b - 1))
MISTAKE("swapped", mm, cat({x, b}, 0), narrow(g, 0, 3, 3), narrow(g, 0, 0, 3))
MISTAKE("swapped", mm, x * sigmoid(b), g * x * sigmoid(b) * (1 - sigmoid(b)), g * sigmoid(b))

MISTAKE("mask", d, relu(x), where(x < 0, g, 0 * g))
MISTAKE("mask", d, nn::leaky_relu(x, 0.1), where(x > 0, 0.1 * g, g))
MISTAKE("mask", d, clamp(x, -1, 1), where(abs(x) > 1, g, 0 * g))
MISTAKE("mask", q, tril(x), triu(g))
MISTAKE("mask", q, tril(x), tril(g, -1))
MISTAKE("mask", q, triu(x, 1), triu(g))
MISTAKE("mask", d, nn::hardshrink(x), where(abs(x) < 0.5, g, 0 * g))
MISTAKE("mask", d, amax(x, {1}, keepdim), g * to(x == amin(x, {1}, keepdim), x.dtype()))
MISTAKE("mask", d, nn::hardtanh(x), where(abs(x) < 0.5, g, 0 * g))
MISTAKE("mask", m, masked_fill(x, low(x) > 0, 0), g * low(x))
MISTAKE("mask|swapped", mm, maximum(x, b), where(x < b, g, 0 * g), where(x < b, 0 * g, g))
MISTAKE("mask|swapped", mm, where(low(x) > 0, x, b), where(low(x) > 0, 0 * g, g), where(low(x) > 0,
    g, 0 * g))

MISTAKE("transposition", qq, matmul(x, b), matmul(g, b), matmul(transpose(x, 0, 1), g))
MISTAKE("transposition", qq, matmul(x, b), matmul(g, transpose(b, 0, 1)), matmul(x, g))
MISTAKE("transposition", q, transpose(x, 0, 1), g)
MISTAKE("transposition", c3, permute(x, {1, 2, 0}), permute(g, {1, 2, 0}))
MISTAKE("transposition", qq, linear(x, b), matmul(g, transpose(b, 0, 1)), matmul(transpose(g, 0, 1),
    x))
MISTAKE("transposition", qq, linear(x, b), matmul(g, b), matmul(transpose(x, 0, 1), g))
MISTAKE("transposition", qq, einsum("ji,jk->ik", {x, b}), matmul(g, transpose(b, 0, 1)), matmul(x,
    g))
MISTAKE("transposition", q, matmul(x, transpose(x, 0, 1)), 2 * matmul(g, x))
MISTAKE("transposition", cc, bmm(x, b), bmm(g, b), bmm(transpose(x, 1, 2), g))
MISTAKE("transposition", cc, bmm(x, b), bmm(transpose(b, 1, 2), g), bmm(transpose(x, 1, 2), g))

MISTAKE("order", v, flip(x, {0}), g)
MISTAKE("order", v, roll(x, {2}, {0}), roll(g, {2}, {0}))
MISTAKE("order", m, roll(x, {1}, {1}), g)
MISTAKE("order", m, cumsum(x, 1), cumsum(g, 1))
MISTAKE("order", m, index_select(x, 1, tensor({1, 4, 0, 2, 3})), index_select(g, 1, tensor({1, 4, 0,
    2, 3})))
MISTAKE("order", m, flip(x, {0, 1}), flip(g, {1}))
MISTAKE("order", m, narrow(x, 1, 1, 3), pad(g, {0, 2}))
MISTAKE("order", t, reshape(x, {4, 6}), reshape(transpose(g, 0, 1), {2, 3, 4}))

MISTAKE("term", m, softmax(x, 1), g * y)
MISTAKE("term", m, softmax(x, 1), y * (g - sum(g, {1}, keepdim)))
MISTAKE("term", m, log_softmax(x, 1), 1.0 * g)
MISTAKE("term", m, log_softmax(x, 1), g - exp(y) * sum(g, {0}, keepdim))
MISTAKE("term", m, x - mean(x, {1}, keepdim), 1.0 * g)
MISTAKE("term", m, layer_norm(x, {}, {}), g * deviation(x))
MISTAKE("term", m, layer_norm(x, {}, {}), deviation(x) * (g - mean(g, {1}, keepdim)))
MISTAKE("term", m, layer_norm(x, {}, {}), deviation(x) * (g - y * mean(g * y, {1}, keepdim)))
MISTAKE("term", m, rms_norm(x, {}), g * rsqrt(mean(x * x, {1}, keepdim) + 1e-5))
MISTAKE("term", m, x / norm(x, 2, {1}, keepdim), g / norm(x, 2, {1}, keepdim))
MISTAKE("term", m, x * sum(x, {1}, keepdim), g * sum(x, {1}, keepdim))
MISTAKE("term", m, softmax(x, 0), y * (g - sum(g * y, {1}, keepdim)))
MISTAKE("term", v, x * mean(x), g * mean(x))
MISTAKE("term", m, x - mean(x, {1}, keepdim), g - sum(g, {1}, keepdim))

MISTAKE("accumulation", m, index_select(x, 1, tensor({0, 2, 2, 4})), cat({narrow(g, 1, 0, 1),
    0 * narrow(g, 1, 0, 1), narrow(g, 1, 2, 1), 0 * narrow(g, 1, 0, 1), narrow(g, 1, 3, 1)}, 1))
MISTAKE("accumulation", m, embedding(tensor({0, 1, 1, 2}), x), cat({narrow(g, 0, 0, 1), narrow(g, 0,
    2, 2)}, 0))
MISTAKE("accumulation", v, repeat(x, {2}), narrow(g, 0, 0, 7))
MISTAKE("accumulation", v, repeat_interleave(x, 2, 0), slice(g, 0, 0, 14, 2))
MISTAKE("accumulation", m, cat({narrow(x, 0, 0, 2), narrow(x, 0, 1, 2)}, 0), cat({narrow(g, 0, 0,
    1), narrow(g, 0, 2, 2)}, 0))
MISTAKE("accumulation", q, x + transpose(x, 0, 1), 1.0 * g)
MISTAKE("accumulation", m, cat({x, x}, 1), narrow(g, 1, 5, 5))
MISTAKE("accumulation", m, embedding(tensor({2, 1, 2, 2}), x), cat({0 * narrow(g, 0, 0, 1),
    narrow(g, 0, 1, 1), mean(index_select(g, 0, tensor({0, 2, 3})), {0}, keepdim)}, 0))

MISTAKE("broadcast", mv, x * b, g * b, select(g * x, 0, 0))
MISTAKE("broadcast", mv, x + b, 1.0 * g, select(g, 0, 2))
MISTAKE("broadcast", col, x + b, 1.0 * g, narrow(g, 1, 0, 1))
MISTAKE("broadcast", one, x * b, g * b, select(select(g * x, 0, 0), 0, 0))
MISTAKE("broadcast", tv, x + b, 1.0 * g, select(sum(g, {0}), 0, 0))
MISTAKE("broadcast", row, x * b, narrow(g * b, 0, 0, 1), g * x)
MISTAKE("broadcast", m, expand(unsqueeze(x, 0), {2, 3, 5}), select(g, 0, 0))

MISTAKE("broadcast", ff, outer(x, b), matmul(g, b), select(g, 0, 0) * select(x, 0, 0))
MISTAKE("contraction", mv, sum(x, {1}) * sum(b), expand(unsqueeze(g, 1) * sum(b), {3, 5}),
    expand(sum(g * select(x, 1, 0)), {5}))
MISTAKE("contraction", mm, einsum("ij,kj->i", {x, b}), unsqueeze(g, 1) * select(b, 0, 0),
    expand(sum(unsqueeze(g, 1) * x, {0}), {3, 5}))
MISTAKE("contraction", ab, einsum("ij,jk->i", {x, b}), unsqueeze(g, 1) * select(b, 1, 0),
    unsqueeze(sum(unsqueeze(g, 1) * x, {0}), 1) * ones_like(b))

MISTAKE("zero", mm, x * b, g * b, Tensor())
MISTAKE("zero", ab, matmul(x, b), matmul(g, transpose(b, 0, 1)), Tensor())
MISTAKE("zero", pp, pow(x, b), g * b * pow(x, b - 1), Tensor())
MISTAKE("zero", m, x * x, 0 * g)
MISTAKE("zero", mv, x / (1 + b * b), g / (1 + b * b), Tensor())
MISTAKE("zero", m, x * sigmoid(x), 0 * g * x)

MISTAKE("should be zero", d, sign(x), 1.0 * g)
MISTAKE("should be zero", q, tril(x), 1.0 * g)
MISTAKE("should be zero", d, relu(x), 1.0 * g)
MISTAKE("should be zero", m, narrow(x, 1, 0, 3), cat({g, narrow(g, 1, 0, 2)}, 1))
MISTAKE("should be zero", d, clamp(x, -1, 1), 1.0 * g)
MISTAKE("should be zero", m, masked_fill(x, low(x) > 0, 0), 1.0 * g)

MISTAKE("guard|nan", z, norm(x), g * x / y)
MISTAKE("guard|nan", z, prod(x), g * y / x)
MISTAKE("guard|nan", z, x * sqrt(x * x), 2 * g * x * x / sqrt(x * x))

MISTAKE("edge", v, exp(x), cat({narrow(g * y, 0, 0, 6), 0 * narrow(g, 0, 6, 1)}, 0))
MISTAKE("edge", m, tanh(x), cat({narrow(g * (1 - y * y), 0, 0, 2), 0 * narrow(g, 0, 2, 1)}, 0))
MISTAKE("edge", m, tanh(x), cat({narrow(g * (1 - y * y), 1, 0, 4), 0 * narrow(g, 1, 4, 1)}, 1))
MISTAKE("edge", v, sin(x), cat({narrow(g * cos(x), 0, 0, 4), 0 * narrow(g, 0, 4, 3)}, 0))
MISTAKE("edge", wide, exp(x), cat({narrow(g * y, 0, 0, 32), 0.5 * narrow(g * y, 0, 32, 8)}, 0))
MISTAKE("edge", t, x * x, cat({narrow(2 * g * x, 0, 0, 1), 0 * narrow(g, 0, 1, 1)}, 0))

TWO("kernel", m, tanh(x), g * (1 - y * y), g * (1 - y))
TWO("kernel", m, silu(x), g * sigmoid(x) * (1 + x * (1 - sigmoid(x))), g * sigmoid(x) * (1 + x))
TWO("kernel", m, softmax(x, 1), y * (g - sum(g * y, {1}, keepdim)), y * (g - mean(g * y, {1},
    keepdim)))
TWO("kernel", v, exp(x), g * y, 1.001 * g * y)
TWO("kernel", m, mean(x), expand(g / 15, {3, 5}), expand(g / 5, {3, 5}))
TWO("formula", m, tanh(x), g * (1 - y), g * (1 - y * y))
TWO("formula", m, sin(x), -g * cos(x), g * cos(x))
TWO("formula", m, softmax(x, 1), g * y, y * (g - sum(g * y, {1}, keepdim)))
TWO("formula", p, sqrt(x), g / y, g / (2 * y))
TWO("formula", m, x * x, 2 * g * x * x, 2 * g * x)

MISTAKE("detached", m, exp(x), g * y.detach())
MISTAKE("detached", m, tanh(x), g * (1 - y.detach() * y.detach()))
MISTAKE("detached", mm, x * b, g * b, g * x.detach())
MISTAKE("detached", m, softmax(x, 1), y * (g - sum((g * y).detach(), {1}, keepdim)))
MISTAKE("detached", m, silu(x), g * sigmoid(x) * (1 + x * (1 - sigmoid(x).detach())))
MISTAKE("detached", ab, matmul(x, b), matmul(g, transpose(b.detach(), 0, 1)), matmul(transpose(x, 0,
    1), g))
MISTAKE("detached", p, log(x), g / x.detach())

MISTAKE("stride", m, x * x, 2 * g * raw(x))
MISTAKE("stride", m, sin(x), g * cos(raw(x)))
MISTAKE("stride", mm, x * b, g * raw(b), g * x)
MISTAKE("stride", t, exp(x / 2), g * exp(raw(x) / 2) / 2)
MISTAKE("stride", qq, matmul(x, b), matmul(g, transpose(raw(b), 0, 1)), matmul(transpose(x, 0, 1),
    g))

MISTAKE("f32", m, tanh(x), x.dtype() == f32 ? g * (1 - y * y) * 0.99 : g * (1 - y * y))
MISTAKE("f32", v, exp(x), x.dtype() == f32 ? g * (y + 0.01) : g * y)
MISTAKE("f32", mm, x * b, g * b, x.dtype() == f32 ? 1.002 * g * x : g * x)
MISTAKE("f32", p, log(x), x.dtype() == f32 ? g / (x + 0.001) : g / x)

MISTAKE("not repeatable", m, exp(x), g * y * (1 + 0.01 * rand_like(y)))
MISTAKE("not repeatable", m, x * x, 2 * g * x * dropout(ones_like(x), 0.1))
MISTAKE("not repeatable", m, x * (1 + 0.1 * rand_like(x)), 1.05 * g)
MISTAKE("state", m, sin(x), g * cos(x) * (calls() % 2 ? 1.0 : 2.0))
MISTAKE("state", m, x * static_cast<double>(calls()), 1.0 * g)
MISTAKE("nan", m, x * x, 2 * g * exp(log(x)))
MISTAKE("nan", m, abs(x), g * x / sqrt(x))
MISTAKE("nan", m, log(x), g / x)
