// The tape as a drawing. Forward runs along the arrows from left to right, backward from right to
// left. A step redraws only what it changes.
import { html, svg } from './element.js';
import { gridOf } from './grid.js';
import { box, sharedStorages } from './layout.js';
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

function stateOfBox({ operation, variable }, state) {
  const { active } = state;
  const isActive = operation === undefined
    ? active.kind === 'leaf' && active.variable === variable
    : active.operation === operation && active.kind !== 'contribution';
  return {
    isKnown: state.known.has(variable),
    grad: state.grads.get(variable),
    saved: operation === undefined ? undefined : state.saved.get(operation),
    classes: [
      'box',
      operation === undefined ? 'leaf' : 'operation',
      state.known.has(variable) ? '' : 'unknown',
      isActive ? 'active' : '',
      active.variable === variable && active.kind !== 'leaf' ? 'target' : '',
      operation !== undefined && state.done.has(operation) ? 'done' : '',
    ].filter(Boolean).join(' '),
  };
}

function drawBox(answer, place, now, storage, choose) {
  const { id, text, operation, size, width, height, x, y } = place;
  const variable = answer.trace.variables[place.variable];
  const { grad } = now;
  return svg(
    'g',
    {
      class: now.classes,
      transform: `translate(${(x - width / 2).toFixed(1)},${(y - height / 2).toFixed(1)})`,
      tabindex: 0,
      role: 'button',
      'aria-label': `${text}, ${shapeText(variable.shape)}`,
      'data-box': id,
      onclick: () => choose(operation, variable.id),
      onkeydown: (event) => {
        if (event.key === 'Enter') choose(operation, variable.id);
      },
    },
    svg('rect', { width, height, rx: 5, class: 'frame' }),
    operation !== undefined && answer.trace.operations[operation].module && svg('title', {}, answer.trace.operations[operation].module),
    svg('text', { x: box.pad, y: 16, class: 'title' }, text),
    svg(
      'text',
      { x: box.pad, y: 29, class: 'detail' },
      shapeText(variable.shape),
      storage ? ` · storage ${'abcdefghijklmnopqrstuvwxyz'[(storage - 1) % 26]}` : '',
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

/** @returns {{element: SVGElement, show: (state: object) => void}} `choose(operation, variable)` is called for a box that is clicked */
export function drawingOf(answer, graph, choose) {
  const shared = sharedStorages(answer);
  const edges = graph.edges.map((edge) => {
    const forth = curve(edge.points);
    const back = curve([...edge.points].reverse());
    const path = svg('path', {});
    let shown;
    const show = ({ active }) => {
      const isOf = active.operation === edge.operation;
      const now = isOf && active.kind === 'contribution' && active.input === edge.input ? 'edge back' : isOf && active.kind === 'forward' ? 'edge forth' : 'edge';
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
    let shown = {};
    const show = (state) => {
      const now = stateOfBox(place, state);
      if (Object.keys(now).every((key) => now[key] === shown[key])) return;
      shown = now;
      held.replaceChildren(drawBox(answer, place, now, storage, choose));
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

/** A graph too large to draw: its operations, counted. */
export function tooLarge(answer) {
  const counts = new Map();
  answer.trace.operations.forEach((o) => counts.set(o.name, (counts.get(o.name) ?? 0) + 1));
  return html('p', { class: 'note' }, `${answer.trace.operations.length} operations are too many to draw: `,
    [...counts].map(([name, n]) => `${n} × ${name}`).join(', '));
}
