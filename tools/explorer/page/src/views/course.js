// The lessons: a few paragraphs, a program to step through, and numbers to predict, which the engine
// marks.

/**
 * @typedef {{ask: string, program: string, of: string, what: 'grad' | 'value', element?: number,
 *            hint: string}} Exercise
 * @typedef {{name: string, text: string[], program: string, exercises: Exercise[]}} Lesson
 */

/** @type {Lesson[]} */
export const lessons = [
  {
    name: 'The chain rule',
    text: [
      'A program is a chain of operations. Each knows one thing about itself: how much its output moves when its input moves a little. That is its local derivative.',
      'The last line of a program is what is differentiated; call it L, the loss. Backward starts there with dL/dL = 1 and goes back one operation at a time. At each, it multiplies the incoming gradient by the local derivative. At x, it has multiplied all local derivatives.',
      'Forward has to come first: the derivative of tanh is 1 − y², so the operation saves its output y. In the formulas beside the drawing, x and y are the input and the output of one operation, g is the gradient that comes in, and dx is short for dL/dx.',
    ],
    program: 'x = 0.5\nu = 3 * x\nL = tanh(u)',
    exercises: [
      { ask: 'u = 3x, L = u². What is dL/dx at x = 2?', program: 'x = 2\nu = 3 * x\nL = u ^ 2', of: 'x', what: 'grad', hint: 'dL/du = 2u = 12, du/dx = 3.' },
      { ask: 'L = exp(−x). What is dL/dx at x = 0?', program: 'x = 0\nL = exp(-x)', of: 'x', what: 'grad', hint: 'exp(0) = 1, and the sign comes from −x.' },
    ],
  },
  {
    name: 'Fan-out: why gradients add',
    text: [
      'When x is used twice, a small move of x moves the loss in two ways at once: through the first use and through the second. The total change is the sum of the two changes (to first order they do not affect each other), so the gradient is the sum of two contributions. It is the chain rule of several variables: d/dx f(u(x), v(x)) = ∂f/∂u · u′ + ∂f/∂v · v′.',
      'The engine does just that: it stores the first contribution that reaches x and adds each further one. Step through and watch before + contribution = after.',
      'In terms of paths: the gradient is the sum, over all paths from the loss to x, of the product of the local derivatives along the path.',
    ],
    program: 'x = 3\ny = x * x + sin(x) + x',
    exercises: [
      { ask: 'y = x · x. Both uses of x contribute the same number. What does each contribute at x = 5?', program: 'x = 5\ny = const(5) * x', of: 'x', what: 'grad', hint: 'd(a·b)/da = b.' },
      { ask: 'y = x · x + 4 x. What is dy/dx at x = 5?', program: 'x = 5\ny = x * x + 4 * x', of: 'x', what: 'grad', hint: 'Each use of x contributes: the product twice, the other term once.' },
      { ask: 'a = 2x, L = a · a + a: three contributions reach a, one reaches x. What is dL/dx at x = 1?', program: 'x = 1\na = 2 * x\nL = a * a + a', of: 'x', what: 'grad', hint: 'dL/da = 2 + 2 + 1 = 5, and da/dx = 2.' },
    ],
  },
  {
    name: 'The order',
    text: [
      'Forward writes down each operation as it runs it, with its inputs and what it saves. This list is the tape; the tab “Tape” shows it. Backward reads it from the last operation to the first. As soon as an operation has computed its gradients, what it saved is freed: each operation runs backward once, so nothing will ask for it again.',
      'An operation may run backward only when the gradient of its output is complete, that is, when every operation that used the output has contributed. If it ran earlier, later contributions would be lost.',
      'The tape makes this easy: whatever uses an output is recorded after it, so running from the last operation to the first is always right.',
      'Step through it, then open “Paths” and tick the wrong order: the paths that it would lose are struck through. (The steps themselves always take the right order.)',
    ],
    program: 'x = 2\na = x * x\nb = sin(a)\nL = a * b',
    exercises: [
      { ask: 'L = a · b, and b = a + 1: L uses a twice, directly and through b. What is dL/da at a = 3, when both have contributed?', program: 'a = 3\nb = a + 1\nL = a * b', of: 'a', what: 'grad', hint: 'From the product: b = 4. Through b: a · 1 = 3.' },
      { ask: 'Suppose that a = x · x, and that its rule ran as soon as the direct use had contributed, before b’s. Which dL/da would it use, instead of the right one, 7?', program: 'a = 3\nL = a * const(4)', of: 'a', what: 'grad', hint: 'Only that of the direct use: dL/da with b held constant.' },
    ],
  },
  {
    name: 'Broadcasting',
    text: [
      'A bias b of shape (2,) is added to h of shape (3, 2): b is repeated in every row. This is called broadcasting, and the 3 is the broadcast dim (a dim is one of the numbers of a shape). Each number of b is used three times, once in every row. This is a fan-out: the gradient is a sum of three contributions.',
      'The rule of add returns a gradient of the output’s shape. The engine sums it over the dims that were broadcast. Here the first number of b gets 3 + 7 + 11 = 21. The gradient of a tensor always has the tensor’s shape.',
    ],
    program: 'h = [[1, 2], [3, 4], [5, 6]]\nb = [0.5, -0.5]\nL = sum((h + b) ^ 2)',
    exercises: [
      { ask: 'x has shape (4, 3), b has shape (3,), L = sum(x + b). What is each element of b’s gradient?', program: 'x = zeros(4, 3)\nb = [1, 1, 1]\nL = sum(x + b)', of: 'b', what: 'grad', hint: 'Every element of b is used once per row.' },
      { ask: 'c is one number, x = [1, 2, 3], L = sum(c · x). What is dL/dc?', program: 'c = 7\nx = [1, 2, 3]\nL = sum(c * x)', of: 'c', what: 'grad', hint: 'The sum of the numbers that it multiplies.' },
    ],
  },
  {
    name: 'Softmax and cross-entropy',
    text: [
      'Softmax turns scores into probabilities: yᵢ = exp(xᵢ) / Σⱼ exp(xⱼ). Every score is in the denominator, so raising one score lowers all other probabilities. For the same reason its derivative has entries off the diagonal: ∂yᵢ/∂xᵢ = yᵢ (1 − yᵢ), but ∂yᵢ/∂xⱼ = −yᵢ yⱼ for another score j. “Local derivative” shows them all: in the first row of the program below, raising score 0 moves probability 1 by −0.2595 · 0.7054 = −0.183.',
      'Backward needs dxᵢ = Σⱼ gⱼ ∂yⱼ/∂xᵢ, for each row of z by itself. With the derivatives above this is gᵢ yᵢ (1 − yᵢ) − Σ gⱼ yⱼ yᵢ over all other j, that is dxᵢ = yᵢ (gᵢ − ⟨g, y⟩), where ⟨g, y⟩ = Σⱼ gⱼ yⱼ: the matrix is never written down. Read it slowly. ⟨g, y⟩ is the average of the incoming gradients, weighted by the probabilities. A score’s gradient is its probability times the amount by which its own g exceeds that average. If all g are equal, the gradient is 0: the probabilities always sum to 1, so they cannot all rise.',
      'Cross-entropy is −log of the right class’s probability. Together the two simplify: the gradient of the scores is the probabilities minus one-hot (1 for the right class, 0 for the others), divided by the number of rows if the loss is the mean over rows. In the program, const([[1, 0, 0], [0, 0, 1]]) picks the right class of each row.',
    ],
    program: 'z = [[2, 1, -1], [0.5, 0, 0.5]]\np = softmax(z)\nL = -sum(log(p) * const([[1, 0, 0], [0, 0, 1]])) / 2',
    exercises: [
      { ask: 'Two scores are equal, so y = (½, ½). The gradient that comes in is g = (1, 0). What is dx₀?', program: 'x = [0, 0]\nL = sum(softmax(x) * const([1, 0]))', of: 'x', what: 'grad', hint: 'The average of g, weighted by y, is ½.' },
      { ask: 'What is dx₀ if g = (1, 1)?', program: 'x = [0, 0]\nL = sum(softmax(x) * const([1, 1]))', of: 'x', what: 'grad', hint: 'No g is above the average.' },
      { ask: 'Cross-entropy of 4 equal scores, where class 0 is right: what is the gradient of score 0?', program: 'z = [[0, 0, 0, 0]]\nL = cross_entropy(z, [0])', of: 'z', what: 'grad', hint: 'Its probability minus one. Four equal scores have equal probabilities.' },
    ],
  },
  {
    name: 'Layer norm',
    text: [
      'Layer norm subtracts the mean of a row and divides by its standard deviation. Both depend on every element of the row, so every output depends on every input.',
      'Adding a constant to the row changes nothing, so the gradient of a row sums to zero. Scaling the row changes nothing either (but for ε), so the gradient is also orthogonal to the normalised row. The two subtracted terms in its derivative do this.',
    ],
    program: 'x = [[1, 2, 4]]\nw = [1, 1, 1]\nb = [0, 0, 0]\ny = layer_norm(x, w, b)\nL = sum(y * const([1, 2, 3]))',
    exercises: [
      { ask: 'L = sum(layer_norm(x)): what is the gradient of x₀?', program: 'x = [[1, 2, 4]]\nL = sum(layer_norm(x))', of: 'x', what: 'grad', hint: 'The outputs of a row always sum to 0.' },
      { ask: 'x = (−1, 1): what is the second output, to three digits?', program: 'x = [[-1, 1]]\nw = [1, 1]\nb = [0, 0]\ny = layer_norm(x, w, b)\nL = y[0, 1]', of: 'L', what: 'value', hint: 'The mean is 0, the standard deviation 1.' },
    ],
  },
  {
    name: 'Attention',
    text: [
      'Each position has a query (what it looks for), a key (what it can be found by) and a value (what it passes on). Scores are products of queries and keys; softmax turns them into weights; the output is the weighted mean of the values.',
      'x reaches the loss in three ways, as query, key and value, so its gradient is a sum of three contributions. Because of the softmax, one position’s weight can grow only if others shrink.',
    ],
    program: 'x = randn(3, 4)\nwq = randn(4, 2)\nwk = randn(4, 2)\nwv = randn(4, 2)\nq = x @ wq\nk = x @ wk\nv = x @ wv\na = softmax(q @ k.T / 2 ^ 0.5)\nL = sum((a @ v) ^ 2)',
    exercises: [
      { ask: 'All scores are 0 and there are 2 keys. v = (10, 20). What is the output?', program: 's = [[0, 0]]\nv = [[10], [20]]\ny = softmax(s) @ v\nL = sum(y)', of: 'L', what: 'value', hint: 'The mean.' },
      { ask: 'L is that output. What is the gradient of the first score?', program: 's = [[0, 0]]\nv = [[10], [20]]\nL = sum(softmax(s) @ v)', of: 's', what: 'grad', hint: 'y (g − average of g): ½ · (10 − 15).' },
    ],
  },
  {
    name: 'Vanishing gradients',
    text: [
      'A deep chain multiplies many local derivatives. If each is below 1, their product vanishes; if each is above 1, it explodes. The derivative of tanh is at most 1, and nearly 0 where tanh saturates; that of sigmoid is at most ¼.',
      'In “Two moons”, choose ten layers of sigmoid and look at the first layer’s gradients. Then try relu, other initial weights, or fewer layers.',
    ],
    program: 'x = 1\nh = x * 1\nrepeat 8: h = sigmoid(h)\nL = h * 1',
    exercises: [
      { ask: 'The derivative of sigmoid is largest at 0. What is it there?', program: 'x = 0\nL = sigmoid(x)', of: 'x', what: 'grad', hint: 'y (1 − y) at y = ½.' },
      { ask: 'What is the product of four factors of ¼, to three digits?', program: 'x = 1\nL = x * 0.25 * 0.25 * 0.25 * 0.25', of: 'x', what: 'grad', hint: '1 / 256.' },
    ],
  },
  {
    name: 'Optimizers',
    text: [
      'The gradient says which way the loss rises. SGD takes a step against it: x ← x − lr · g. Momentum accumulates past gradients. AdamW averages them and divides by their typical size, so that every parameter moves by about the learning rate.',
      'Backward adds to grad() and never replaces it, so the gradients of two losses, or of two halves of a batch, sum up. This is why a training loop has to zero it before each backward.',
    ],
    program: 'x = 2\nL = x ^ 2',
    exercises: [
      { ask: 'L = x², x = 2, learning rate 0.1. What is x after one step of SGD?', program: 'x = 2\ng = grad(x ^ 2, x)\nL = x - 0.1 * g', of: 'L', what: 'value', hint: 'g = 4.' },
      { ask: 'L = x², x = 2. Backward runs twice, with no zero_grad() in between. What is x.grad then?', program: 'x = 2\nL = x ^ 2 + x ^ 2', of: 'x', what: 'grad', hint: 'The sum of both gradients.' },
    ],
  },
  {
    name: 'Checking a gradient',
    text: [
      'A derivative can be tested without knowing it: move x by ±ε, and (L(x + ε) − L(x − ε)) / 2ε has to agree. The check does this in 64-bit numbers for every element, and names the operation to blame if one disagrees.',
      'It compares a function with its own derivative and cannot know whether the function is the one that you meant. “Planted mistakes” has ten mistakes that it finds and four that it cannot see.',
    ],
    program: 'x = [1, 2]\nL = sum(x ^ 3)\ngrad(x) = 3 * x ^ 2',
    exercises: [
      { ask: 'L = x². Take x = 3, ε = 1 (!). What is (L(4) − L(2)) / 2?', program: 'x = 4\ny = 2\nL = (x ^ 2 - y ^ 2) / 2', of: 'L', what: 'value', hint: '(16 − 4) / 2. It is exact even for a large ε, because the curve is a parabola.' },
      { ask: 'relu at x = 0: what do central differences give, whatever ε is?', program: 'x = 0.001\nL = (relu(x) - relu(-x)) / 0.002', of: 'L', what: 'value', hint: '(ε − 0) / 2ε.' },
      { ask: 'And what does the engine give there?', program: 'x = 0\nL = relu(x)', of: 'x', what: 'grad', hint: 'A convention, the same as PyTorch’s.' },
    ],
  },
];
