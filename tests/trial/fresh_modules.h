// A third list of mistakes in modules, each with its class and the parameters whose gradients it
// makes wrong, written by someone who had read neither the diagnosis, nor the rules of
// docs/gradcheck.md, nor the other two lists beyond their first lines. The list was committed
// before the first score; the form of a line is that of modules.h. BLOCK is a MODULE of a small
// Transformer block:
//
// tokens (5) · e: emb (7, 6) of the tokens, (5, 6) · queries, keys, values (5, 6) · scores (5, 5)
#define H linear(x, w1, b1)
#define OUT(h) return linear(h, w2, b2)
#define TOKENS tensor({1, 4, 2, 4, 0})
#define QUERIES linear(e, wq)
#define KEYS linear(e, wk)
#define VALUES linear(e, wv)
#define SCORES matmul(QUERIES, transpose(KEYS, 0, 1)) / root(6)
#define WEIGHTS softmax(SCORES, 1)
#define LOGITS(h) return linear(h, head)

// clang-format off
MODULE("sign", "w1 b1", OUT(CUSTOM(H, gain, a - b, -g, -sum(g, {0}))))
MODULE("sign", "gain", OUT(CUSTOM(tanh(H), gain, a - b, g, sum(g, {0}))))
MODULE("constant", "w1 b1", OUT(CUSTOM(H, gain, tanh(a / 2) * b,
    g * b * (1 - tanh(a / 2) * tanh(a / 2)), sum(g * tanh(a / 2), {0}))))
MODULE("constant", "gain", OUT(CUSTOM(tanh(H), gain, a * exp(3 * b), g * exp(3 * b), sum(g * y, {0}))))
MODULE("n", "w1 b1", OUT(CUSTOM(H, gain, mean(a, {0}, keepdim) * b, expand(g * b, {3, 5}),
    sum(g * mean(a, {0}, keepdim), {0}))))
MODULE("n", "w1 b1 w2 b2", return CUSTOM(linear(tanh(H), w2, b2), gain, mean(a * a, {1}),
    2 * unsqueeze(g, 1) * a / 3, Tensor()))
MODULE("n", "w1 b1 w2 b2", return CUSTOM(linear(tanh(H), w2, b2), gain, cross_entropy(a,
    tensor({0, 3, 1})), g * (softmax(a, 1) - hot(tensor({0, 3, 1}), a)), Tensor()))
MODULE("sqrt d", "w1 b1", return softmax(CUSTOM(H, table, matmul(a, transpose(b, 0, 1)) / root(5),
    matmul(g, b), matmul(transpose(g, 0, 1), a) / root(5)), 1))
MODULE("dropout", "w1 b1", OUT(CUSTOM_P(0.2, H, gain, a * low(a) / 0.8 * b, g * low(a) * b,
    sum(g * low(a) * a / 0.8, {0}))))
MODULE("dropout", "gain", OUT(CUSTOM_P(0.4, tanh(H), gain, a * b * low(a) / 0.6,
    g * b * low(a) / 0.6, sum(g * a * low(a), {0}))))
MODULE("operand", "w1 b1", OUT(CUSTOM(H, gain, tanh(a) * b, g * b * (1 - y * y), sum(g * tanh(a), {0}))))
MODULE("operand", "gain", OUT(CUSTOM(H, gain, a * sigmoid(b), g * sigmoid(b), sum(g * a * b * (1 - b), {0}))))
MODULE("swapped", "w1 b1 gain", OUT(CUSTOM(tanh(H), gain, a * b, g * a, sum(g * b, {0}))))
MODULE("mask|swapped", "w1 b1 gain", OUT(CUSTOM(H, gain, where(low(a) > 0, a, b), g * (1 - low(a)),
    sum(g * low(a), {0}))))
MODULE("mask", "w1 b1", OUT(CUSTOM(H, gain, a * low(a) + b, g * (1 - low(a)), sum(g, {0}))))
MODULE("transposition", "w1 b1", OUT(CUSTOM(softmax(matmul(H, transpose(H, 0, 1)), 1), H, matmul(a,
    b), matmul(g, transpose(b, 0, 1)), matmul(a, g))))
MODULE("order", "w1 b1", OUT(CUSTOM(H, gain, roll(a, {1}, {1}) * b, roll(g * b, {1}, {1}),
    sum(g * roll(a, {1}, {1}), {0}))))
MODULE("order", "w1 b1", OUT(CUSTOM(H, gain, cumsum(a, 0), cumsum(g, 0), Tensor())))
MODULE("term", "w1 b1", OUT(CUSTOM(H, gain, a * sigmoid(a) * b, g * b * sigmoid(a),
    sum(g * a * sigmoid(a), {0}))))
MODULE("term", "w1 b1", OUT(CUSTOM(H, gain, a * rsqrt(mean(a * a, {1}, keepdim) + 1e-5) * b,
    g * b * rsqrt(mean(a * a, {1}, keepdim) + 1e-5), sum(g * a * rsqrt(mean(a * a, {1},
    keepdim) + 1e-5), {0}))))
MODULE("accumulation", "table", OUT(CUSTOM(H, table, a + index_select(b, 0, tensor({2, 2, 5})), g,
    index_select(pad(g, {0, 0, 0, 1}), 0, tensor({3, 3, 1, 3, 3, 2})))))
MODULE("accumulation|zero", "table", return CUSTOM(table, table, matmul(tanh(a), transpose(b, 0,
    1)), matmul(g, b) * (1 - tanh(a) * tanh(a)), Tensor()))
MODULE("broadcast|n", "gain", OUT(CUSTOM(H, gain, a * b, g * b, mean(g * a, {0}))))
MODULE("broadcast", "b1", OUT(tanh(CUSTOM(linear(x, w1), b1, a + b, g, select(g, 0, 0)))))
MODULE("zero", "b1", OUT(tanh(CUSTOM(linear(x, w1), b1, a + b, g, Tensor()))))
MODULE("should be zero", "w1 b1", OUT(CUSTOM(H, gain, clamp(a, -1, 1) * b, g * b, sum(g * clamp(a,
    -1, 1), {0}))))
MODULE("detached", "w1 b1", const Tensor h = H; OUT(h * sigmoid(h.detach())))
MODULE("detached", "w1 b1", const Tensor h = H; OUT((h - mean(h, {1}, keepdim).detach()) * gain))
MODULE("detached|zero", "gain", OUT(H * exp(gain).detach()))
MODULE("stride", "w1", OUT(CUSTOM(transpose(matmul(w1, transpose(x, 0, 1)), 0, 1), gain,
    sin(a) * b, g * b * cos(raw(a)), sum(g * sin(a), {0}))))
MODULE("not repeatable|state", "", OUT(H * (1 + 1e-3 * jitter())))
MODULE("state|not repeatable", "", OUT(H + 0.01 * static_cast<double>(calls())))
MODULE("guard|nan", "w1 b1", OUT(CUSTOM(H - H, gain, norm(a, 2, {1}, keepdim) + b, g * a / norm(a,
    2, {1}, keepdim), sum(g, {0}))))

BLOCK("sqrt d", "emb wq", LOGITS(matmul(softmax(CUSTOM(QUERIES, KEYS, matmul(a, transpose(b, 0,
    1)) / root(6), matmul(g, b), matmul(transpose(g, 0, 1), a) / root(6)), 1), VALUES)))
BLOCK("mask", "emb wq wk", LOGITS(matmul(CUSTOM(SCORES, temperature, a * low(a),
    g * transpose(low(g), 0, 1), Tensor()), VALUES)))
BLOCK("accumulation", "emb", LOGITS(tanh(CUSTOM(emb, temperature, embedding(TOKENS, a),
    index_select(pad(g, {0, 0, 0, 1}), 0, tensor({4, 0, 2, 5, 3, 5, 5})), Tensor()))))
BLOCK("term", "emb wq wk", LOGITS(matmul(CUSTOM(SCORES, temperature, softmax(a, 1), g * y,
    Tensor()), VALUES)))
BLOCK("transposition", "emb wv", LOGITS(CUSTOM(WEIGHTS, VALUES, matmul(a, b), matmul(g,
    transpose(b, 0, 1)), matmul(a, g))))
BLOCK("transposition", "wq", LOGITS(CUSTOM(e, wq, matmul(a, transpose(b, 0, 1)), matmul(g, b),
    matmul(transpose(a, 0, 1), g))))
BLOCK("transposition", "emb", LOGITS(CUSTOM(e, wv, matmul(a, transpose(b, 0, 1)), matmul(g,
    transpose(b, 0, 1)), matmul(transpose(g, 0, 1), a))))
BLOCK("term", "emb wq wk wv", LOGITS(CUSTOM(matmul(WEIGHTS, VALUES) + e, scale, (a - mean(a, {1},
    keepdim)) * deviation(a) * b, deviation(a) * (g * b - mean(g * b, {1}, keepdim)),
    sum(g * (a - mean(a, {1}, keepdim)) * deviation(a), {0}))))
BLOCK("n", "emb", LOGITS(CUSTOM(e, temperature, mean(a, {0}, keepdim), expand(g / 6, {5, 6}), Tensor())))
BLOCK("constant", "temperature", LOGITS(matmul(softmax(CUSTOM(SCORES, temperature, a * exp(-2 * b),
    g * exp(-2 * b), sum(-g * y)), 1), VALUES)))
BLOCK("sign", "temperature", LOGITS(matmul(softmax(CUSTOM(SCORES, temperature, a * exp(-b),
    g * exp(-b), sum(g * y)), 1), VALUES)))
BLOCK("broadcast", "temperature", LOGITS(CUSTOM(e, temperature, a * b, g * b, select(select(g * a,
    0, 0), 0, 0))))
BLOCK("broadcast|n", "temperature", LOGITS(CUSTOM(e, temperature, a * b, g * b, mean(g * a))))
BLOCK("zero", "shift", LOGITS(CUSTOM(e * scale, shift, a + b, g, Tensor())))
BLOCK("detached", "emb wq wk", LOGITS(matmul(WEIGHTS.detach(), VALUES)))
BLOCK("detached|accumulation", "emb", return matmul(tanh(linear(e, wv)), transpose(emb.detach(), 0, 1)))
BLOCK("detached", "emb", const Tensor peak = amax(e, {1}, keepdim).detach();
    return linear(exp(e - peak), head) * sum(peak))
BLOCK("order", "emb", LOGITS(tanh(CUSTOM(e, scale, flip(a, {0}) * b, g * b, sum(g * flip(a, {0}), {0})))))
BLOCK("sign", "emb wq", LOGITS(matmul(softmax(matmul(CUSTOM(QUERIES, temperature, rotate(a),
    rotate(g), Tensor()), transpose(KEYS, 0, 1)), 1), VALUES)))
BLOCK("dropout", "emb wv", LOGITS(CUSTOM_P(0.1, VALUES, temperature, a * low(a) / 0.9, g * low(a), Tensor())))
BLOCK("should be zero", "emb", LOGITS(tanh(CUSTOM(e, temperature, first(a, 3), g, Tensor()))))
BLOCK("operand", "emb wq wk wv", LOGITS(CUSTOM(matmul(WEIGHTS, VALUES) + e, temperature, silu(a),
    g * sigmoid(a) * (1 + y * (1 - sigmoid(a))), Tensor())))
BLOCK("edge|zero", "emb", LOGITS(CUSTOM(e, temperature, tanh(a), first(g * (1 - y * y), 4), Tensor())))
BLOCK("accumulation|term", "emb", LOGITS(CUSTOM(e, wv, a + matmul(a, transpose(b, 0, 1)), matmul(g,
    b), matmul(transpose(g, 0, 1), a))))
BLOCK("constant", "emb wq wk wv", LOGITS(CUSTOM(e, matmul(WEIGHTS, VALUES), a + 0.4 * b, g, g)))
BLOCK("swapped", "emb wq wv", LOGITS(CUSTOM(VALUES, QUERIES, a * sigmoid(b),
    g * a * sigmoid(b) * (1 - sigmoid(b)), g * sigmoid(b))))
BLOCK("n", "emb head", return CUSTOM(linear(e, head), temperature, cross_entropy(a,
    tensor({4, 2, 4, 0, 6})), g * (softmax(a, 1) - hot(tensor({4, 2, 4, 0, 6}), a)) / 7, Tensor()))
BLOCK("contraction", "emb", LOGITS(CUSTOM(e, wv, a * sum(b, {1}), g * select(b, 1, 0),
    expand(unsqueeze(sum(g * a, {0}), 1), {6, 6}))))
BLOCK("sqrt d", "emb", LOGITS(tanh(CUSTOM(e, temperature, root(6) * a, g, Tensor()))))
BLOCK("order|transposition", "emb wq", LOGITS(tanh(CUSTOM(QUERIES, temperature,
    reshape(transpose(reshape(a, {5, 2, 3}), 0, 1), {5, 6}), g, Tensor()))))
BLOCK("state|not repeatable", "", LOGITS(less_running_mean(e)))
BLOCK("term", "emb", LOGITS(CUSTOM(e, temperature, gelu(a), 0.5 * g * (1 + erf(a / root(2))), Tensor())))
BLOCK("swapped", "emb wv", LOGITS(CUSTOM(e, VALUES, 0.7 * a + 0.3 * b, 0.3 * g, 0.7 * g)))
#undef H
#undef OUT
#undef TOKENS
#undef QUERIES
#undef KEYS
#undef VALUES
#undef SCORES
#undef WEIGHTS
#undef LOGITS
