// An optimizer as arithmetic: every step on a loss, with the optimizer's whole state.
import { html, replace } from '../element.js';
import { numberText } from '../number.js';
import { plotCurve } from '../plot.js';

const formulas = {
  sgd: ['x ← x − lr · g'],
  momentum: ['b ← 0.9 b + g  (at first b = g)', 'x ← x − lr · b'],
  adamw: ['x ← x − lr · 0.01 · x', 'm ← 0.9 m + 0.1 g', 'v ← 0.999 v + 0.001 g²', 'm̂ = m / (1 − 0.9ᵗ),  v̂ = v / (1 − 0.999ᵗ)', 'x ← x − lr · m̂ / (√v̂ + 10⁻⁸)'],
};
const start = 'x = 2\nL = x ^ 4 - 3 * x ^ 2 + x';

/** The step as arithmetic on the numbers that the engine gives. */
function arithmetic(name, row, t, lr) {
  const x = row.value[0];
  const g = row.used[0];
  const n = (v) => numberText(v, 5);
  if (name === 'sgd') return `${n(x)} − ${n(lr)} · ${n(g)} = ${n(row.next[0])}`;
  if (name === 'momentum') return `b = ${n(row.state.momentum_buffer?.[0] ?? g)};  ${n(x)} − ${n(lr)} · ${n(row.state.momentum_buffer?.[0] ?? g)} = ${n(row.next[0])}`;
  const [m, v] = [row.state.exp_avg[0], row.state.exp_avg_sq[0]];
  const [mh, vh] = [m / (1 - 0.9 ** t), v / (1 - 0.999 ** t)];
  return `m̂ = ${n(m)} / ${n(1 - 0.9 ** t)} = ${n(mh)};  √v̂ = ${n(Math.sqrt(vh))};  ${n(x)} · ${n(1 - lr * 0.01)} − ${n(lr)} · ${n(mh)} / ${n(Math.sqrt(vh))} = ${n(row.next[0])}`;
}

export function optimizerView(ask, open) {
  const state = { optimizer: 'sgd', lr: 0.05, clip: 0, forget: false, steps: 25 };
  const text = html('textarea', { rows: 3, 'aria-label': 'program of the loss', spellcheck: 'false', class: 'program' }, start);
  const curve = html('canvas', { class: 'plot' });
  const table = html('div', {});
  const status = html('p', { role: 'status' });
  const show = async () => {
    const { optimizer, lr, clip, forget, steps } = state;  // the choices may have changed when the answer is there
    const found = await ask({ ask: 'optimizer', program: text.value, optimizer, lr: String(lr), clip: String(clip), forget: forget ? 1 : 0, steps });
    status.className = found.error ? 'error' : 'note';
    if (found.error) return void replace(status, found.error.message);
    replace(status, forget ? 'Without zero_grad(), grad() is the sum of all gradients so far, and the steps overshoot.' : '');
    plotCurve(curve, found.steps.map((s) => s.loss), 'loss');
    const headings = ['step', 'leaf', 'value', 'loss', forget ? 'grad() (a sum)' : 'grad()', ...(clip ? ['clipped'] : []), 'the step'];
    replace(table, 
      html('p', {}, formulas[optimizer].map((f) => html('code', { class: 'formula' }, f, html('br', {})))),
      html('table', {}, html('tr', {}, headings.map((t) => html('th', {}, t))),
        found.steps.flatMap((s, i) => s.leaves.map((row) => html('tr', {}, html('td', {}, i + 1), html('td', {}, row.name),
          html('td', {}, row.value.slice(0, 3).map((v) => numberText(v)).join(', ')), html('td', {}, numberText(s.loss)),
          html('td', {}, (row.gradient ?? []).slice(0, 3).map((v) => numberText(v)).join(', ')), clip ? html('td', {}, (row.used ?? []).slice(0, 3).map((v) => numberText(v)).join(', ')) : null,
          html('td', {}, row.value.length === 1 && row.used ? arithmetic(optimizer, row, i + 1, lr) : '')))))); 
  };
  const slide = (key, label, min, max, step) => {
    const shown = html('output', {}, state[key]);
    return html('label', { class: 'slide' }, label, ' ', shown, html('input', { type: 'range', min, max, step, value: state[key], oninput: (event) => {
      state[key] = Number(event.target.value);
      shown.textContent = state[key];
      show();
    } }));
  };
  text.oninput = show;
  const view = html('div', { class: 'stage wide' },
    html('p', { class: 'note' }, 'The gradient says where the loss rises; the optimizer decides how far to go against it. Each row is one step, with the arithmetic that moves the number.'),
    html('div', { class: 'sliders' },
      html('label', {}, 'optimizer ', html('select', { onchange: (event) => { state.optimizer = event.target.value; show(); } }, [['sgd', 'SGD'], ['momentum', 'SGD with momentum 0.9'], ['adamw', 'AdamW']].map(([value, name]) => html('option', { value }, name)))),
      html('label', {}, html('input', { type: 'checkbox', onchange: (event) => { state.forget = event.target.checked; show(); } }), ' forget zero_grad()'),
      slide('lr', 'learning rate', 0.005, 0.5, 0.005), slide('clip', 'clip the norm at (0: off)', 0, 5, 0.5), slide('steps', 'steps', 1, 100, 1),
      html('button', { onclick: () => open(text.value) }, 'Open the loss as a program')),
    text, status, curve, table);
  show();
  return view;
}
