// A fourth list of mistakes in modules, each with its class and the parameters whose gradients it
// makes wrong, written by someone who had read neither the diagnosis, nor the rules of
// docs/gradcheck.md, nor the other lists beyond their first lines. The list was committed before
// the first score; the form of a line is that of modules.h and fresh_modules.h.
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
MODULE("sign", "w1 b1", OUT(CUSTOM(H, gain, sigmoid(-a) * b, g * b * sigmoid(a) * sigmoid(-a),
    sum(g * sigmoid(-a), {0}))))
MODULE("sign", "b2", return CUSTOM(linear(tanh(H), w2), b2, a - b, 1.0 * g, sum(g, {0})))
MODULE("sign", "table", return CUSTOM(tanh(H), table, linear(a, b), matmul(g, b),
    -matmul(transpose(g, 0, 1), a)))
BLOCK("sign", "emb wq", LOGITS(matmul(softmax(CUSTOM(QUERIES, KEYS, matmul(a, transpose(b, 0, 1)),
    -matmul(g, b), matmul(transpose(g, 0, 1), a)) / root(6), 1), VALUES)))

MODULE("constant", "w1 b1", OUT(CUSTOM(H, gain, tanh(0.7 * a) * b,
    g * b * (1 - tanh(0.7 * a) * tanh(0.7 * a)), sum(g * tanh(0.7 * a), {0}))))
MODULE("constant", "gain", OUT(CUSTOM(tanh(H), gain, a * (1 + 0.1 * b), g * (1 + 0.1 * b),
    sum(g * a, {0}))))
MODULE("constant", "w2", return CUSTOM(tanh(H), w2, 2.5 * linear(a, b), 2.5 * matmul(g, b),
    matmul(transpose(g, 0, 1), a)))
BLOCK("constant", "temperature", LOGITS(CUSTOM(e, temperature, a * exp(2 * b), g * exp(2 * b),
    sum(g * y))))
MODULE("constant", "w1 b1 gain", OUT(CUSTOM(H, gain, 0.3 * (a + b), 1.0 * g, sum(g, {0}))))

MODULE("n", "w1 b1 w2 b2", return CUSTOM(linear(tanh(H), w2, b2), gain, mean(a * a), 2 * g * a / 3,
    Tensor()))
MODULE("n", "w1 b1", OUT(CUSTOM(H, gain, mean(a, {0}, keepdim) * b, g * b * ones_like(a),
    sum(g * mean(a, {0}, keepdim), {0}))))
BLOCK("n", "emb head", return CUSTOM(linear(e, head), temperature, cross_entropy(a, TOKENS),
    g * (softmax(a, 1) - hot(TOKENS, a)), Tensor()))
BLOCK("n|constant", "emb", LOGITS(CUSTOM(e, scale, mean(a, {0}) * b, g * b / 6 * ones_like(a),
    g * mean(a, {0}))))

BLOCK("sqrt d", "emb wk", LOGITS(matmul(softmax(CUSTOM(QUERIES, KEYS, matmul(a, transpose(b, 0,
    1)) / root(6),
    matmul(g, b) / root(6), matmul(transpose(g, 0, 1), a)), 1), VALUES)))
MODULE("sqrt d", "w1 b1", return CUSTOM(H, table, linear(a, b) / root(5), matmul(g, b),
    matmul(transpose(g, 0, 1), a) / root(5)))
BLOCK("sqrt d|constant", "emb", LOGITS(CUSTOM(e, scale, root(6) * a + b, 1.0 * g, sum(g, {0}))))

MODULE("dropout", "w1 b1", OUT(CUSTOM_P(0.3, H, gain, a / 0.7 + b, 1.0 * g, sum(g, {0}))))
BLOCK("dropout", "emb shift", LOGITS(CUSTOM_P(0.1, e, shift, (a + b) / 0.9, 1.0 * g, sum(g, {0}))))
MODULE("dropout", "w1 b1", OUT(CUSTOM_P(0.2, tanh(H), gain, a * b / 0.8, g * b, sum(g * a,
    {0}) / 0.8)))

MODULE("operand", "w1 b1", OUT(CUSTOM(H, gain, tanh(a) * b, g * b * (1 - a * a), sum(g * tanh(a),
    {0}))))
MODULE("operand", "gain", OUT(CUSTOM(H, gain, a * b * b, g * b * b, sum(2 * g * b, {0}))))
MODULE("operand", "w1 b1", OUT(CUSTOM(H, gain, a * sigmoid(b), g * b, sum(g * y * (1 - sigmoid(b)),
    {0}))))
BLOCK("operand", "scale", LOGITS(CUSTOM(e, scale, a * exp(b), g * exp(b), sum(g * a * b, {0}))))
MODULE("operand", "w1 b1", OUT(CUSTOM(H, gain, silu(a) + b, g * sigmoid(a) * (1 + a * (1 - y)),
    sum(g, {0}))))

MODULE("swapped|operand", "w1 b1 table", OUT(CUSTOM(H, narrow(table, 0, 0, 3), a * b, g * a,
    g * b)))
BLOCK("swapped|operand", "emb wq wk", LOGITS(CUSTOM(QUERIES, KEYS, a * b, g * a, g * b)))
MODULE("swapped|sign", "w1 b1 table", OUT(CUSTOM(H, narrow(table, 0, 1, 3), a - b, -g, 1.0 * g)))

MODULE("mask", "w1 b1", OUT(CUSTOM(H, gain, relu(a) * b, g * b * to(a < 0, a.dtype()),
    sum(g * relu(a), {0}))))
BLOCK("mask", "emb wq wk", LOGITS(matmul(CUSTOM(SCORES, temperature, tril(a), triu(g), Tensor()),
    VALUES)))
MODULE("mask|should be zero", "w1 b1", OUT(CUSTOM(H, gain, clamp(a, -1, 1) + b, g * to(a < 1,
    a.dtype()), sum(g, {0}))))

MODULE("should be zero", "w1 b1", OUT(CUSTOM(H, gain, relu(a + b), 1.0 * g, sum(g * to(a + b > 0,
    a.dtype()), {0}))))
BLOCK("should be zero", "emb wq wk", LOGITS(matmul(CUSTOM(SCORES, temperature, tril(a), 1.0 * g,
    Tensor()), VALUES)))

BLOCK("transposition", "emb", LOGITS(tanh(CUSTOM(e, wq, linear(a, b), matmul(g, transpose(b, 0,
    1)), matmul(transpose(g, 0, 1), a)))))
BLOCK("transposition", "wv", LOGITS(tanh(CUSTOM(e, wv, matmul(a, b), matmul(g, transpose(b, 0, 1)),
    matmul(transpose(g, 0, 1), a)))))
BLOCK("transposition", "emb wv", LOGITS(CUSTOM(SCORES, VALUES, matmul(a, b), matmul(g, transpose(b,
    0, 1)), matmul(a, g))))

MODULE("order", "w1 b1", OUT(CUSTOM(H, gain, flip(a, {1}) * b, g * b, sum(g * flip(a, {1}), {0}))))
BLOCK("order", "emb", LOGITS(CUSTOM(e, scale, roll(a, {1}, {0}) * b, roll(g * b, {1}, {0}),
    sum(g * roll(a, {1}, {0}), {0}))))
BLOCK("order", "emb", LOGITS(CUSTOM(e, shift, cumsum(a, 0) + b, cumsum(g, 0), sum(g, {0}))))

MODULE("term", "w1 b1", OUT(CUSTOM(H, gain, softmax(a, 1) * b, softmax(a, 1) * (g * b),
    sum(g * softmax(a, 1), {0}))))
MODULE("term", "w1 b1", OUT(CUSTOM(H, gain, a * tanh(a) + b, g * tanh(a), sum(g, {0}))))
BLOCK("term", "emb", LOGITS(CUSTOM(e, scale, (a - mean(a, {1}, keepdim)) * deviation(a) * b,
    g * b * deviation(a),
    sum(g * (a - mean(a, {1}, keepdim)) * deviation(a), {0}))))
BLOCK("term", "scale", LOGITS(CUSTOM(e, scale, a * b + b, g * b, sum(g * a, {0}))))

BLOCK("accumulation", "emb", LOGITS(tanh(CUSTOM(emb, temperature, embedding(TOKENS, a),
    cat({index_select(g, 0, tensor({4, 0, 2})), zeros_like(narrow(g, 0, 0, 1)), narrow(g, 0, 3, 1),
         zeros_like(narrow(g, 0, 0, 2))}), Tensor()))))
MODULE("accumulation|constant", "w1 b1", OUT(CUSTOM(H, gain, a * a * b, g * a * b, sum(g * a * a,
    {0}))))
MODULE("accumulation|term", "gain", OUT(CUSTOM(tanh(H), gain, a * b + b * b, g * b,
    sum(g * (a + b), {0}))))
MODULE("broadcast|accumulation", "gain", OUT(CUSTOM(tanh(H), gain, a * b, g * b, select(g * a, 0,
    0))))
BLOCK("n|broadcast", "shift", LOGITS(CUSTOM(e, shift, a + b, 1.0 * g, mean(g, {0}))))
MODULE("contraction", "w2", return CUSTOM(tanh(H), w2, linear(a, b), matmul(g, b), outer(sum(g,
    {0}), sum(a, {0}))))
MODULE("contraction", "gain", OUT(CUSTOM(tanh(H), gain, a * b, g * b, sum(g, {0}) * sum(a, {0}))))

MODULE("zero", "b1", OUT(tanh(CUSTOM(linear(x, w1), b1, a + b, 1.0 * g, Tensor()))))
MODULE("zero|mask", "w1 b1", OUT(CUSTOM(H, gain, nn::leaky_relu(a, 0.2) + b, g * to(a > 0,
    a.dtype()), sum(g, {0}))))
MODULE("detached value", "w1 b1", OUT(H * sigmoid(H.detach())))
BLOCK("detached value|zero", "emb wq wk", LOGITS(matmul(WEIGHTS.detach(), VALUES)))
BLOCK("detached value", "emb", LOGITS((e - mean(e.detach(), {1}, keepdim)) * scale))
MODULE("detached value|zero", "gain", OUT(tanh(H) * gain.detach()))
MODULE("overwritten", "gain", OUT(CUSTOM(tanh(H), gain, a * b, doubled_in_place(g) * b / 2,
    sum(g * a, {0}))))
MODULE("nan", "w1 b1", OUT(CUSTOM(H, gain, relu(a) + b, g * relu(a) / relu(a), sum(g, {0}))))
MODULE("not repeatable", "", OUT(H * (1 + jitter())))
MODULE("state|not repeatable", "", OUT(tanh(less_running_mean(H))))
MODULE("shape", "", return narrow(linear(tanh(H), w2, b2), 0, 0, 2 + parity(H)))
#undef H
#undef OUT
#undef TOKENS
#undef QUERIES
#undef KEYS
#undef VALUES
#undef SCORES
#undef WEIGHTS
#undef LOGITS
