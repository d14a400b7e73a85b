// Two moons, trained live: points to add, move and delete, the decision boundary, and histograms of
// each layer. Training can stop at any step, which can be opened as a program.
import { html, replace } from '../element.js';
import { pointKeys } from './moons_keys.js';
import { colour, paintMap, plotBars, plotCurve, prepare } from '../plot.js';

const span = { left: -1.8, right: 2.8, bottom: -1.4, top: 1.9 };
const settings = [
  ['depth', 'layers', 1, 10, 1, 2],
  ['hidden', 'width', 1, 48, 1, 16],
  ['lr', 'learning rate', -3, 1, 0.1, -0.5],
  ['scale', 'initial weights ×', 0.1, 6, 0.1, 1],
];

export function moonsView(ask, open) {
  const state = { points: [], running: false, losses: [], map: null, tool: 'move', activation: 'tanh', values: {} };
  const keys = 'Arrow keys move the cross, N and P take it to the next and previous point, Enter takes the point up and puts it down, B and O add a blue and an orange point, Delete removes one.';
  const field = html('canvas', { class: 'field', tabindex: 0, role: 'application', 'aria-label': `points and decision boundary. ${keys}` });
  const said = html('p', { class: 'note', role: 'status', 'data-said': '' }, keys);
  const curve = html('canvas', { class: 'plot' });
  const layers = html('div', { class: 'layers' });
  const status = html('p', { class: 'equation', role: 'status' });
  const start = html('button', {}, 'Train');
  const tools = html('span', { class: 'tools', role: 'radiogroup', 'aria-label': 'pointer' },
    [['move', 'move'], ['blue', 'add blue'], ['orange', 'add orange'], ['delete', 'delete']].map(([tool, text]) =>
      html('button', { role: 'radio', 'aria-checked': String(tool === state.tool), 'data-tool': tool, onclick: () => choose(tool) }, text)));
  const choose = (tool) => {
    state.tool = tool;
    for (const button of tools.children) button.setAttribute('aria-checked', String(button.dataset.tool === tool));
  };

  // ---- the plane
  const toPixel = ([x, y]) => [
    ((x - span.left) / (span.right - span.left)) * field.clientWidth,
    ((span.top - y) / (span.top - span.bottom)) * field.clientHeight,
  ];
  const toPlane = (px, py) => [
    span.left + (px / field.clientWidth) * (span.right - span.left),
    span.top - (py / field.clientHeight) * (span.top - span.bottom),
  ];
  const draw = () => {
    if (!field.isConnected) return;
    const { context, width, height } = prepare(field);
    if (state.map) paintMap(context, state.map.map, state.map.size, width, height);
    for (const point of state.points) {
      const [x, y] = toPixel(point);
      context.beginPath();
      context.arc(x, y, 4, 0, 7);
      context.fillStyle = colour(point[2] > 0.5 ? '--warm' : '--cold');
      context.fill();
      context.strokeStyle = colour('--paper');
      context.stroke();
    }
    if (document.activeElement === field) drawCross(context);
  };
  const drawCross = (context) => {
    const [x, y] = toPixel(byKeys.cross());
    context.strokeStyle = colour('--ink');
    context.beginPath();
    for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
      context.moveTo(x + 5 * dx, y + 5 * dy);
      context.lineTo(x + 12 * dx, y + 12 * dy);
    }
    context.stroke();
  };
  const byKeys = pointKeys({ points: () => state.points, span, draw: () => draw(), changed: () => changed(), say: (text) => replace(said, text) });
  field.addEventListener('keydown', byKeys.press);
  for (const event of ['focus', 'blur']) field.addEventListener(event, () => draw());
  const nearest = (x, y) => {
    let best = null;
    state.points.forEach((point, i) => {
      const [px, py] = toPixel(point);
      const d = Math.hypot(px - x, py - y);
      if (d < 14 && (!best || d < best.d)) best = { d, i };
    });
    return best?.i;
  };
  let held;
  field.addEventListener('pointerdown', (event) => {
    field.setPointerCapture(event.pointerId);
    const i = nearest(event.offsetX, event.offsetY);
    if (state.tool === 'delete' && i !== undefined) state.points.splice(i, 1);
    else if (state.tool === 'blue' || state.tool === 'orange') state.points.push([...toPlane(event.offsetX, event.offsetY), state.tool === 'orange' ? 1 : 0]);
    else held = i;
    changed();
  });
  field.addEventListener('pointermove', (event) => {
    if (held === undefined) return;
    [state.points[held][0], state.points[held][1]] = toPlane(event.offsetX, event.offsetY);
    draw();
  });
  field.addEventListener('pointerup', () => {
    if (held !== undefined) changed();
    held = undefined;
  });

  // ---- the engine
  const points = () => state.points.flat().map((x) => Number(x.toFixed(4))).join(' ');
  let isFresh = false;
  const fail = ({ error }) => {  // the next training begins anew
    state.running = isFresh = false;
    start.textContent = 'Train';
    replace(status, error.message);
  };
  const restart = async () => {
    if (!state.points.length) return;
    const found = await ask({ ask: 'moons', do: 'start', points: points(), hidden: state.values.hidden, depth: state.values.depth,
      activation: state.activation, lr: String(10 ** state.values.lr), scale: String(state.values.scale), seed: 1 });
    if (found.error) return fail(found);
    isFresh = true;
    state.losses = [];
    await step(1);
  };
  const changed = () => {
    isFresh = false;
    draw();
    if (!state.running) restart();
  };
  const step = async (steps) => {
    const found = await ask({ ask: 'moons', do: 'train', steps });
    if (found.error) return fail(found);
    state.losses.push(...found.losses);
    const map = await ask({ ask: 'moons', do: 'map', size: 36, span: [span.left, span.right, span.bottom, span.top].join(' ') });
    if (map.error) return fail(map);
    state.map = map;
    show(found);
  };
  const show = (found) => {
    draw();
    plotCurve(curve, state.losses, 'loss');
    if (layers.children.length !== found.layers.length)
      replace(layers, ...found.layers.map(() => html('div', { class: 'layer' }, html('canvas', { class: 'bars' }), html('canvas', { class: 'bars' }))));
    found.layers.forEach((layer, i) => {
      const [left, right] = layers.children[i].children;
      plotBars(left, layer.gradient, `layer ${i + 1}: |gradient|`, '--grad', [[0, '10⁻⁸'], [0.44, '10⁻⁴'], [0.88, '1']]);
      if (layer.activation) plotBars(right, layer.activation, 'activation', '--accent', [[0, '−1'], [0.48, '0'], [0.93, '1']]);
    });
    const norms = found.layers.map((layer) => layer.gradient_norm);
    const ratio = norms[0] / norms.at(-1);
    const odd = found.losses.some((x) => typeof x !== 'number');
    replace(status, 
      odd ? 'The loss is not a number any more: the gradients have exploded. Try a smaller learning rate or smaller initial weights.'
        : ratio < 1e-3 ? `The first layer’s gradient is ${ratio.toExponential(1)} of the last one’s: it vanishes on the way back.`
          : ratio > 1e3 ? `The first layer’s gradient is ${ratio.toExponential(1)} times the last one’s: it explodes on the way back.` : 'Gradients of all layers are of similar size.',
    );
  };
  let perFrame = 5;
  const loop = async () => {
    if (!state.running || !field.isConnected) {
      state.running = false;
      start.textContent = 'Train';
      return;
    }
    if (!isFresh) await restart();
    if (!state.running) return;
    const before = performance.now();
    await step(perFrame);
    const took = performance.now() - before;
    perFrame = Math.max(1, Math.min(200, Math.round(perFrame * (took < 14 ? 1.3 : took > 25 ? 0.7 : 1))));
    requestAnimationFrame(loop);
  };
  start.onclick = () => {
    state.running = !state.running;
    start.textContent = state.running ? 'Stop' : 'Train';
    if (state.running) loop();
  };

  const controls = settings.map(([key, text, min, max, step_, value]) => {
    state.values[key] = value;
    const shown = html('output', {}, key === 'lr' ? (10 ** value).toPrecision(2) : value);
    return html('label', { class: 'slide' }, text, ' ', shown,
      html('input', { type: 'range', min, max, step: step_, value, oninput: (event) => {
        state.values[key] = Number(event.target.value);
        shown.textContent = key === 'lr' ? (10 ** state.values.lr).toPrecision(2) : event.target.value;
        changed();
      } }));
  });
  const activation = html('label', {}, 'activation ', html('select', { onchange: (event) => {
    state.activation = event.target.value;
    changed();
  } }, ['tanh', 'relu', 'sigmoid'].map((name) => html('option', {}, name))));

  (async () => {
    const found = await ask({ ask: 'moons', do: 'points', n: 80, seed: 3 });
    if (found.error) return fail(found);
    state.points = found.points;
    await restart();
  })();
  new ResizeObserver(draw).observe(field);
  return html('div', { class: 'moons' },
    html('div', {}, html('p', { class: 'note' }, 'A small network learns to tell two colours apart. Move, add or delete points while it learns.'), html('p', {}, start, ' ', html('button', { onclick: () => { isFresh = false; restart(); } }, 'Start anew'), ' ',
      html('button', { onclick: async () => {
        state.running = false;
        const found = await ask({ ask: 'moons', do: 'program', batch: 4 });
        if (found.error) return void replace(status, found.error.message);
        open(found.program);
      } }, 'Open this step as a program')),
    html('p', {}, tools), field, said, status),
    html('div', {}, html('div', { class: 'sliders' }, controls, activation), curve, layers));
}
