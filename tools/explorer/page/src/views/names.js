// microGPT, trained live on names: loss, samples, the probability of each next letter, and each head's attention, whose gradient shows which earlier letter is to blame for a loss.
import { html, replace, svg } from '../element.js';
import { inventedNames, namesIn } from './invented.js';
import { numberText } from '../number.js';
import { plotCurve } from '../plot.js';

const letter = (token) => (token === 0 ? '·' : String.fromCharCode(96 + token));

/** A square of numbers; a row belongs to the letter that attends. */
function square(values, n, names, onpick) {
  const size = 22;
  const largest = Math.max(1e-12, ...values.map(Math.abs));
  return svg('svg', { width: (n + 1) * size, height: (n + 1) * size, class: 'attention', role: 'img' },
    names.map((name, i) => [
      svg('text', { x: (i + 1) * size + size / 2, y: 15, class: 'number' }, name),
      svg('text', { x: size / 2, y: (i + 1) * size + 15, class: 'number' }, name),
    ]),
    values.map((v, k) => {
      const r = Math.floor(k / n);
      const c = k % n;
      if (c > r) return null;
      return svg('rect', { x: (c + 1) * size, y: (r + 1) * size, width: size - 1, height: size - 1, class: v < 0 ? 'cold' : 'warm',
        'fill-opacity': (0.06 + 0.9 * (Math.abs(v) / largest)).toFixed(3), onclick: () => onpick?.(r) },
      svg('title', {}, `${names[r]} ← ${names[c]}: ${numberText(v)}`));
    }));
}

export function namesView(ask, openTape) {
  const state = { names: inventedNames(), losses: [], running: false, of: 1000, name: null, position: -1 };
  const curve = html('canvas', { class: 'plot' });
  const status = html('p', { class: 'equation', role: 'status' });
  const samples = html('p', { class: 'samples' });
  const look = html('div', {});
  const temperature = html('input', { type: 'range', min: 0.2, max: 1.6, step: 0.1, value: 0.7, 'aria-label': 'temperature' });
  const nameInput = html('input', { value: '', 'aria-label': 'name', size: 14, maxlength: 15, spellcheck: 'false' });
  const start = html('button', {}, 'Train 1000 steps');

  const restart = async () => {
    const found = await ask({ ask: 'names', do: 'start', names: state.names.join(' '), steps: 1000, seed: 42 });
    if (found.error) return void replace(status, found.error.message);
    state.losses = [];
    replace(status, `${found.parameters.toLocaleString('en')} parameters, ${found.names} names. Guessing one of 27 would cost ln 27 = 3.296 a letter.`);
    if (!state.name) nameInput.value = state.name = state.names[0];
    await showLook();
    await showSamples();
  };
  const showSamples = async () => {
    const found = await ask({ ask: 'names', do: 'sample', count: 24, temperature: temperature.value });
    if (found.error) return void replace(samples, html('span', { class: 'error' }, found.error.message));
    replace(samples, html('span', { class: 'note' }, `sampled at temperature ${temperature.value}: `), found.names.map((n) => n || '·').join('  '));
  };
  const showLook = async () => {
    const name = nameInput.value.toLowerCase().replace(/[^a-z]/g, '');
    if (!name) return;
    state.name = name;
    if (state.position > name.length) state.position = -1;  // the row was chosen in a longer name
    const { position } = state;
    const found = await ask({ ask: 'names', do: 'look', name, position });
    if (found.error) return void replace(look, html('p', { class: 'error' }, found.error.message));
    const n = found.losses.length;
    const seen = found.tokens.slice(0, n).map(letter);
    const pick = (row) => {
      state.position = position === row ? -1 : row;
      showLook();
    };
    const best = (row) => found.probabilities.slice(27 * row, 27 * row + 27).map((p, t) => [p, t]).sort((a, b) => b[0] - a[0]).slice(0, 4);
    replace(look, 
      html('table', {}, html('tr', {}, ['seen', 'next', 'loss', 'likeliest next letters'].map((t) => html('th', {}, t))),
        found.losses.map((loss, row) => html('tr', { class: row === position ? 'chosen' : '', onclick: () => pick(row) },
          html('td', {}, seen.slice(0, row + 1).join('')), html('td', {}, html('b', {}, letter(found.tokens[row + 1]))), html('td', {}, numberText(loss)),
          html('td', {}, best(row).map(([p, t]) => `${letter(t)} ${(100 * p).toFixed(0)} %`).join('   '))))),
      html('p', { class: 'note' }, position < 0 ? 'Choose a row to ask which earlier letters are to blame for that letter’s loss.'
        : `Gradients of the loss of “${letter(found.tokens[position + 1])}” alone. Where the gradient is positive, less attention would lower the loss.`),
      found.attention.map((all, layer) => html('div', { class: 'heads' }, Array.from({ length: found.heads }, (_, h) => {
        const part = (values) => values.slice(h * n * n, (h + 1) * n * n);
        return html('figure', {}, html('figcaption', {}, `head ${h + 1}`), square(part(all), n, seen, pick), square(part(found.attention_gradient[layer]), n, seen, pick));
      }))),
      html('p', { class: 'note' }, 'Above: attention, rows look at columns. Below: d loss / d attention. These come from attention written out (softmax, then a product); training uses the fused operation.'));
  };
  const loop = async () => {
    if (!state.running || !curve.isConnected) {
      state.running = false;
      return;
    }
    const found = await ask({ ask: 'names', do: 'train', steps: 12 });
    if (found.error) {  // the next training begins anew
      Object.assign(state, { running: false, losses: [] });
      start.textContent = 'Train 1000 steps';
      return void replace(status, found.error.message);
    }
    state.losses.push(...found.losses);
    const mean = state.losses.map((_, i, all) => {
      const part = all.slice(Math.max(0, i - 24), i + 1);
      return part.reduce((a, b) => a + b, 0) / part.length;
    });
    plotCurve(curve, mean, 'loss, mean of 25 names');
    replace(status, `step ${found.step} of ${found.of}`);
    if (found.step >= found.of) {
      state.running = false;
      start.textContent = 'Train 1000 steps';
      await showSamples();
      await showLook();
      return;
    }
    if (found.step % 96 === 0) await showSamples();
    requestAnimationFrame(loop);
  };
  start.onclick = async () => {
    state.running = !state.running;
    start.textContent = state.running ? 'Stop' : 'Train 1000 steps';
    if (!state.running) return void showLook();
    if (state.losses.length === 0 || state.losses.length >= state.of) await restart();
    loop();
  };
  temperature.oninput = showSamples;
  nameInput.oninput = showLook;
  const view = html('div', { class: 'moons' },
    html('div', {},
      html('p', { class: 'note' }, 'A GPT learns to spell names. It sees the letters so far and says how likely each next letter is; · begins and ends a name.'),
      html('p', {}, start, ' ', html('button', { onclick: restart }, 'Start anew'), ' ',
        html('button', { onclick: async () => {
          const found = await ask({ ask: 'names', do: 'trace', name: state.name });
          if (found.error) return void replace(status, found.error.message);
          openTape(found, `one training step of microGPT on “${state.name}”`);
        } }, 'Open this step as a tape')),
      status, curve,
      html('p', {}, html('label', {}, 'temperature ', temperature)), samples,
      html('p', { class: 'note' }, 'The names are made up of syllables. To learn others, drop a text file here, with one name per line.')),
    html('div', {}, html('p', {}, html('label', {}, 'name ', nameInput)), look));
  view.addEventListener('dragover', (event) => event.preventDefault());
  view.addEventListener('drop', async (event) => {
    event.preventDefault();
    const file = event.dataTransfer.files[0];
    if (!file) return;
    if (file.size > 4e6) return void replace(status, 'This file is larger than 4 MB.');
    const found = namesIn(await file.text());
    if (!found.length) return void replace(status, 'This file has no line that is a name of letters a to z.');
    state.names = found;
    state.name = null;
    restart();
  });
  restart();
  return view;
}
