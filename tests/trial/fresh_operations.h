// A third list of mistakes in derivative rules, written by someone who had read neither the
// diagnosis, nor the rules of docs/gradcheck.md, nor the other two lists beyond their first lines.
// The list was committed before the first score; a class is what an expert would say of the
// numbers, "a|b" if both would do. The form of a line is that of operations.h; one more:
//
//   POINT(class, point, y = forward, rule): at given values, where the derivative is a convention
//
// Inputs besides those of the other lists: u (2, 6) · r (2, 3, 5) · ab7 (3, 7), (5, 7)
// · bq (2, 3, 6), (2, 4, 6) · signal (2, 3, 8) · s3 (3, 3), ss two of them · w4 (3, 4), (4, 4)
// · sv (4, 4), (4) · sixty (60) · tall (20, 3) · long70 (70, 2) · wide9 (10, 3), (3, 9)
// · high (3, 5), around 775 · fifty (6), around 55 · thousand (4, 6), around 1000.5
// · hinge, six, unit, shrink (3, 5): away from 1; 0 and 6; -1 and 1; -0.5 and 0.5

// clang-format off
MISTAKE("sign", t, nn::softmin(x, 2), y * (g - sum(g * y, {2}, keepdim)))
MISTAKE("sign", v, cos(3 * x), 3 * g * sin(3 * x))
MISTAKE("sign", pp, sqrt(x / b), g / (2 * b * y), g * y / (2 * b))
MISTAKE("sign", m, nn::logsigmoid(x), -g * sigmoid(-x))
MISTAKE("sign", pp, log(x) - log(b), g / x, g / b)
MISTAKE("sign", mm, norm(x - b), g * (x - b) / y, g * (x - b) / y)
MISTAKE("sign", u, rotate(x), rotate(g))
MISTAKE("sign", p, x * log(x), -g * (log(x) + 1))
MISTAKE("sign", t, 1.0 / (1 + exp(x)), g * y * (1 - y))
MISTAKE("sign", hinge, relu(1 - x), g * to(x < 1, g.dtype()))
MISTAKE("sign", m, softmax(x, 0), y * (sum(g * y, {0}, keepdim) - g))
MISTAKE("sign", w4, linear(x, b), -matmul(g, b), matmul(transpose(g, 0, 1), x))

MISTAKE("constant", v, expm1(3 * x), g * (y + 1))
MISTAKE("constant", mm, 0.5 * (x - b) * (x - b), 2 * g * (x - b), -2 * g * (x - b))
MISTAKE("constant", v, exp(0.693147 * x), g * y)
MISTAKE("constant", qq, 3 * matmul(x, transpose(b, 0, 1)), matmul(g, b), 3 * matmul(transpose(g, 0, 1), x))
MISTAKE("constant", m, sum(x * x, {1}), unsqueeze(g, 1) * x)
MISTAKE("constant", t, pow(x, 4), 3 * g * x * x * x)
MISTAKE("constant", d, relu(x) * relu(x), g * relu(x))
MISTAKE("constant", m, tanh(x / 2), g * (1 - y * y))
MISTAKE("constant", pp, 2 * x * b / (x + b), g * b * b / ((x + b) * (x + b)), g * x * x / ((x + b) * (x + b)))
MISTAKE("constant", v, softplus(2 * x) / 2, 2 * g * sigmoid(2 * x))
MISTAKE("constant", t, softmax(x / 0.7, 2), y * (g - sum(g * y, {2}, keepdim)))
MISTAKE("constant", t, sin(0.0174533 * x), g * cos(0.0174533 * x))
MISTAKE("constant", ff, 0.25 * outer(x, b), 0.25 * sum(g * b, {1}), sum(g * unsqueeze(x, 1), {0}))
MISTAKE("constant", p, pow(x, 1.5), g * sqrt(x))

MISTAKE("n", m, mean(x, {1}), expand(unsqueeze(g, 1) / 3, {3, 5}))
MISTAKE("n", t, mean(x, {0, 2}), expand(reshape(g, {1, 3, 1}) / 24, {2, 3, 4}))
MISTAKE("n", m, var(x, {0}), 2 * g * (x - mean(x, {0}, keepdim)) / 3)
MISTAKE("n", m, std(x, {1}, 1, keepdim), g * (x - mean(x, {1}, keepdim)) / (5 * y))
MISTAKE("n", mm, mean((x - b) * (x - b), {1}), 2 * unsqueeze(g, 1) * (x - b), -2 * unsqueeze(g, 1) * (x - b))
MISTAKE("n", m, cross_entropy(x, classes()), g * (softmax(x, 1) - hot(classes(), x)))
MISTAKE("n", m, cross_entropy(x, ignored()), g / 3 * sum(hot(ignored(), x), {1},
    keepdim) * (softmax(x, 1) - hot(ignored(), x)))
MISTAKE("n", t, sum(narrow(x, 1, 0, 2), {1}) / 2, pad(expand(unsqueeze(g, 1) / 3, {2, 2, 4}), {0, 0, 0, 1}))
MISTAKE("n|constant", signal, nn::avg_pool1d(x, 4), repeat_interleave(g, 4, 2))
MISTAKE("n", v, mean(x), expand(g / 6, {7}))
MISTAKE("n|term", t, x - mean(x, {2}, keepdim), g - sum(g, {2}, keepdim))
MISTAKE("n", r, mean(x * x), 2 * g * x / 2)
MISTAKE("n", r, sum(x * x) / 2, 2 * g * x / 30)

MISTAKE("sqrt d", ab7, matmul(x, transpose(b, 0, 1)) / root(7), matmul(g, b), matmul(transpose(g,
    0, 1), x) / root(7))
MISTAKE("sqrt d", bq, matmul(x, transpose(b, 1, 2)) / root(6), matmul(g, b), matmul(transpose(g, 1, 2), x))
MISTAKE("sqrt d", bq, matmul(x, transpose(b, 1, 2)) / root(6), matmul(g, b) / 6,
    matmul(transpose(g, 1, 2), x) / 6)
MISTAKE("sqrt d", m, root(5) * x, g)
MISTAKE("sqrt d", k, x / root(7), g)
MISTAKE("sqrt d", ab7, softmax(matmul(x, transpose(b, 0, 1)) / root(7), 1), matmul(sub_rows(g, y),
    b), matmul(transpose(sub_rows(g, y), 0, 1), x))

DROPOUT("dropout", m, 0.25, x * low(x) / 0.75, g * low(x))
DROPOUT("dropout", q, 0.3, x * low(x) / 0.7, g * low(x) / 0.3)
DROPOUT("dropout", t, 0.1, x / 0.9 * low(x), 0.9 * g * low(x))
DROPOUT("dropout|constant", k, 0.5, 2 * x * low(x), g * low(x))
DROPOUT("dropout", v, 0.2, tanh(x) / 0.8, g * (1 - tanh(x) * tanh(x)))
DROPOUT("dropout", mm, 0.4, (x + b) * low(x) / 0.6, g * low(x) / 0.6, g * low(x))

MISTAKE("operand", t, tanh(x), g * (1 - x * x))
MISTAKE("operand", v, sigmoid(x), g * x * (1 - x))
MISTAKE("operand", t, exp(-x), -g * x)
MISTAKE("operand", pp, pow(b, x), g * y * log(x), g * x * pow(b, x - 1))
MISTAKE("operand", p, pow(x, 0.25), 0.25 * g * y)
MISTAKE("operand", pp, x / (b * b), g / (b * b), -2 * g * y)
MISTAKE("operand", p, rsqrt(x), -0.5 * g * y * y)
MISTAKE("operand", m, silu(x), g * sigmoid(x) * (1 + y * (1 - sigmoid(x))))
MISTAKE("operand", m, norm(x, 2, {1}, keepdim), g * x)
MISTAKE("operand|term", m, softmax(x, 1), y * (g - sum(g * x, {1}, keepdim)))
MISTAKE("operand", p, log(x), g * x)
MISTAKE("operand", v, exp(-x * x), -2 * g * x * x * y)
MISTAKE("operand", t, sin(x * x), 2 * g * x * cos(x))
MISTAKE("operand", mm, b * sigmoid(x), g * b * y * (1 - y), g * sigmoid(x))
MISTAKE("operand", pp, sqrt(x * x + b * b), g * x / y, g * b / x)
MISTAKE("operand", m, softplus(x), g * sigmoid(y))

MISTAKE("swapped", mm, sin(x) * b, g * sin(x), g * cos(x) * b)
MISTAKE("swapped", mm, x - 2 * b, -2 * g, g)
MISTAKE("mask|swapped", mm, where(low(x) > 0, x, b), g * (1 - low(x)), g * low(x))
MISTAKE("mask|swapped", mm, maximum(x, b), g * to(x < b, g.dtype()), g * to(b < x, g.dtype()))
MISTAKE("swapped", mm, cat({x, b}, 1), narrow(g, 1, 5, 5), narrow(g, 1, 0, 5))
MISTAKE("swapped|order", u, narrow(x, 1, 0, 3) * sigmoid(narrow(x, 1, 3, 3)),
    cat({g * y * (1 - sigmoid(narrow(x, 1, 3, 3))), g * sigmoid(narrow(x, 1, 3, 3))}, 1))
MISTAKE("swapped", pp, x / b, -g * y / b, g / b)
MISTAKE("swapped", mm, 0.7 * x + 0.3 * b, 0.3 * g, 0.7 * g)
MISTAKE("swapped", ss, matmul(x, b), matmul(transpose(x, 0, 1), g), matmul(g, transpose(b, 0, 1)))
MISTAKE("swapped", mm, stack({x, b}, 0), select(g, 0, 1), select(g, 0, 0))
MISTAKE("swapped", mm, tanh(x) * exp(b), g * y, g * (1 - tanh(x) * tanh(x)) * exp(b))

MISTAKE("mask", m, tril(x), triu(g))
MISTAKE("mask|zero", q, triu(x), triu(g, 1))
MISTAKE("mask", d, relu(x), g * to(x < 0, g.dtype()))
MISTAKE("mask", unit, clamp(x, -1, 1), g * to(abs(x) > 1, g.dtype()))
MISTAKE("mask|swapped", d, nn::leaky_relu(x, 0.1), g * (0.1 + 0.9 * to(x < 0, g.dtype())))
MISTAKE("mask", d, amax(x, {1}), unsqueeze(g, 1) * to(x == amin(x, {1}, keepdim), g.dtype()))
MISTAKE("mask", q, masked_fill(x, low(x) == 0, -1), g * (1 - low(x)))

MISTAKE("should be zero", six, nn::relu6(x), g * to(x > 0, g.dtype()))
MISTAKE("should be zero", unit, clamp(x, -1, 1), g)
DROPOUT("should be zero", k, 0.2, x * low(x) / 0.8, g / 0.8)
MISTAKE("should be zero", q, triu(x, 1), g)
MISTAKE("should be zero", shrink, nn::hardshrink(x, 0.5), g)
MISTAKE("should be zero", t, first(x, 1), g)
MISTAKE("should be zero", mm, where(low(x) > 0, x, b), g, g)

MISTAKE("zero", mv, x + b, g, Tensor())
MISTAKE("zero", ab, matmul(x, b), matmul(g, transpose(b, 0, 1)), zeros_like(b))
MISTAKE("zero", one, x * b, g * b, Tensor())
MISTAKE("zero|mask", d, abs(x), g * to(x > 0, g.dtype()))
MISTAKE("zero", pp, x / b, g / b, 0 * b)

MISTAKE("transposition", ss, matmul(x, b), matmul(g, b), matmul(transpose(x, 0, 1), g))
MISTAKE("transposition", ss, matmul(x, b), matmul(g, transpose(b, 0, 1)), matmul(x, g))
MISTAKE("transposition", s3, transpose(x, 0, 1), g)
MISTAKE("transposition", w4, linear(x, b), matmul(g, transpose(b, 0, 1)), matmul(transpose(g, 0, 1), x))
MISTAKE("transposition", qq, matmul(x, b), matmul(transpose(b, 0, 1), g), matmul(transpose(x, 0, 1), g))
MISTAKE("transposition|order", c3, permute(x, {2, 0, 1}), permute(g, {2, 0, 1}))
MISTAKE("transposition", cc, bmm(x, transpose(b, 1, 2)), bmm(g, b), bmm(transpose(x, 1, 2), g))
MISTAKE("transposition", qq, matmul(x, transpose(b, 0, 1)), matmul(g, b), matmul(transpose(x, 0, 1), g))
MISTAKE("transposition|order", m, reshape(transpose(x, 0, 1), {3, 5}), reshape(g, {3, 5}))

MISTAKE("order", m, roll(x, {2}, {1}), roll(g, {2}, {1}))
MISTAKE("order", m, flip(x, {0}), g)
MISTAKE("order", m, index_select(x, 0, tensor({2, 0, 1})), index_select(g, 0, tensor({2, 0, 1})))
MISTAKE("order", t, cumsum(x, 1), cumsum(g, 1))
MISTAKE("order", d, sort(x, 1).values, g)
MISTAKE("order", v, repeat(x, {2}), sum(reshape(g, {7, 2}), {1}))
MISTAKE("order", v, narrow(x, 0, 1, 6), pad(g, {0, 1}))
MISTAKE("order", t, cat({narrow(x, 2, 2, 2), narrow(x, 2, 0, 2)}, 2), g)
MISTAKE("order|transposition", u, reshape(transpose(reshape(x, {2, 3, 2}), 1, 2), {2, 6}), g)

MISTAKE("term", t, softmax(x, 1), g * y)
MISTAKE("term", m, log_softmax(x, 1), g - exp(y) * g)
MISTAKE("term", m, layer_norm(x, Tensor(), Tensor()), deviation(x) * (g - mean(g, {1}, keepdim)))
MISTAKE("term", m, layer_norm(x, Tensor(), Tensor()), deviation(x) * (g - y * mean(g * y, {1}, keepdim)))
MISTAKE("term", v, x * sin(x), g * sin(x))
MISTAKE("term", p, x * log(x), g * log(x))
MISTAKE("term", t, silu(x), g * sigmoid(x))
MISTAKE("term", t, x / norm(x, 2, {2}, keepdim), g / norm(x, 2, {2}, keepdim))
MISTAKE("term", m, gelu(x), 0.5 * g * (1 + erf(x / root(2))))
MISTAKE("term", q, x - mean(x, {0}, keepdim), g)
MISTAKE("term", pp, x * b / (x + b), g * b / (x + b), g * x / (x + b))
MISTAKE("term", m, x * rsqrt(mean(x * x, {1}, keepdim)), g * rsqrt(mean(x * x, {1}, keepdim)))
MISTAKE("term", mm, x * b + x * x, g * b, g * x)

MISTAKE("accumulation", m, index_select(x, 0, tensor({0, 2, 2, 1})), index_select(g, 0, tensor({0, 3, 2})))
MISTAKE("accumulation", k, cat({x, x}, 1), narrow(g, 1, 0, 7))
MISTAKE("accumulation", v, repeat(x, {3}), narrow(g, 0, 14, 7))
MISTAKE("accumulation|term", q, matmul(x, transpose(x, 0, 1)), matmul(g, x))
MISTAKE("accumulation", v, stack({narrow(x, 0, 0, 5), narrow(x, 0, 2, 5)}, 0),
    cat({narrow(select(g, 0, 0), 0, 0, 2), select(g, 0, 1)}, 0))
MISTAKE("accumulation|term", mm, x * b + x, g * b, g * x)
MISTAKE("accumulation", q, embedding(tensor({3, 1, 3, 3}), x), index_select(pad(g, {0, 0, 0, 1}),
    0, tensor({4, 1, 4, 3})))
MISTAKE("accumulation|term", w4, linear(linear(x, b), b), matmul(matmul(g, b), b),
    matmul(transpose(g, 0, 1), linear(x, b)))
MISTAKE("accumulation|broadcast", m, expand(unsqueeze(x, 0), {4, 3, 5}), select(g, 0, 0))

MISTAKE("broadcast|n", mv, x + b, g, mean(g, {0}))
MISTAKE("broadcast", tv, x * b, g * b, sum(select(g, 0, 0) * select(x, 0, 0), {0}))
MISTAKE("broadcast|n", one, x * b, g * b, mean(g * x))
MISTAKE("broadcast", row, x - b, narrow(g, 0, 0, 1), -g)
MISTAKE("broadcast|transposition", sv, x + b, g, sum(g, {1}))
MISTAKE("broadcast", col, x * b, g * b, narrow(g * x, 1, 0, 1))
MISTAKE("broadcast|n", tv, x * b, g * b, mean(g * x, {0, 1}))

MISTAKE("contraction", ab, einsum("ij,kl->ik", {x, b}), expand(matmul(g, narrow(b, 1, 0, 1)),
    {3, 4}), expand(matmul(transpose(g, 0, 1), sum(x, {1}, keepdim)), {4, 5}))
MISTAKE("contraction", mm, x * sum(b, {1}, keepdim), g * b, expand(sum(g * x, {1}, keepdim), {3, 5}))
MISTAKE("contraction|n", ab, einsum("ij,jk->i", {x, b}), unsqueeze(g, 1) * mean(b, {1}),
    expand(unsqueeze(matmul(g, x), 1), {4, 5}))
MISTAKE("contraction", ab, einsum("ij,jk->i", {x, b}), unsqueeze(g, 1) * sum(b, {1}),
    pad(unsqueeze(matmul(g, x), 1), {0, 4}))

MISTAKE("guard|nan", z, sqrt(sum(x * x, {1})), unsqueeze(g / y, 1) * x)
MISTAKE("guard|nan", z, abs(x), g * x / abs(x))
MISTAKE("guard|nan", high, softplus(x), g * exp(x) / (1 + exp(x)))
MISTAKE("guard|nan", high, softmax(x, 1), sub_rows(g, exp(x) / sum(exp(x), {1}, keepdim)))
MISTAKE("guard|nan", z, where(x == 0, ones_like(x), sin(x) / x), g * (cos(x) / x - sin(x) / (x * x)))

MISTAKE("edge", sixty, sin(x), first(g * cos(x), 56))
MISTAKE("edge", sixty, cumsum(x, 0), sums_in_blocks(g, 16))
MISTAKE("edge", tall, layer_norm(x, Tensor(), Tensor()), of_first_chunk(deviation(x),
    16) * (g - mean(g, {1}, keepdim) - y * mean(g * y, {1}, keepdim)))
MISTAKE("edge", v, x * x * x, 3 * first(g * x * x, 6))
MISTAKE("edge", signal, narrow(x, 2, 0, 6) + narrow(x, 2, 2, 6), pad(narrow(pad(g, {0, 2}) + pad(g,
    {2, 0}), 2, 1, 6), {1, 1}))
MISTAKE("edge", long70, x * x, 2 * first(g * x, 64))
MISTAKE("edge", wide9, matmul(x, b), matmul(g, transpose(b, 0, 1)),
    transpose(first(transpose(matmul(transpose(x, 0, 1), g), 0, 1), 8), 0, 1))
MISTAKE("edge", sixty, mean(x), first(expand(g / 60, {60}), 32))

TWO("kernel", m, tanh(x), g * (1 - y * y), g * (1 - x * x))
TWO("kernel", v, cos(x), -g * sin(x), g * sin(x))
TWO("kernel", m, softmax(x, 1), sub_rows(g, y), y * g)
TWO("kernel", t, exp(x), g * y, 1.1 * g * y)
TWO("kernel", sixty, x * x, 2 * g * x, 2 * first(g * x, 56))
TWO("kernel", p, log(x), g / x, g)
TWO("formula", m, sigmoid(x), g * y, g * y * (1 - y))
TWO("formula", v, cos(x), g * sin(x), -g * sin(x))
TWO("formula", p, 1.0 / x, -g * y, -g * y * y)
TWO("formula", q, tril(x), g, tril(g))
TWO("formula", m, softmax(x, 1), y * (g - mean(g * y, {1}, keepdim)), sub_rows(g, y))
TWO("formula", t, x * x * x, 3 * g * x, 3 * g * x * x)

MISTAKE("detached value", t, sigmoid(x), g * y.detach() * (1 - y.detach()))
MISTAKE("detached value", p, 1.0 / x, -g / (x.detach() * x))
MISTAKE("detached value", m, softmax(x, 1), y.detach() * (g - sum(g * y, {1}, keepdim)))
MISTAKE("detached value", pp, x / b, g / b.detach(), -g * y / b)
MISTAKE("detached value", ab, matmul(x, b), matmul(g, transpose(b, 0, 1)),
    matmul(transpose(x.detach(), 0, 1), g))
MISTAKE("detached value", v, x * x, 2 * g.detach() * x)
MISTAKE("detached value", p, sqrt(x), g / (2 * y.detach()))
MISTAKE("detached value", m, layer_norm(x, Tensor(), Tensor()),
    deviation(x).detach() * (g - mean(g, {1}, keepdim) - y * mean(g * y, {1}, keepdim)))

STRIDE("stride", k, cos(x), -g * sin(x))
STRIDE("stride", t, sigmoid(x), g * y * (1 - y))
STRIDE("stride", pp, x / b, g / b, -g * y / b)
MISTAKE("stride", k, sin(2 * x), 2 * g * cos(2 * raw(x)))
MISTAKE("stride", p, log(x), g / raw(x))
MISTAKE("stride", t, x * x * x, 3 * raw(g) * x * x)
MISTAKE("stride", mm, x * b, g * raw(b), g * raw(x))

FLOAT("f32", t, sigmoid(x), g * y * (1 - y))
FLOAT("f32", pp, x / b, g / b, -g * y / b)
MISTAKE("f32", p, log(x), to(to(g, f32) / to(x, f32), g.dtype()))
MISTAKE("f32", m, to(sin(to(x, f32)), x.dtype()), g * cos(x))
MISTAKE("f32", thousand, std(x, {1}, 1, keepdim), g * (x - mean(x, {1},
    keepdim)) / root(30) * rsqrt(mean(x * x, {1}, keepdim) - pow(mean(x, {1}, keepdim), 2)))
MISTAKE("f32|nan", fifty, softplus(x), g * exp(x) * exp(x) / (exp(x) * exp(x) + exp(x)))

POINT("ties", tied_pair, maximum(x, b), g * to(x >= b, g.dtype()), g * to(b >= x, g.dtype()))
POINT("ties", tied_row, amax(x), g * to(x == y, g.dtype()))
POINT("ties", tied_zero, abs(x), g * (2 * to(x >= 0, g.dtype()) - 1))
POINT("ties", tied_bound, clamp(x, -1, 1), g * to(abs(x) < 1, g.dtype()))
POINT("ties", tied_relu, relu(x), g * to(x >= 0, g.dtype()))
POINT("ties", tied_low, minimum(x, b), g * to(x < b, g.dtype()), g * to(b < x, g.dtype()))

MISTAKE("overwritten", m, doubled_in_place(x), 2 * g)
MISTAKE("overwritten", v, x * x, x * doubled_in_place(g))
MISTAKE("overwritten", p, sqrt(x), g / doubled_in_place(y))

MISTAKE("not repeatable|state", m, x * (1 + 1e-3 * jitter()), g)
MISTAKE("not repeatable|state", t, tanh(x), g * (1 - y * y) * (1 + 1e-2 * jitter()))
DROPOUT("not repeatable|mask", k, 0.5, dropout(x, 0.5), dropout(g, 0.5))

MISTAKE("state|not repeatable", m, less_running_mean(x), g)
MISTAKE("state|not repeatable", v, x * (1 + 0.01 * static_cast<double>(calls())), g)
MISTAKE("state|not repeatable", m, sin(x), with_momentum(g * cos(x)))

MISTAKE("shape", v, narrow(x, 0, 0, 6 + parity(x)), pad(g, {0, 7 - g.size(0)}))
