// The panel to drag the leaves' numbers. Each movement runs both passes and compares the change of the loss
// with the one that the gradient predicts.
import { html, replace } from './element.js';
import { indexText, numberText } from './number.js';

/** @param {(leaf: string, values: number[]) => Promise<any>} change runs the program again */
export function numbersPanel(answer, change) {
  const { variables, events } = answer.trace;
  const loss = variables[events[0]?.variable]?.value?.values?.[0];
  const verdict = html('p', { class: 'equation', 'aria-live': 'polite' }, 'Drag a number, or type another.');
  const moves = new Map(); // "x[1]" -> {by, predicted}
  let wanted = null; // the newest numbers, while the engine runs older ones
  let isBusy = false;
  const run = async (leaf, values) => {
    wanted = { leaf, values };
    if (isBusy) return;
    isBusy = true;
    while (wanted) {
      const { leaf: name, values: numbers } = wanted;
      wanted = null;
      const found = await change(name, numbers);
      if (found.error) replace(verdict, found.error.message);
      else say(found.trace);
    }
    isBusy = false;
  };
  const say = (trace) => {
    const now = trace.variables[trace.events[0]?.variable]?.value?.values?.[0];
    const [[first, { by }]] = moves;
    const predicted = [...moves.values()].reduce((sum, move) => sum + move.predicted, 0);
    replace(verdict, moves.size === 1 ? `${first} moved by ${numberText(by)}` : `${moves.size} numbers moved`,
      `: the gradient predicts ΔL = ${numberText(predicted)}, measured `, html('b', {}, numberText(now - loss)));
  };
  const parts = variables
    .filter((v) => v.kind === 'leaf' && v.value?.values && v.value.values.length <= 64)
    .map((leaf) => {
      const grad = events.filter((e) => e.event === 'leaf' && e.variable === leaf.id).at(-1)?.values[0].values;
      const values = leaf.value.values.map(Number);
      const moved = values.slice();
      const cells = values.map((x, i) => {
        const input = html('input', {
          type: 'number',
          step: 'any',
          value: Number(x.toPrecision(6)),
          'aria-label': `${leaf.name}${indexText(leaf.shape, i)}`,
        });
        const set = (next) => {
          if (!Number.isFinite(next)) return;
          moved[i] = next;
          moves.set(leaf.name + indexText(leaf.shape, i), { by: next - x, predicted: (grad?.[i] ?? 0) * (next - x) });
          run(leaf.name, moved.slice());
        };
        input.addEventListener('input', () => input.value !== '' && set(Number(input.value)));
        let from = null;
        input.addEventListener('pointerdown', (event) => {
          from = { x: event.clientX, value: Number(input.value) };
          input.setPointerCapture(event.pointerId);
        });
        input.addEventListener('pointermove', (event) => {
          if (!from || Math.abs(event.clientX - from.x) < 3) return;
          input.value = Number((from.value + (event.clientX - from.x) * 0.01).toFixed(4));
          set(Number(input.value));
        });
        input.addEventListener('pointerup', () => {
          from = null;
        });
        return input;
      });
      const columns = leaf.shape.length ? leaf.shape[leaf.shape.length - 1] : 1;
      return html('div', { class: 'leaf-numbers' }, html('h4', {}, leaf.name),
        html('div', { class: 'cells', style: `grid-template-columns: repeat(${columns}, 5.5em)` }, cells));
    });
  return html('div', {}, html('h3', {}, 'The leaves’ numbers'), verdict, parts);
}
