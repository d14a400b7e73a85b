// The page: a program with its panels on the left, its tape to step through on the right.
import { readAddress, writeAddress } from './address.js';
import { checkPanel } from './check.js';
import { openEditor } from './editor.js';
import { html } from './element.js';
import { openEngine } from './engine.js';
import { examples } from './examples.js';
import { againText, explain } from './explain.js';
import { saveDrawing, saveSource, saveTape } from './export.js';
import { unitsOf } from './fold.js';
import { costPanel } from './cost.js';
import { drawingOf } from './graph.js';
import { fanOut, localDerivative } from './jacobian.js';
import { layoutOf, skeleton } from './layout.js';
import { bytesText, shapeText, valueText } from './number.js';
import { lessonsView } from './views/lessons.js';
import { mistakesView } from './views/mistakes.js';
import { moonsView } from './views/moons.js';
import { namesView } from './views/names.js';
import { numbersPanel } from './numbers.js';
import { optimizerView } from './views/optimizer.js';
import { runOfPage } from './run.js';
import { firstNotFinite, framesOf, stateAt } from './tape.js';
import { translationView } from './views/translation.js';

const at = (id) => document.getElementById(id);
const mostDrawn = 2000;
const engine = openEngine();
const start = { program: examples[0].program, dtype: 'f32', seed: 0, at: 0, panel: 'step', view: runOfPage ? 'run' : 'program', item: 0, mistake: null, ...readAddress() };  // mistake: null outside puzzles, '' in those without one
const page = { ...start, answer: null, asked: null, frames: [], graph: null, drawing: null, chosen: null, playing: null, leaves: {}, unfolded: new Set(), again: false, retain: false, recompute: true };

const question = () => ({
  program: page.program,
  dtype: page.dtype,
  seed: page.seed,
  mistake: page.mistake ?? '',
  leaves: page.leaves,
  again: page.again ? 1 : 0,
  retain_graph: page.retain ? 1 : 0,
  recompute: page.recompute ? 1 : 0,
});

// ---- running

/**
 * Takes a tape with the question that it answers, unless a newer one was asked meanwhile. If its outline is
 * that of the last tape, the layout is kept.
 */
async function take(answer, asked, mine) {
  const outline = skeleton(answer);
  if (page.outline !== outline) page.unfolded.clear();
  const graph = (page.outline === outline && page.graph) || await layout(answer);
  if (mine !== running) return;
  Object.assign(page, { answer, asked, outline, graph, frames: framesOf(answer) });
  page.drawing = graph && drawingOf(answer, graph, { choose, unfold });
}
/** Null if there is nothing to draw, or if the engine could not place it. */
async function layout(answer) {
  if (answer.trace.operations.length === 0) return null;
  const graph = await layoutOf(engine.ask, answer, unitsOf(answer, mostDrawn, page.unfolded));
  if (!graph.error) return graph;
  showError(graph.error);
  return null;
}

/** Shows what is within a folded box; without a key, folds all of them again. */
async function unfold(key) {
  if (key) page.unfolded.add(key);
  else page.unfolded.clear();
  const { answer } = page;
  const graph = await layout(answer);
  if (answer !== page.answer) return;
  page.graph = graph;
  page.drawing = graph && drawingOf(answer, graph, { choose, unfold });
  showGraph();
}
function choose(operation, variable) {
  page.chosen = { operation, variable };
  if (page.panel === 'step') page.panel = operation === undefined ? 'paths' : 'local';
  showPanel();
}
let running = 0;
async function run({ keep = false } = {}) {
  const mine = ++running;
  page.isForeign = false;
  const asked = question();
  const answer = await engine.ask({ ...asked, ask: 'explore' });
  if (mine !== running) return answer;
  if (answer.error) {
    showError(answer.error);
    editor.markError(answer.error);
    return answer;
  }
  await present(answer, asked, { keep, mine });
  return answer;
}

function showError({ kind, message, line, column }) {
  at('message').replaceChildren(html('b', {}, kind), ' ', message, ` (line ${line}, column ${column})`);
  at('message').className = 'error';
}

/** Shows a tape from its first frame or, with `keep`, at the current one. */
async function present(answer, asked, { keep = false, mine = running } = {}) {
  const message = at('message');
  message.className = '';
  message.replaceChildren();
  await take(answer, asked, mine);
  if (mine !== running) return;
  page.at = Math.min(keep ? page.at : start.at, page.frames.length - 1);
  start.at = 0;
  page.chosen = null;
  const odd = firstNotFinite(answer);
  if (odd) message.replaceChildren(`${odd.name} is the first value that is not finite: ${valueText(odd.value)}`);
  if (answer.again) message.replaceChildren(...againText(answer.again));
  show();
}

const withoutNumbers = (program) => program.replace(/[\d.]+/g, '');
function edited(text) {
  if (text === page.program) return;
  if (withoutNumbers(text) !== withoutNumbers(page.program)) page.mistake = null;  // it belongs to its puzzle
  page.program = text;
  page.isForeign = false;
  page.leaves = {};
  showExample();
  clearTimeout(edited.timer);
  edited.timer = setTimeout(run, 250);
}

// ---- showing

const panels = {
  step: () => explain(page.answer, page.frames[page.at]),
  local: () => {
    const operation = page.chosen?.operation ?? page.frames[page.at].operation;
    return operation === undefined
      ? html('p', {}, 'Choose an operation in the drawing, or step to one.')
      : localDerivative(engine.ask, page.asked, page.answer, operation);
  },
  paths: () => {
    const leaves = page.answer.trace.variables.filter((v) => v.kind === 'leaf');
    const leaf = leaves.find((v) => v.id === page.chosen?.variable) ?? leaves[0];
    return leaf ? fanOut(engine.ask, page.asked, page.answer, leaf.id) : html('p', {}, 'There is no leaf.');
  },
  numbers: () =>
    numbersPanel(page.answer, (leaf, values) => {
      page.leaves = { ...page.leaves, [leaf]: values.join(' ') };
      return redraw();
    }),
  check: async () => {
    const { answer, asked } = page;
    return checkPanel(await engine.ask({ ...asked, ask: 'check' }), answer);
  },
  tape: () => tapeTable(),
  cost: async () => costPanel(page.answer, page.frames, page.at, page.asked === null ? null : await engine.ask({ ...page.asked, ask: 'explore', recompute: 1 - page.asked.recompute })),
};

/** Redraws the tape alone: the panel with the numbers stays as it is while one is dragged. */
async function redraw() {
  const [asked, mine] = [question(), running];
  const answer = await engine.ask({ ...asked, ask: 'explore' });
  if (answer.error || mine !== running) return answer;
  await take(answer, asked, mine);
  if (mine !== running) return answer;
  page.at = page.frames.length - 1;
  showGraph();
  return answer;
}

function tapeTable() {
  const { operations, variables } = page.answer.trace;
  const name = (v) => (v === null ? '·' : variables[v].name);
  return html('div', {}, html('h3', {}, 'The tape, as recorded'),
    html('table', {},
      html('tr', {}, ['', 'result', 'operation', 'inputs', 'shape', 'strides', 'saves'].map((t) => html('th', {}, t))),
      operations.map((o, i) => html('tr', {},
        html('td', {}, i + 1), html('td', {}, o.outputs.map(name).join(', ')), html('td', {}, o.name), html('td', {}, o.inputs.map(name).join(', ')),
        html('td', {}, shapeText(variables[o.outputs[0]].shape)),
        html('td', {}, page.answer.variables[o.outputs[0]] ? `(${page.answer.variables[o.outputs[0]].strides.join(', ')})` : ''),
        html('td', {}, o.saved.length ? bytesText(o.saved.reduce((sum, s) => sum + s.bytes, 0)) : '–')))));
}

const ofPrograms = new Set(['local', 'paths', 'numbers', 'check']);
let drawing = 0;
async function showPanel() {
  const mine = ++drawing;
  const isMissing = page.asked === null && ofPrograms.has(page.panel);
  const content = isMissing ? html('p', { class: 'note' }, 'A model recorded this tape. Local derivatives, paths, dragging and checks need a program.') : await panels[page.panel]();
  if (mine === drawing) at('panel').replaceChildren(content);
  for (const button of at('tabs').children) button.setAttribute('aria-selected', String(button.dataset.panel === page.panel));
}

function showGraph() {
  const state = stateAt(page.answer, page.frames, page.at);
  const holder = at('graph');
  const wide = holder.clientWidth;  // read before anything changes, or the browser lays out the page twice
  const focused = document.activeElement?.getAttribute('data-box');  // before its box is redrawn
  page.drawing?.show(state);
  const drawn = page.drawing?.element ?? html('p', { class: 'note' }, page.answer.trace.operations.length ? 'The tape is not drawn.' : 'Nothing is recorded.');
  at('fold').hidden = page.unfolded.size === 0;
  if (page.graph) {  // wide tapes are drawn smaller, down to where text can still be read
    const { width, height } = page.graph;
    const scale = Math.min(1, Math.max(0.62, (wide - 4) / width));
    const [w, h] = [width, height].map((pixels) => String(Math.round(pixels * scale)));
    if (drawn.getAttribute('width') !== w) drawn.setAttribute('width', w);
    if (drawn.getAttribute('height') !== h) drawn.setAttribute('height', h);
  }
  if (holder.firstChild !== drawn) holder.replaceChildren(drawn);
  if (focused) holder.querySelector(`[data-box="${focused}"]`)?.focus({ preventScroll: true });
  const active = holder.querySelector('.active, .target');
  if (active) {
    const box = active.getBoundingClientRect();
    const frame = holder.getBoundingClientRect();
    if (box.left < frame.left || box.right > frame.right) holder.scrollLeft += box.left - frame.left - frame.width / 2;
    if (box.top < frame.top || box.bottom > frame.bottom) holder.scrollTop += box.top - frame.top - frame.height / 2;
  }
  const forward = page.answer.trace.operations.length;
  at('where').textContent = page.at === 0 ? 'leaves' : page.at <= forward ? `forward ${page.at} of ${forward}` : `backward ${page.at - forward} of ${page.frames.length - 1 - forward}`;
  const slider = at('slider');
  slider.max = page.frames.length - 1;
  slider.value = page.at;
  at('held').textContent = `${bytesText([...state.saved.values()].reduce((a, b) => a + b, 0))} saved`;
}

function show() {
  showGraph();
  editor.markRun(page.frames[page.at].place);
  showPanel();
  remember();
}
function remember() {
  const { view, program, dtype, seed, at: frame, panel, mistake, item } = page;
  if (view === 'program') return writeAddress({ program, dtype, seed, at: frame, panel, ...(mistake !== null && { mistake }) });
  writeAddress(view === 'run' ? { view, at: frame, panel } : ofItems.has(view) ? { view, item } : { view });
}

// ---- stepping

function go(to) {
  if (!page.answer) return;
  page.at = Math.max(0, Math.min(to, page.frames.length - 1));
  page.chosen = null;
  show();
}
function stop() {
  clearInterval(page.playing);
  page.playing = null;
  at('play').textContent = 'Play';
}
function play() {
  if (page.playing) return stop();
  if (page.at >= page.frames.length - 1) go(0);
  at('play').textContent = 'Stop';
  page.playing = setInterval(() => {
    go(page.at + 1);
    if (page.at >= page.frames.length - 1) stop();
  }, 700);
}

const keys = { ArrowRight: () => go(page.at + 1), ArrowLeft: () => go(page.at - 1), Home: () => go(0), End: () => go(Infinity), ' ': play };
document.addEventListener('keydown', (event) => {
  const own = event.key === ' ' ? ', button, summary, [role=button]' : '';
  if (event.target.closest(`.cm-editor, input, select, textarea${own}`) || at('program').hidden || event.ctrlKey || event.metaKey || event.altKey) return;
  if (keys[event.key]) {
    event.preventDefault();
    keys[event.key]();
  }
});

at('first').onclick = () => go(0);
at('back').onclick = () => go(page.at - 1);
at('play').onclick = play;
at('next').onclick = () => go(page.at + 1);
at('last').onclick = () => go(Infinity);
at('backward').onclick = () => go(page.answer.trace.operations.length + 1);
at('svg').onclick = () => page.drawing && saveDrawing(page.drawing.element);
at('json').onclick = () => page.answer && saveTape(page.answer);
for (const button of at('languages').children)
  button.onclick = async () => {
    const { language } = button.dataset;
    const answer = await engine.ask({ ...question(), ask: 'source', language });
    if (answer.error) showError(answer.error);
    else saveSource(answer, language);
  };
at('fold').onclick = () => unfold();
at('slider').oninput = (event) => go(Number(event.target.value));
at('again').onchange = (event) => {
  page.again = event.target.checked;
  run({ keep: true });
};
at('retain').onchange = (event) => {
  page.retain = event.target.checked;
  run({ keep: true });
};
at('recompute').onchange = (event) => {
  page.recompute = event.target.checked;
  run({ keep: true });
};
at('dtype').value = page.dtype;
at('dtype').onchange = (event) => {
  page.dtype = event.target.value;
  run({ keep: true });
};
at('seed').value = page.seed;
at('seed').onchange = (event) => {
  page.seed = Math.max(0, Math.floor(Number(event.target.value)) || 0);
  run({ keep: true });
};
for (const button of at('tabs').children)
  button.onclick = () => {
    page.panel = button.dataset.panel;
    show();
  };

addEventListener('hashchange', () => location.reload()); // a link to this page in another state

// ---- exhibits

const ofItems = new Set(['mistakes', 'lessons']);
const lastItem = {}; // of each view: the lesson or puzzle that was shown last
/** Which of a view's items is shown, kept in the address. */
const item = {
  first: (count) => Math.min(page.item, count - 1),
  shown(i) {
    page.item = i;
    lastItem[page.view] = i;
    remember();
  },
};
const views = {
  mistakes: () => mistakesView(engine.ask, openProgram, item),
  lessons: () => lessonsView(engine.ask, (program) => openProgram(program), item),
  moons: () => moonsView(engine.ask, (program) => openProgram(program)),
  names: () => namesView(engine.ask, openTape),
  translation: () => translationView(engine.ask),
  optimizer: () => optimizerView(engine.ask, (program) => openProgram(program)),
};
/** Shows a tape that a model recorded, not a program of the page. */
function openTape(answer, title) {
  if (answer.error) return;
  page.panel = 'step';
  showView('program');
  showForeign(answer, title);
}
function showForeign(answer, title) {
  page.program = `# ${title}`;
  page.mistake = null;
  editor.set(page.program);
  ++running;
  page.isForeign = true;
  showExample();
  present(answer, null);
}
function openProgram(program, mistake = null) {
  Object.assign(page, { program, mistake, leaves: {}, panel: 'step' });
  start.at = 0;
  showView('program');
  editor.set(program);
  showExample();
  run();
}
function showView(view) {
  const wasRun = page.view === 'run';
  page.view = views[view] || (view === 'run' && runOfPage) ? view : 'program';
  const isProgram = !views[page.view];
  for (const button of at('views').children) button.setAttribute('aria-current', String(button.dataset.view === page.view));
  at('program').hidden = !isProgram;
  at('exhibit').hidden = isProgram;
  stop();
  at('exhibit').replaceChildren(...(isProgram ? [] : [views[page.view]()]));
  if (page.view === 'run') return showForeign(runOfPage.answer, runOfPage.title);
  if (isProgram && wasRun) openProgram(examples[0].program);
  remember();
}
for (const button of at('views').children) {
  if (button.dataset.view === 'run') button.hidden = !runOfPage;
  button.onclick = () => {
    page.item = lastItem[button.dataset.view] ?? 0;
    showView(button.dataset.view);
  };
}

// ---- examples

const list = at('examples');
list.append(html('option', { value: -1, hidden: true }, 'a program of your own'), ...examples.map((example, i) => html('option', { value: i }, example.name)));
list.onchange = () => {
  const example = examples[Number(list.value)];
  if (!example) return;
  page.dtype = example.dtype ?? 'f32';
  at('dtype').value = page.dtype;
  page.leaves = {};
  page.mistake = null;
  page.panel = 'step';
  editor.set(example.program);
  showExample();
};
function showExample() {
  const current = examples.findIndex((example) => example.program === page.program);
  list.value = String(current);
  at('look').textContent = page.isForeign ? 'A model recorded this step. Large tensors are shown by shape and norm, or as a heat map of their first 24 rows and columns.'
    : page.mistake !== null ? 'A puzzle: one rule may be wrong here. It stays so while you change numbers; if you change more, all rules are right.' : examples[current]?.look ?? '';
  for (const element of [document.querySelector('.settings'), at('languages')]) element.hidden = page.isForeign === true;
}
showExample();

if (!panels[page.panel]) page.panel = 'step';
const editor = openEditor(at('editor'), page.program, edited);
showView(page.view);
(page.view === 'run' ? engine.ask({ ask: 'mistakes' }) : run()).then(() => document.body.setAttribute('data-ready', ''));
