// What a step costs: the multiplications of matrix products and attention in both passes, and what
// is saved from when until when.
import { html } from './element.js';
import { heldOver, memoryPlot } from './memory.js';
import { bytesText } from './number.js';
import { framesOf } from './tape.js';

const numel = (shape) => shape.reduce((product, n) => product * n, 1);

/**
 * The multiplications of one operation: forward, and in backward for the inputs that need a
 * gradient. Masked scores count as well. Other operations have none.
 * @returns {{forward: number, backward: number}}
 */
export function multiplications(operation, variables) {
  const y = variables[operation.outputs[0]].shape;
  const shapes = operation.inputs.map((v) => (v === null ? null : variables[v].shape));
  const needed = (...inputs) => inputs.filter((i) => shapes[i]).length;
  const size = (...places) => {
    const [input, fromEnd] = places.find(([i, d]) => shapes[i]?.length >= d) ?? [];
    return input === undefined ? 0 : shapes[input].at(-fromEnd);
  };
  const product = (n) => ({ forward: n, backward: n * needed(0, 1) });
  switch (operation.name) {
    case 'linear': return product(numel(y) * size([1, 1], [0, 1]));
    case 'matmul':
    case 'bmm': return product(numel(y) * size([0, 1], [1, 2], [1, 1]));
    case 'linear_cross_entropy': return product(size([0, 2]) * size([1, 2]) * size([0, 1], [1, 1]));
    case 'scaled_dot_product_attention': {
      const [L, S, D, E] = [y.at(-2), size([1, 2], [2, 2]), size([0, 1], [1, 1]), y.at(-1)];
      const [scores, mixing] = [D, E].map((d) => (numel(y) / (L * E)) * L * S * d);
      // backward computes the scores again, and the gradient of the weights if q or k needs it
      return { forward: scores + mixing, backward: scores + mixing * needed(2) + (needed(0, 1) && mixing) + scores * needed(0, 1) };
    }
    default: return { forward: 0, backward: 0 };
  }
}

/** For each operation: the frames at which its saved values appear and are freed. */
function lives(frames) {
  const found = new Map();
  frames.forEach((frame, i) => {
    if (frame.kind === 'forward') found.set(frame.operation, { from: i, to: frames.length - 1, again: false });
    else if (frame.kind === 'freed') found.get(frame.operation).to = i;
    else if (frame.kind === 'recomputed') found.get(frame.operation).again = true;
  });
  return found;
}

const most = (answer, frames) => Math.max(0, ...heldOver(answer, frames));
const times = (frames) => frames.filter((frame) => frame.kind === 'recomputed').length;
const computed = (n) => (n === 1 ? '1 output is computed' : `${n} outputs are computed`);

/** @param {any} other the answer with recomputing switched the other way, or null */
export function costPanel(answer, frames, at, other) {
  const { operations, variables } = answer.trace;
  const costs = operations.map((operation) => multiplications(operation, variables));
  const sum = (key) => costs.reduce((total, cost) => total + cost[key], 0);
  const life = lives(frames);
  const last = frames.length - 1;
  const row = (operation, i) => {
    const bytes = operation.saved.reduce((total, s) => total + s.bytes, 0);
    const { from, to, again } = life.get(i);
    return html('tr', { class: i === frames[at].operation ? 'chosen' : '' },
      html('td', {}, operation.outputs.map((v) => variables[v].name).join(', ')), html('td', {}, operation.name),
      html('td', {}, costs[i].forward || '–'), html('td', {}, costs[i].backward || '–'),
      html('td', {}, bytes ? bytesText(bytes) : '–', again && html('b', {}, ' again')),
      html('td', {}, bytes > 0 && html('span', { class: 'life', title: `from step ${from} to ${to}`, style: `margin-left: ${(100 * from) / last}%; width: ${(100 * Math.max(1, to - from)) / last}%` })));
  };
  const others = other && !other.error && framesOf(other);
  return html('div', {}, html('h3', {}, 'What the whole run costs'),
    html('p', { class: 'equation' }, html('b', { class: 'forward-cost' }, sum('forward')), ' multiplications forward, ', html('b', { class: 'backward-cost' }, sum('backward')), ' backward, in matrix products and attention'),
    html('p', { class: 'equation' }, `saved: at most ${bytesText(most(answer, frames))}; ${computed(times(frames))} again in backward`,
      others && html('span', { class: 'other' }, `. With recomputing switched the other way: ${bytesText(most(other, others))}; ${computed(times(others))} again`)),
    memoryPlot(answer, frames, at),
    html('table', { class: 'cost' },
      html('tr', {}, ['result', 'operation', 'forward', 'backward', 'saves', 'alive'].map((t) => html('th', {}, t))),
      operations.map(row)));
}
