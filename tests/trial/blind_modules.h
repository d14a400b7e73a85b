// Mistakes in modules that a user wrote, each with its class and the parameters whose gradients it
// makes wrong, written by someone who had read neither the diagnosis nor modules.h. The list was
// committed before the first score; the form of a line is that of modules.h, with the same H and
// OUT.
//
// S: the scores of the rows of H for one another, after softmax (3, 3) · tokens: 0, 2, 2, 5
#define H linear(x, w1, b1)
#define OUT(h) return linear(h, w2, b2)
#define S softmax(matmul(H, transpose(H, 0, 1)), 1)
#define TOKENS tensor({0, 2, 2, 5})
#define ROWS transpose(a, 0, 1)

// clang-format off
MODULE("sign", "w1 b1", OUT(CUSTOM(H, gain, a * b, -g * b, sum(g * a, {0}))))
MODULE("sign", "gain", OUT(CUSTOM(H, gain, a / (1 + b * b), g / (1 + b * b),
    sum(2 * g * a * b / ((1 + b * b) * (1 + b * b)), {0}))))
MODULE("sign", "table", return CUSTOM(H, table, matmul(a, transpose(b, 0, 1)), matmul(g, b),
    -matmul(transpose(g, 0, 1), a)))
MODULE("constant", "b1", OUT(tanh(CUSTOM(linear(x, w1), b1, a + 0.1 * b, 1.0 * g, sum(g, {0})))))
MODULE("constant", "w1 b1", OUT(CUSTOM(H, gain, 0.5 * a * a, 2 * g * a, Tensor())))
MODULE("constant", "gain", OUT(CUSTOM(tanh(H), gain, a * (1 + 0.3 * b), g * (1 + 0.3 * b),
    sum(g * a, {0}))))
MODULE("constant", "w1 b1", OUT(CUSTOM(H, gain, sigmoid(1.702 * a), g * y * (1 - y), Tensor())))
MODULE("n", "w1 b1 w2 b2", return CUSTOM(linear(tanh(H), w2, b2), gain, mean(a, {0}), expand(g, {3,
    4}), Tensor()))
MODULE("n", "w1 b1 w2 b2", return CUSTOM(linear(tanh(H), w2, b2), gain, mean(a * a), 2 * g * a / 3,
    Tensor()))
MODULE("n", "w1 b1", return CUSTOM(H, gain, var(a, {1}, 1, keepdim), 2 * g * (a - mean(a, {1},
    keepdim)) / 5, Tensor()))
MODULE("sqrt d", "table", return CUSTOM(H, table, matmul(a, transpose(b, 0, 1)) / root(5), matmul(g,
    b) / root(5), matmul(transpose(g, 0, 1), a)))
MODULE("sqrt d", "w1 b1 table", return softmax(CUSTOM(H, table, matmul(a, transpose(b, 0,
    1)) / root(5), matmul(g, b), matmul(transpose(g, 0, 1), a)), 1))
MODULE("sqrt d", "table", OUT(CUSTOM(embedding(TOKENS, table), gain, a * root(5), 1.0 * g,
    Tensor())))
MODULE("dropout", "w1 b1", OUT(CUSTOM_P(0.3, H, gain, a * low(a) / 0.7, g * low(a), Tensor())))
MODULE("dropout", "w1 b1", OUT(CUSTOM_P(0.1, tanh(H), gain, a * low(a) / 0.9, g * low(a) * 0.9,
    Tensor())))
MODULE("should be zero", "w1 b1", OUT(CUSTOM_P(0.3, H, gain, a * low(a) / 0.7, g / 0.7, Tensor())))
MODULE("operand", "w1 b1", OUT(CUSTOM(H, gain, tanh(a), g * (1 - a * a), Tensor())))
MODULE("operand", "w1 b1", OUT(CUSTOM(H, gain, softplus(a), g * y, Tensor())))
MODULE("operand", "gain", OUT(CUSTOM(H, gain, a * exp(b), g * exp(b), sum(g * a * b, {0}))))
MODULE("operand", "gain", OUT(CUSTOM(H, gain, a * b * b, g * b * b, sum(2 * g * a * a, {0}))))
MODULE("operand", "w1 b1", OUT(CUSTOM(H, gain, a * sigmoid(a), g * sigmoid(a) * (1 + y), Tensor())))
MODULE("swapped", "w1 b1 gain", OUT(CUSTOM(tanh(H), sigmoid(linear(x, w1) * gain), a * b, g * a,
    g * b)))
MODULE("swapped", "w1 b1 gain", OUT(CUSTOM(H * gain, tanh(H), a * a * b, g * a * a, 2 * g * a * b)))
MODULE("swapped", "w1 b1 gain", OUT(CUSTOM(tanh(H), tanh(H * gain), cat({a, b}, 0), narrow(g, 0, 3,
    3), narrow(g, 0, 0, 3))))
MODULE("mask", "w1 b1", OUT(CUSTOM(H, gain, relu(a), where(a < 0, g, 0 * g), Tensor())))
MODULE("mask", "w1 b1", OUT(CUSTOM(H, gain, nn::leaky_relu(a, 0.2), where(a > 0, 0.2 * g, g),
    Tensor())))
MODULE("mask", "w1 b1", return CUSTOM(S, gain, tril(a), triu(g), Tensor()))
MODULE("mask", "w1 b1", return CUSTOM(S, gain, tril(a), tril(g, -1), Tensor()))
MODULE("transposition", "w1 b1", OUT(CUSTOM(S, H, matmul(a, b), matmul(g, transpose(b, 0, 1)),
    matmul(a, g))))
MODULE("transposition", "w1 b1", return CUSTOM(S, gain, transpose(a, 0, 1), 1.0 * g, Tensor()))
MODULE("transposition", "w1 b1", return CUSTOM(S, S * S, matmul(a, b), matmul(g, b), matmul(ROWS,
    g)))
MODULE("order", "w1 b1", OUT(CUSTOM(H, gain, flip(a, {1}), 1.0 * g, Tensor())))
MODULE("order", "w1 b1", OUT(CUSTOM(H, gain, roll(a, {1}, {1}), roll(g, {1}, {1}), Tensor())))
MODULE("order", "w1 b1", OUT(CUSTOM(tanh(H), gain, cumsum(a, 1), cumsum(g, 1), Tensor())))
MODULE("term", "w1 b1", OUT(CUSTOM(H, gain, softmax(a, 1), g * y, Tensor())))
MODULE("term", "w1 b1", OUT(CUSTOM(H, gain, a - mean(a, {1}, keepdim), 1.0 * g, Tensor())))
MODULE("term", "w1 b1", OUT(CUSTOM(H, gain, layer_norm(a, {}, {}), deviation(a) * (g - mean(g, {1},
    keepdim)), Tensor())))
MODULE("term", "w1 b1", OUT(CUSTOM(H, gain, rms_norm(a, b), g * b * rsqrt(mean(a * a, {1},
    keepdim) + 1e-5), sum(g * y / b, {0}))))
MODULE("term", "w1 b1", OUT(CUSTOM(H, gain, a / norm(a, 2, {1}, keepdim), g / norm(a, 2, {1},
    keepdim), Tensor())))
MODULE("accumulation", "table", OUT(CUSTOM(table, gain, index_select(a, 0, TOKENS), cat({narrow(g,
    0, 0, 1), 0 * narrow(g, 0, 0, 1), narrow(g, 0, 2, 1), 0 * narrow(g, 0, 0, 2), narrow(g, 0, 3,
    1)}, 0), Tensor())))
MODULE("accumulation", "w1 b1", OUT(CUSTOM(tanh(H), gain, cat({a, a}, 0), narrow(g, 0, 0, 3),
    Tensor())))
MODULE("broadcast", "b1", OUT(tanh(CUSTOM(linear(x, w1), b1, a + b, 1.0 * g, select(g, 0, 0)))))
MODULE("broadcast", "gain", OUT(CUSTOM(tanh(H), gain, a * b, g * b, select(g * a, 0, 1))))
MODULE("zero", "gain", OUT(CUSTOM(tanh(H), gain, a * b, g * b, Tensor())))
MODULE("zero", "w1 b1", OUT(CUSTOM(tanh(H), gain, a * b, Tensor(), sum(g * a, {0}))))
MODULE("should be zero", "w1 b1", OUT(CUSTOM(H, gain, sign(a), 1.0 * g, Tensor())))
MODULE("detached value", "w1 b1", OUT(tanh(H.detach())))
MODULE("detached value", "gain", OUT(H * gain.detach()))
MODULE("detached value", "w1 b1", const Tensor h = H; OUT(h / norm(h.detach(), 2, {1}, keepdim)))
MODULE("detached value", "gain", OUT(tanh(H) * sum(gain).item()))
MODULE("detached value", "w1 b1", const Tensor h = tanh(H); OUT(h * softmax(h, 1).detach()))
MODULE("detached value", "w2", const Tensor h = linear(tanh(H), w2, b2); return h + linear(tanh(H),
    w2.detach(), b2))
MODULE("edge", "w1 b1", OUT(CUSTOM(H, gain, exp(a), cat({narrow(g * y, 0, 0, 2), 0 * narrow(g, 0, 2,
    1)}, 0), Tensor())))
MODULE("not repeatable", "", OUT(tanh(H) * (1 + 0.1 * rand_like(H))))
MODULE("state", "", OUT(tanh(H) * static_cast<double>(calls())))
MODULE("nan", "", OUT(log(H)))
MODULE("nan", "w1 b1", OUT(CUSTOM(H, gain, a * a, 2 * g * a * sqrt(a) / sqrt(a), Tensor())))
#undef H
#undef OUT
#undef S
#undef TOKENS
#undef ROWS
