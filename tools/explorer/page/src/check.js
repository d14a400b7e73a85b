// The panel "Check my gradient": the engine's central differences in f64, for every element.
import { html } from './element.js';
import { indexText, numberText } from './number.js';

export function checkPanel(found, answer) {
  if (found.error) return html('p', { class: 'error' }, found.error.message);
  const shapes = new Map(answer.trace.variables.map((v) => [v.name, v.shape]));
  return html('div', {},
    html('h3', {}, found.ok ? `${found.checked} ${found.checked === 1 ? 'derivative agrees' : 'derivatives agree'} with differences` : `${found.failed} of ${found.checked} derivatives do not agree`),
    html('p', {}, 'Each element of each leaf is moved by ±ε in f64; (L₊ − L₋) / 2ε is compared with the gradient of backward.'),
    [...found.problems, ...found.notes].map((text) => html('p', { class: 'note' }, text)),
    found.failures.length > 0 && html('table', {},
      html('tr', {}, ['leaf', 'backward', 'differences', 'ratio'].map((t) => html('th', {}, t))),
      found.failures.map((f) => html('tr', {},
        html('td', {}, `${f.input}${indexText(shapes.get(f.input) ?? [], f.element)}`),
        [f.analytic, f.numeric, f.analytic / f.numeric].map((x) => html('td', {}, numberText(x)))))),
    found.claims.map((claim) => html('p', { class: claim.ok ? 'right' : 'error' },
      `grad(${claim.name}): `, claim.ok ? 'right' : 'not the gradient: ',
      claim.ok ? '' : claim.claimed.map((x, i) => `${numberText(x)} instead of ${numberText(claim.gradient[i])}`).slice(0, 6).join(', '))),
    found.claims.length === 0 && html('p', { class: 'note' }, 'Add your own derivative as a last line, such as grad(x) = 2 * x, to have it checked too.'));
}
