// Planted mistakes: programs in which one rule is wrong. The learner names it; the check judges. No
// check of gradients can see the last four, and their texts say why.

/** @typedef {{name: string, mistake?: string, program: string, blind?: string, hint: string}} Puzzle */

/** @type {Puzzle[]} */
export const puzzles = [
  { name: 'A wave', mistake: 'sign', hint: 'Every ratio is −1.',
    program: 'x = [0.5, 1.2, -0.4]\ny = tanh(x)\nz = sin(y * 2)\nL = sum(exp(z))' },
  { name: 'Growth', mistake: 'factor', hint: 'Every ratio is the same.',
    program: 'x = [0.1, -0.3, 0.7]\ny = exp(x)\nz = y * x\nL = sum(sqrt(z + 2))' },
  { name: 'A layer', mistake: 'tanh of x', hint: 'Which derivative is computed from the output?',
    program: 'x = [[0.5, -1], [2, 0.3]]\nw = randn(2, 2)\nb = [0.1, -0.1]\nh = tanh(x @ w + b)\nL = mean(h ^ 2)' },
  { name: 'An average', mistake: 'mean for sum', hint: 'The ratio is the number of elements.',
    program: 'x = [1, 2, 3, 4]\ny = sigmoid(x)\nz = y * y\nL = mean(z)' },
  { name: 'Probabilities', mistake: 'softmax', hint: 'The ratio differs from element to element.',
    program: 'z = [1, 2, 0.5]\np = softmax(z)\nq = log(p)\nL = -sum(q * const([0.2, 0.5, 0.3]))' },
  { name: 'Products', mistake: 'transposed', hint: 'One of the two factors gets the right gradient.',
    program: 'a = randn(3, 3)\nb = randn(3, 3)\nc = a @ b\nL = sum(relu(c) ^ 2)' },
  { name: 'Normalised', mistake: 'layer norm', hint: 'Which changes of the input leave the output as it is?',
    program: 'x = [[1, 2, 4], [0, 1, -1]]\ny = layer_norm(x)\nz = tanh(y)\nL = sum(z * const([1, 2, 3]))' },
  { name: 'A bias', mistake: 'broadcast', hint: 'Look at the shapes.',
    program: 'x = randn(4, 2)\nb = [0.5, -0.5]\nh = x + b\nL = sum(sigmoid(h) ^ 2)' },
  { name: 'A square', mistake: 'overwritten', hint: 'x is used twice.',
    program: 'x = [0.5, 1, 2]\ny = sin(x)\nz = y * y\nL = sum(exp(z))' },
  { name: 'Silence', mistake: 'detached', hint: 'Some gradients are exactly 0.',
    program: 'x = [0.5, 1, 2]\nw = [1, -1, 1]\ny = tanh(x * w)\nL = sum(relu(y) + x)' },
  { name: 'A mask', hint: 'Compute the sums of the rows of tril(p).',
    program: 's = randn(3, 3)\np = softmax(s)\nL = sum(tril(p) ^ 2)',
    blind: 'The mask comes after the softmax, so rows of the weights no longer sum to 1, and later positions still take part in the denominator. Yet the gradient of this wrong function is right: a check compares a function with its own derivative, never with what you meant.' },
  { name: 'Not zeroed', hint: 'Tick “backward twice” and retain_graph.',
    program: 'x = [1, 2]\nL = sum(x ^ 2)',
    blind: 'A training loop that forgets zero_grad() adds up the gradients of all steps. Each backward is right; what is wrong is what grad() held before.' },
  { name: 'The kink', hint: 'What is the slope of relu at 0?',
    program: 'x = [0, 1, -1]\nL = sum(relu(x))',
    blind: 'At exactly 0 relu has no derivative. The engine gives 0, as PyTorch does; differences give ½. The check notes the kink and does not judge it.' },
  { name: 'Written over', hint: 'tanh saves its output.',
    program: 'x = [1, 2]\ny = tanh(x)\nL = sum(y ^ 2)',
    blind: 'If y were overwritten in place after tanh saved it, the gradient would be computed from other numbers. No check of values finds this, but the engine does: each storage counts its writes, and backward refuses a saved value whose count has changed. This language has no in-place writes.' },
];
