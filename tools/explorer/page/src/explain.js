// Explains a frame in words and numbers.
import { html } from './element.js';
import { bytesText, indexText, numberText, shapeText, termText, valueText } from './number.js';

const letters = { unary: ['x'], binary: ['a', 'b'] };
const binary = new Set(['add', 'sub', 'mul', 'div', 'pow', 'maximum', 'minimum']);

const formula = (text) => html('code', { class: 'formula' }, text);
const place = (operation) => operation.module && html('p', { class: 'note' }, `in the module ${operation.module}`);
const constants = (operation) => {
  const named = Object.entries(operation.attributes ?? {}).map(([name, text]) => `${name} = ${text}`);
  return named.length > 0 && html('p', { class: 'note' }, `with ${named.join(', ')}`);
};
const equation = (...parts) => html('p', { class: 'equation' }, ...parts);

/** One element of what a rule returned for each input, from the events that follow the rule's. */
function returned(events, event, element) {
  const found = [];
  for (let i = events.indexOf(event) + 1; i < events.length && events[i].event !== 'operation'; i++)
    if (events[i].event === 'contribution') found[events[i].input] = (events[i].values[1] ?? events[i].values[0])?.values?.[element];
  return found;
}

/** The derivative with the numbers of one element in place of its letters, and its results; null if
 *  it is not elementwise. */
function withNumbers(answer, operation, event, element) {
  const g = event.values[0];
  const { variables } = answer.trace;
  const output = variables[operation.outputs[0]];
  if (!output.value?.values || !g?.values?.length || operation.outputs.length !== 1) return null;
  const names = binary.has(operation.name) ? letters.binary : letters.unary;
  const numbers = { g: g.values[element], y: output.value.values[element] };
  for (const [i, v] of operation.inputs.entries()) {
    if (v === null || i >= names.length) continue;
    const value = variables[v].value;
    if (!value?.values) return null;
    if (String(value.shape) !== String(output.shape) && value.values.length !== 1) return null;
    numbers[names[i]] = value.values[value.values.length === 1 ? 0 : element];
  }
  for (const [name, text] of Object.entries(operation.attributes ?? {})) if (Number.isFinite(Number(text))) numbers[name] ??= Number(text);
  if (/[∑<>|]|\bsum\b|\bmean\b|\^T|repeated|over/.test(operation.derivative)) return null;
  const filled = operation.derivative
    .replace(/(?<![A-Za-z_])([gyxab])(?![A-Za-z_])/g, (all, letter) => (numbers[letter] === undefined ? all : `⟦${termText(numberText(numbers[letter]))}⟧`))
    .replace(/(⟧|\d|\)) (?=⟦|\(|\d|[a-z]\b|(?!where|if|at|of)[a-z]+ ?[⟦(])/g, '$1 · ') // two factors side by side
    .replace(/[⟦⟧]/g, '');
  const results = returned(answer.trace.events, event, element);
  return filled.split(/,\s+(?=d[a-z])/).map((part, i) => part + (results[i] === undefined || /= [(−]?[\d.e−]+\)?$/.test(part) ? '' : ` = ${numberText(results[i])}`)).join(',  ');
}

/** A shape with the dims that were summed away struck through. */
function summedShape(from, to) {
  const offset = from.length - to.length;
  const parts = from.map((n, d) => {
    const isGone = d < offset || to[d - offset] !== n;
    return isGone ? html('s', {}, n) : String(n);
  });
  return html('span', { class: 'shape' }, '(', parts.flatMap((p, i) => (i ? [', ', p] : [p])), ')');
}

const describe = {
  leaves: () => [
    html('h3', {}, 'The leaves'),
    html('p', {}, 'Tensors that were given, not computed. Backward will give each of them a gradient.'),
  ],
  forward(answer, frame) {
    const operation = answer.trace.operations[frame.operation];
    const output = answer.trace.variables[operation.outputs[0]];
    const saved = operation.saved.map((s) => `${s.kind} ${s.index} (${bytesText(s.bytes)})`);
    return [
      html('h3', {}, `Forward: ${operation.name}`),
      place(operation),
      equation(formula(operation.forward)),
      constants(operation),
      equation(`${output.name} = `, output.value ? valueText(output.value) : shapeText(output.shape)),
      html('p', {}, saved.length ? `For backward it saves ${saved.join(', ')}.` : 'It saves nothing: its derivative needs no values of the forward pass.'),
    ];
  },
  start(answer, frame) {
    const name = answer.trace.variables[frame.variable].name;
    return [
      html('h3', {}, 'Backward begins'),
      equation(`d${name}/d${name} = `, valueText(frame.event.values[0])),
    ];
  },
  operation(answer, frame) {
    const operation = answer.trace.operations[frame.operation];
    const g = frame.event.values[0];
    const name = answer.trace.variables[operation.outputs[0]].name;
    const filled = withNumbers(answer, operation, frame.event, 0);
    return [
      html('h3', {}, `Backward: the rule of ${operation.name}`),
      place(operation),
      equation('the gradient that came in: ', html('b', {}, `g = dL/d${name} = `), g ? valueText(g) : 'none'),
      equation(formula(operation.forward), html('span', { class: 'to' }, '⇒'), formula(operation.derivative)),
      constants(operation),
      filled && equation(html('span', { class: 'where' }, `at ${indexText(g.shape, 0) || 'this number'}: `), formula(filled)),
    ];
  },
  contribution(answer, frame) {
    const { variables, operations } = answer.trace;
    const operation = operations[frame.operation];
    const into = variables[frame.variable];
    const [value, before] = frame.event.values;
    return [
      html('h3', {}, `${operation.name} gives a gradient to ${into.name}`),
      before && equation('returned: ', valueText(before)),
      before && equation('summed over the dims that were broadcast: ', summedShape(before.shape, value.shape), ' → ', shapeText(value.shape)),
      equation(before ? 'gives ' : 'returned: ', valueText(value)),
      frame.sum
        ? equation(
            html('span', { class: 'before' }, valueText(frame.sum.values[0])),
            ' + ',
            html('span', { class: 'plus' }, termText(valueText(value))),
            ' = ',
            html('b', { class: 'after' }, valueText(frame.sum.values[1])),
          )
        : equation('the first gradient that reaches ', html('b', {}, into.name)),
      frame.sum && html('p', {}, `${frame.sum.count} uses of ${into.name} have contributed so far; their contributions are added.`),
    ];
  },
  freed: (answer, frame) => [
    html('h3', {}, 'Freed'),
    html('p', {}, `${answer.trace.operations[frame.operation].name} has computed its gradients, so it does not need what it saved any more: ${bytesText(frame.event.bytes)} are freed.`),
  ],
  recomputed: (answer, frame) => [
    html('h3', {}, 'Recomputed'),
    html('p', {}, `The output of ${answer.trace.operations[frame.operation].name} was not saved; it is computed a second time (${bytesText(frame.event.bytes)}).`),
  ],
  leaf(answer, frame) {
    const leaf = answer.trace.variables[frame.variable];
    return [
      html('h3', {}, `${leaf.name}.grad`),
      equation(`${leaf.name}.grad += `, html('b', {}, valueText(frame.event.values[0]))),
      html('p', {}, 'Stored at the end, when nothing can fail any more. A second backward would add to it.'),
    ];
  },
};

/** @returns {HTMLElement} */
export function explain(answer, frame) {
  return html('div', { class: 'explanation' }, describe[frame.kind](answer, frame));
}

/** What a second backward did: the gradients it added to, or the engine's message. */
export function againText(again) {
  if (again.message) return ['the second backward: ', html('b', {}, again.kind), ' ', again.message];
  return ['the second backward added to the gradients: ', again.gradients.map((g) => `${g.name}.grad = ${valueText(g.value)}`).join('; ')];
}
