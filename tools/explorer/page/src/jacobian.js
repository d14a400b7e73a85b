// Local derivatives: the Jacobian of an operation with respect to one input, and products of
// Jacobians along paths.
import { html } from './element.js';
import { indexText, numberText, shapeText, valueText } from './number.js';
import { makersOf, pathsTo } from './tape.js';

const mostOutputs = 8; // each of them takes a run of the program

/** @returns {Promise<HTMLElement>} */
export async function localDerivative(ask, question, answer, operation) {
  const { operations, variables } = answer.trace;
  const { name, inputs, derivative, outputs } = operations[operation];
  const parts = [html('h3', {}, `The local derivative of ${name}`), html('p', {}, html('code', { class: 'formula' }, derivative))];
  for (const [output, y] of outputs.slice(0, mostOutputs).entries())
    for (const [input, v] of inputs.entries()) {
      if (v === null || !variables[y].dtype.startsWith('float')) continue;  // indices have no derivative
      const found = await ask({ ...question, ask: 'jacobian', operation, output, input });
      const label = `d${variables[y].name} / d${variables[v].name}`;
      parts.push(html('h4', {}, label, ` ${shapeText(found.output ?? [])} × ${shapeText(found.input ?? [])}`));
      parts.push(found.error ? html('p', { class: 'error' }, found.error.message) : table(found));
    }
  if (outputs.length > mostOutputs) parts.push(html('p', { class: 'note' }, `${outputs.length - mostOutputs} more outputs are not shown.`));
  return html('div', {}, parts);
}

function table({ rows, output, input }) {
  const isDiagonal =
    rows.length > 1 && String(output) === String(input) && rows.every((row, i) => row.every((x, j) => i === j || x === 0));
  if (isDiagonal)
    return html('p', {}, 'elementwise: ', valueText({ shape: input, values: rows.map((row, i) => row[i]), norm: 0 }), ' on the diagonal, 0 elsewhere');
  if (!rows[0]?.length) return html('p', {}, 'no numbers');
  if (rows.length > 16 || rows[0]?.length > 16)
    return html('p', {}, `${rows.length} rows of ${rows[0]?.length} numbers, too many to show`);
  return [html('p', { class: 'note' }, 'Each row is an element of the output, each column one of the input. A number says how far the output moves if the input moves a little.'), html(
    'table',
    { class: 'matrix' },
    html('tr', {}, html('th', {}), rows[0].map((_, j) => html('th', { scope: 'col' }, indexText(input, j) || 'x'))),
    rows.map((row, i) =>
      html('tr', {}, html('th', { scope: 'row' }, indexText(output, i) || 'y'), row.map((x) => html('td', {}, numberText(x, 3)))),
    ),
  )];
}

/** row vector times matrix, which may have no rows */
const times = (g, { rows, input }) =>
  Array.from({ length: input.reduce((n, size) => n * size, 1) }, (_, j) => rows.reduce((sum, row, i) => sum + g[i] * row[j], 0));

/** Tells whether a path reaches some operation later than the operation's first gradient: one
 *  that ran backward at its first gradient would lose this path. */
function lateness(answer) {
  const makers = makersOf(answer);
  const first = new Map();
  for (const e of answer.trace.events) {
    const into = makers.get(e.variable)?.operation;
    if (e.event === 'contribution' && !first.has(into)) first.set(into, `${e.operation}.${e.input}`);
  }
  const { operations } = answer.trace;
  return (path) => path.some(({ operation, input }) => {
    const into = makers.get(operations[operation].inputs[input]);
    return into && first.get(into.operation) !== `${operation}.${input}`;
  });
}

/** All paths from the loss to a leaf, the product along each, and their sum. */
export async function fanOut(ask, question, answer, leaf) {
  const { operations, variables } = answer.trace;
  const most = 64;
  const paths = pathsTo(answer, leaf, most + 1);
  const head = html('h3', {}, `All paths from the loss to ${variables[leaf].name}`);
  if (paths.length > most) return html('div', {}, head, html('p', {}, `There are more than ${most} paths.`));
  const vector = (values) => valueText({ shape: variables[leaf].shape, values, norm: 0 });
  const known = new Map();
  const jacobian = async (step) => {
    const key = `${step.operation}.${step.output}.${step.input}`;
    if (!known.has(key)) known.set(key, await ask({ ...question, ask: 'jacobian', ...step }));
    return known.get(key);
  };
  const rows = [];
  const isLate = lateness(answer);
  let sum = null;
  let early = null; // the sum over the paths that remain in the wrong order
  let lost = 0;
  for (const path of paths) {
    let g = [1];
    const factors = [];
    for (const step of path) {
      const found = await jacobian(step);
      if (found.error) return html('div', {}, head, html('p', { class: 'error' }, found.error.message));
      g = times(g, found);
      factors.push(found.rows.length === 1 && found.rows[0].length === 1 ? numberText(found.rows[0][0]) : 'J');
    }
    sum = sum ? sum.map((x, i) => x + g[i]) : g;
    const names = path.map(({ operation }) => operations[operation].name);
    const isLost = isLate(path);
    if (!isLost) early = early ? early.map((x, i) => x + g[i]) : g;
    lost += isLost;
    rows.push(html('tr', { class: isLost && 'late' },
      html('td', {}, names.join(' ← '), ` ← ${variables[leaf].name}`),
      html('td', { class: 'product' }, factors.every((f) => f !== 'J') ? `${factors.join(' · ')} = ` : '', vector(g))));
  }
  const grad = answer.trace.events.filter((e) => e.event === 'leaf' && e.variable === leaf).at(-1);
  const table = html('table', { class: 'paths' }, rows);
  const hurry = html('p', { class: 'equation lost', hidden: true }, `${lost} of ${paths.length} paths are lost, and the gradient is wrong: `, html('b', {}, early ? vector(early) : '0'));
  return html('div', {}, head,
    table,
    html('p', { class: 'equation' }, 'their sum: ', html('b', {}, sum ? vector(sum) : '0')),
    grad && html('p', { class: 'equation' }, `the engine’s ${variables[leaf].name}.grad: `, html('b', {}, valueText(grad.values[0]))),
    lost > 0 && html('p', {}, html('label', {}, html('input', { type: 'checkbox', onchange: (event) => {
      hurry.hidden = !event.target.checked;
      for (const row of table.querySelectorAll('.late')) row.classList.toggle('lost', event.target.checked);
    } }), ' wrong order: each operation runs backward as soon as its first gradient has arrived')),
    lost > 0 && hurry);
}
