// The programs that the page offers, each with what to look at.

export const examples = [
  {
    name: 'Chain rule',
    program: 'x = 0.5\nu = 3 * x\ny = tanh(u)',
    look: 'Step to the end: the gradient of x is the product of the two derivatives, 3 · (1 − y²).',
  },
  {
    name: 'Fan-out',
    program: 'x = 3\ny = x * x + sin(x) + x',
    look: 'x is used four times. Watch the sum grow: before + contribution = after. “Paths” shows the four products that it is made of.',
  },
  {
    name: 'A layer, broadcast',
    program: 'x = [[1, 2, 3], [4, 5, 6]]\nw = [[0.1, -0.2], [0.3, 0.1], [-0.2, 0.2]]\nb = [0.1, -0.2]\nh = tanh(x @ w + b)\nL = sum(h ^ 2)',
    look: 'b has one row and is added to two: its gradient is summed over the dim that was broadcast.',
  },
  {
    name: 'micrograd, scalars',
    program:
      'a = -4\nb = 2\nc = a + b\nd = a * b + b ^ 3\nc1 = c + c + 1\nc2 = c1 + 1 + c1 - a\nd1 = d + d * 2 + relu(b + a)\nd2 = d1 + 3 * d1 + relu(b - a)\ne = c2 - d2\nf = e ^ 2\ng = f / 2 + 10 / f',
    look: 'The example of micrograd’s README: a.grad 138.8338, b.grad 645.5773.',
    dtype: 'f64',
  },
  {
    name: 'The same as one tensor',
    program:
      'p = [-4, 2]\na, b = unbind(p)\nc = a + b\nd = a * b + b ^ 3\nc1 = c + c + 1\nc2 = c1 + 1 + c1 - a\nd1 = d + d * 2 + relu(b + a)\nd2 = d1 + 3 * d1 + relu(b - a)\ne = c2 - d2\nf = e ^ 2\ng = f / 2 + 10 / f',
    look: 'a and b as one tensor of two numbers. The backward of unbind joins their gradients into one.',
    dtype: 'f64',
  },
  {
    name: 'Twice',
    program: 'x = 2\ny = x ^ 3\ndx = grad(y, x)\nddx = grad(dx, x)',
    look: 'y = x³. The result of grad(y, x) is itself on the tape, so it can be differentiated again: 3x², 6x, and backward gives 6.',
    dtype: 'f64',
  },
  {
    name: 'Softmax and cross-entropy',
    program: 'z = [[2, 1, -1], [0.5, 0, 0.5]]\np = softmax(z)\nL = -sum(log(p) * const([[1, 0, 0], [0, 0, 1]])) / 2',
    look: 'Cross-entropy written out: the right class is the first in row 0, the third in row 1. The gradient that reaches z is (softmax − one-hot) / 2. “Local derivative” of softmax shows that each score moves every probability of its row.',
  },
  {
    name: 'Layer norm',
    program: 'x = [[1, 2, 4], [0, 1, -1]]\nw = [1, 1, 1]\nb = [0, 0, 0]\ny = layer_norm(x, w, b)\nL = sum(y * const([1, 2, 3]))',
    look: 'Each row of the Jacobian sums to zero: adding a constant to x changes nothing.',
  },
  {
    name: 'Attention',
    program:
      'x = randn(3, 4)\nwq = randn(4, 2)\nwk = randn(4, 2)\nwv = randn(4, 2)\nq = x @ wq\nk = x @ wk\nv = x @ wv\ns = q @ k.T / 2 ^ 0.5\na = softmax(s)\ny = a @ v\nL = sum(y ^ 2)',
    look: 'x reaches the loss in three ways: as query, as key, as value. Its gradient is the sum of the three.',
  },
  {
    name: 'Vanishing gradients',
    program: 'x = randn(2, 4)\nw = randn(4, 4)\nh = x * 1\nrepeat 5: h = tanh(h @ w * 0.2)\nL = sum(h)',
    look: 'Each layer multiplies the gradient by w and by tanh′ < 1. Replace 0.2 by 1, and compare the norms on the way back.',
  },
  {
    name: 'Views',
    program: 'x = randn(3, 4)\nt = x.T\nr = reshape(x, [2, 6])\ns = x[1, 0:4:2]\nL = sum(t) + sum(r ^ 2) + sum(s)',
    look: 'Boxes with the same storage letter share memory: a view has its own strides, but no numbers of its own.',
  },
  {
    name: 'Not a number',
    program: 'x = [-1, 0, 4]\ny = sqrt(x)\nL = sum(y)',
    look: 'The page names the first value that is not finite.',
  },
];
