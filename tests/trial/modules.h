// 50 mistakes in modules that a user wrote, each with its class and the parameters whose gradients
// it makes wrong, for the trial of the diagnosis (trial.cpp). Written before the first score. Corrected
// since: one list of parameters that lacked w2, one class that was named after its dtype.
//
//   MODULE(class, "wrong parameters", body)
//
// x (3, 6); w1 (5, 6), b1 (5), gain (5), w2 (4, 5), b2 (4), table (6, 5). CUSTOM(a, b, forward,
// rule) is an operation of two inputs with the module's own rule, in the letters a, b, y, g.
#define H linear(x, w1, b1)
#define OUT(h) return linear(h, w2, b2)

// clang-format off
MODULE("sign", "w1 b1", OUT(CUSTOM(H, gain, tanh(a), -g * (1 - y * y), Tensor())))
MODULE("sign", "gain", OUT(CUSTOM(tanh(H), gain, a * b, g * b, -sum(g * a, {0}))))
MODULE("sign", "b1", OUT(tanh(CUSTOM(linear(x, w1), b1, a - b, g, sum(g, {0})))))
MODULE("sign", "b2", return CUSTOM(linear(tanh(H), w2), b2, a + b, g, -sum(g, {0})))
MODULE("constant", "w1 b1", OUT(CUSTOM(H, gain, a * a, g * a, Tensor())))
MODULE("constant", "gain", OUT(CUSTOM(tanh(H), gain, a * b * 0.5, g * b * 0.5, sum(g * a, {0}))))
MODULE("constant", "w2", return CUSTOM(tanh(H), w2, linear(a, b), matmul(g, b),
    3 * matmul(g.transpose(0, 1), a)))
MODULE("constant", "w1 b1", OUT(CUSTOM(H, gain, sigmoid(a), 2 * g * y * (1 - y), Tensor())))
MODULE("n", "w1 b1", OUT(tanh(H) - CUSTOM(H, gain, mean(a, {1}, keepdim), expand(g, {3, 5}),
    Tensor())))
MODULE("n", "w1 b1 w2", return CUSTOM(linear(tanh(H), w2) * 0.3, gain, mean(a * a), 2 * g * a,
    Tensor()) + 0 * sum(b2))
MODULE("n", "w1 b1", OUT(H / (1.0 + CUSTOM(H, gain, var(a, {1}, 1, keepdim), g * 2 * (a - mean(a,
    {1}, keepdim)) / 5.0, Tensor()))))
MODULE("n", "gain", OUT(tanh(H) * CUSTOM(gain, gain, sum(a), expand(g, {5}) / 5.0, Tensor())))
MODULE("sqrt d", "w1 b1", const Tensor q = tanh(H); const Tensor s = CUSTOM(q, table, matmul(a,
    b.transpose(0, 1)) / 2.23606797749979, matmul(g, b), matmul(g.transpose(0, 1),
    a) / 2.23606797749979); OUT(matmul(softmax(s, 1), table)))
MODULE("sqrt d", "table", const Tensor q = tanh(H); const Tensor s = CUSTOM(q, table, matmul(a,
    b.transpose(0, 1)) / 2.23606797749979, matmul(g, b) / 2.23606797749979, matmul(g.transpose(0,
    1), a)); OUT(matmul(q, table.transpose(0, 1)).narrow(1, 0, 5) + s.narrow(1, 1, 5)))
MODULE("operand", "w1 b1", OUT(CUSTOM(H, gain, tanh(a), g * (1 - y), Tensor())))
MODULE("operand", "w1 b1", OUT(CUSTOM(H, gain, sigmoid(a), g * a * (1 - a), Tensor())))
MODULE("operand", "w1 b1", OUT(CUSTOM(H, gain, a * a, 2 * g * a * a, Tensor())))
MODULE("operand", "gain", OUT(CUSTOM(tanh(H), gain, a * b, g * b, sum(g * y, {0}))))
MODULE("operand", "w1 b1", OUT(CUSTOM(H, gain, exp(a), g, Tensor())))
MODULE("swapped", "w1 b1", const Tensor h = H; OUT(CUSTOM(tanh(h), sigmoid(h), a * b, g * a,
    g * b)))
MODULE("swapped", "w1 b1", const Tensor h = tanh(H); const Tensor k = h.narrow(1, 0, 3);
    OUT(matmul(CUSTOM(k, k.transpose(0, 1) * 2.0, matmul(a, b), matmul(a.transpose(0, 1), g),
    matmul(g, b.transpose(0, 1))), h)))
MODULE("mask", "w1 b1", OUT(CUSTOM(H, gain, relu(a), g, Tensor())))
MODULE("mask", "w1 b1", OUT(CUSTOM(H, gain, relu(a), masked_fill(g, a > 0, 0), Tensor())))
MODULE("mask", "w1 b1", const Tensor k = tanh(H).narrow(1, 0, 3); OUT(matmul(CUSTOM(k, gain,
    tril(a), triu(g), Tensor()), tanh(H))))
MODULE("mask", "w1 b1", OUT(CUSTOM(H, gain, clamp(a, -0.5, 0.5), masked_fill(g, a > 0.5, 0),
    Tensor())))
MODULE("transposition", "w1 b1", const Tensor k = tanh(H).narrow(1, 0, 3); OUT(matmul(CUSTOM(k,
    gain, a.transpose(0, 1), g, Tensor()), tanh(H))))
MODULE("transposition", "w1 b1", const Tensor k = tanh(H).narrow(1, 0, 3); OUT(matmul(CUSTOM(k,
    k * 2.0, matmul(a, b), matmul(g, b), matmul(a.transpose(0, 1), g)), tanh(H))))
MODULE("order", "w1 b1", OUT(CUSTOM(tanh(H), gain, flip(a, {1}), g, Tensor())))
MODULE("order", "w1 b1", OUT(CUSTOM(tanh(H), gain, roll(a, {1}, {1}), roll(g, {1}, {1}), Tensor())))
MODULE("term", "w1 b1", OUT(CUSTOM(H, gain, softmax(a, 1), g * y, Tensor())))
MODULE("term", "w1 b1", OUT(CUSTOM(H, gain, a - mean(a, {1}, keepdim), g, Tensor()) * gain))
MODULE("term", "w1 b1", OUT(CUSTOM(H, gain, layer_norm(a, {}, {}), (g - mean(g, {1},
    keepdim)) / slope::std(a, {1}, 0, keepdim), Tensor()) * gain))
MODULE("term", "w1 b1", OUT(CUSTOM(H, gain, log_softmax(a, 1), g, Tensor())))
MODULE("accumulation", "table", const Tensor e = CUSTOM(table, gain, index_select(a, 0, tensor({0,
    0, 1}, i64)), pad(g.narrow(0, 1, 2), {0, 0, 0, 4}), Tensor()); OUT(e * tanh(H)))
MODULE("accumulation", "w1 b1", const Tensor h = CUSTOM(tanh(H), gain, cat({a, a}, 0), g.narrow(0,
    0, 3), Tensor()); OUT(h))
MODULE("broadcast", "b1", OUT(tanh(CUSTOM(linear(x, w1), b1, a + b, g, mean(g, {0})))))
MODULE("broadcast", "gain", OUT(CUSTOM(tanh(H), gain, a * b, g * b, (g * a).select(0, 0))))
MODULE("dropout", "w1 b1", OUT(CUSTOM_P(0.4, tanh(H), gain, a / 0.6, g, Tensor())))
MODULE("dropout", "w1 b1", OUT(CUSTOM_P(0.2, tanh(H), gain, a / 0.8, g / 0.64, Tensor())))
MODULE("zero", "w1 b1", OUT(CUSTOM(H, gain, tanh(a), 0 * g, Tensor())))
MODULE("zero", "gain", OUT(CUSTOM(tanh(H), gain, a * b, g * b, 0 * b)))
MODULE("detached value", "w1 b1", OUT(tanh(H).detach()))
MODULE("detached value", "w1 b1", const Tensor h = H; OUT(h * sigmoid(h).detach()))
MODULE("detached value", "gain", OUT(tanh(H) * gain.detach()))
MODULE("guard", "w1 b1", OUT(CUSTOM(H, gain, relu(a), g * y / y, Tensor())))
MODULE("not repeatable", "", OUT(tanh(H) * rand({3, 5}, f64)))
MODULE("state", "", static double calls = 0; calls += 1; OUT(tanh(H) * calls))
MODULE("shape", "", static int64_t rows = 0; rows = rows % 3 + 1; OUT(tanh(H)).narrow(0, 0, rows))
MODULE("nan", "", OUT(log(H - 100.0)))
MODULE("operand", "w1 b1", OUT(to(CUSTOM(to(H, f32), gain, tanh(a), g * (1 - y), Tensor()), f64)))
// clang-format on
#undef H
#undef OUT
