// The tape as a drawing. Forward runs along the arrows from left to right, backward from right to
// left. A step redraws only what it changes.
import { svg } from './element.js';
import { gridOf } from './grid.js';
import { box, sharedStorages, storageName } from './layout.js';
import { bytesText, numberText, shapeText } from './number.js';

/** Horizontal at both ends, so that parallel arrows stay apart. */
function curve(points) {
  let d = `M${points[0].x.toFixed(1)},${points[0].y.toFixed(1)}`;
  for (let i = 1; i < points.length; i++) {
    const [a, b] = [points[i - 1], points[i]];
    const middle = ((a.x + b.x) / 2).toFixed(1);
    d += a.y === b.y ? `L${b.x.toFixed(1)},${b.y.toFixed(1)}` : `C${middle},${a.y.toFixed(1)} ${middle},${b.y.toFixed(1)} ${b.x.toFixed(1)},${b.y.toFixed(1)}`;
  }
  return d;
}

function stateOfBox({ operations, variable, inside }, state) {
  const { active } = state;
  const isLeaf = operations.length === 0;
  const isActive = isLeaf ? active.kind === 'leaf' && active.variable === variable
    : operations.includes(active.operation) && (active.kind !== 'contribution' || inside.has(active.variable));
  return {
    isKnown: state.known.has(variable),
    grad: state.grads.get(variable),
    saved: operations.reduce((sum, i) => sum + (state.saved.get(i) ?? 0), 0),
    classes: [
      'box',
      isLeaf ? 'leaf' : operations.length > 1 ? 'operation folded' : 'operation',
      state.known.has(variable) ? '' : 'unknown',
      isActive ? 'active' : '',
      (active.variable === variable || inside.has(active.variable)) && active.kind !== 'leaf' ? 'target' : '',
      !isLeaf && operations.every((i) => state.done.has(i)) ? 'done' : '',
    ].filter(Boolean).join(' '),
  };
}

function drawBox(answer, place, now, storage, { choose, unfold }) {
  const { id, text, operations, key, size, width, height, x, y } = place;
  const variable = answer.trace.variables[place.variable];
  const { grad } = now;
  const module = answer.trace.operations[operations[0]]?.module;
  const tip = key ? `${text}: ${operations.length} operations; choose it to unfold them` : module;
  const act = () => (key ? unfold(key) : choose(operations[0], variable.id));
  return svg(
    'g',
    {
      class: now.classes,
      transform: `translate(${(x - width / 2).toFixed(1)},${(y - height / 2).toFixed(1)})`,
      tabindex: 0,
      role: 'button',
      'aria-label': `${text}, ${key ? `${operations.length} operations` : shapeText(variable.shape)}`,
      'data-box': id,
      onclick: act,
      onkeydown: (event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        act();
      },
    },
    svg('rect', { width, height, rx: 5, class: 'frame' }),
    tip && svg('title', {}, tip),
    svg('text', { x: box.pad, y: 16, class: 'title' }, text),
    svg(
      'text',
      { x: box.pad, y: 29, class: 'detail' },
      shapeText(variable.shape),
      storage ? ` · storage ${storageName(storage)}` : '',
      now.saved ? ` · saves ${bytesText(now.saved)}` : '',
    ),
    now.isKnown && gridOf(variable.value, box.pad, box.head, 'value'),
    grad && gridOf(grad, box.pad, box.head + size.height + 4, 'grad'),
    grad && !grad.values && svg('text', { x: box.pad, y: height - 6, class: 'detail grad' }, `norm ${numberText(grad.norm)}`),
  );
}

const marker = (id) =>
  svg(
    'marker',
    { id, viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 10, markerHeight: 10, markerUnits: 'userSpaceOnUse', orient: 'auto' },
    svg('path', { d: 'M0,0L8,4L0,8z' }),
  );

/**
 * `choose(operation, variable)` is called for a box that is clicked, `unfold(key)` for a folded one.
 * @returns {{element: SVGElement, show: (state: object) => void}}
 */
export function drawingOf(answer, graph, actions) {
  const shared = sharedStorages(answer);
  const edges = graph.edges.map((edge) => {
    const forth = curve(edge.points);
    const back = curve([...edge.points].reverse());
    const path = svg('path', {});
    let shown;
    const show = ({ active }) => {
      const isOf = ({ operation }) => active.operation === operation;
      const isBackAlong = (use) => isOf(use) && active.kind === 'contribution' && active.input === use.input;
      const now = edge.uses.some(isBackAlong) ? 'edge back' : active.kind === 'forward' && edge.uses.some(isOf) ? 'edge forth' : 'edge';
      if (now === shown) return;
      shown = now;
      const isBack = now === 'edge back';
      for (const [key, value] of Object.entries({ class: now, d: isBack ? back : forth, 'marker-end': isBack ? 'url(#arrow-back)' : 'url(#arrow)' })) path.setAttribute(key, value);
    };
    return { path, show };
  });
  const boxes = graph.boxes.map((place) => {
    const held = svg('g', {});
    const storage = shared.get(place.variable);
    const inside = new Set(place.operations.flatMap((i) => answer.trace.operations[i].outputs));
    let shown = {};
    const show = (state) => {
      const now = stateOfBox({ ...place, inside }, state);
      if (Object.keys(now).every((key) => now[key] === shown[key])) return;
      shown = now;
      held.replaceChildren(drawBox(answer, place, now, storage, actions));
    };
    return { held, show };
  });
  const { width, height } = graph;
  const element = svg(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, width, height, role: 'group', 'aria-label': 'the tape' },
    svg('defs', {}, marker('arrow'), marker('arrow-back')),
    edges.map((edge) => edge.path),
    boxes.map((place) => place.held),
  );
  return {
    element,
    show(state) {
      for (const edge of edges) edge.show(state);
      for (const place of boxes) place.show(state);
    },
  };
}
