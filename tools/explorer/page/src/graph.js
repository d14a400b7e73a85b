// The tape as a drawing: a box for each leaf and each operation, laid out by dagre from left to
// right; backward runs along the same arrows from right to left.
import dagre from '@dagrejs/dagre';
import { html, svg } from './element.js';
import { gridOf, gridSize } from './grid.js';
import { shapeText } from './number.js';

const head = 34;
const pad = 8;

const title = (operation, variables) => {
  const names = operation.outputs.map((v) => variables[v].name).join(', ');
  return /^v\d+$/.test(names) ? operation.name : `${names} = ${operation.name}`;
};

/** Boxes with their sizes and the edges between them, placed. */
export function layoutOf(answer) {
  const { variables, operations } = answer.trace;
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'LR', nodesep: 18, ranksep: 44, marginx: 16, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  const maker = new Map();
  const box = (id, text, variable) => {
    const size = gridSize(variable.shape, !!variable.value?.values);
    const width = Math.max(size.width, text.length * 8 + 8, 76) + 2 * pad;
    graph.setNode(id, { width, height: head + 2 * (size.height + 4) + pad, text, variable, size });
  };
  for (const v of variables) if (v.kind === 'leaf') box(`v${v.id}`, v.name, v);
  operations.forEach((operation, i) => {
    operation.outputs.forEach((v) => maker.set(v, `o${i}`));
    box(`o${i}`, title(operation, variables), variables[operation.outputs[0]]);
    operation.inputs.forEach((v, input) => {
      if (v !== null)
        graph.setEdge(maker.get(v) ?? `v${v}`, `o${i}`, { operation: i, input, variable: v }, `${i}.${input}`);
    });
  });
  dagre.layout(graph);
  return graph;
}

const line = (points) => points.map((p, i) => `${i ? 'L' : 'M'}${p.x.toFixed(1)},${p.y.toFixed(1)}`).join('');

/** How often each storage is used: those used twice are views of each other. */
function sharedStorages(answer) {
  const uses = new Map();
  answer.variables.forEach((layout) => layout && uses.set(layout.storage, (uses.get(layout.storage) ?? 0) + 1));
  const shared = new Map();
  for (const [storage, count] of uses) if (count > 1) shared.set(storage, shared.size + 1);
  return shared;
}

/** Draws the state; `choose(operation)` is called for a box that is clicked. */
export function drawGraph(answer, graph, state, choose) {
  const { width = 0, height = 0 } = graph.graph();
  const active = state.active;
  const shared = sharedStorages(answer);
  const edges = graph.edges().map((e) => {
    const edge = graph.edge(e);
    const isActive =
      active.kind === 'contribution' && active.operation === edge.operation && active.input === edge.input;
    const isForward = active.kind === 'forward' && active.operation === edge.operation;
    const points = isActive ? [...edge.points].reverse() : edge.points;
    return svg('path', {
      d: line(points),
      class: `edge${isActive ? ' back' : ''}${isForward ? ' forth' : ''}`,
      'marker-end': isActive ? 'url(#arrow-back)' : 'url(#arrow)',
    });
  });
  const boxes = graph.nodes().map((id) => {
    const { x, y, width: w, height: h, text, variable, size } = graph.node(id);
    const operation = id[0] === 'o' ? Number(id.slice(1)) : undefined;
    const isKnown = state.known.has(variable.id);
    const grad = state.grads.get(variable.id);
    const isActive = operation === undefined
      ? active.kind === 'leaf' && active.variable === variable.id
      : active.operation === operation && active.kind !== 'contribution';
    const isTarget = active.variable === variable.id && active.kind !== 'leaf';
    const storage = shared.get(answer.variables[variable.id]?.storage);
    const classes = [
      'box',
      operation === undefined ? 'leaf' : 'operation',
      isKnown ? '' : 'unknown',
      isActive ? 'active' : '',
      isTarget ? 'target' : '',
      operation !== undefined && state.done.has(operation) ? 'done' : '',
    ];
    const saved = operation !== undefined && state.saved.get(operation);
    return svg(
      'g',
      {
        class: classes.filter(Boolean).join(' '),
        transform: `translate(${(x - w / 2).toFixed(1)},${(y - h / 2).toFixed(1)})`,
        tabindex: 0,
        role: 'button',
        'aria-label': `${text}, ${shapeText(variable.shape)}`,
        'data-box': id,
        onclick: () => choose(operation, variable.id),
        onkeydown: (event) => {
          if (event.key === 'Enter') choose(operation, variable.id);
        },
      },
      svg('rect', { width: w, height: h, rx: 5, class: 'frame' }),
      svg('text', { x: pad, y: 16, class: 'title' }, text),
      svg(
        'text',
        { x: pad, y: 29, class: 'detail' },
        shapeText(variable.shape),
        storage ? ` · storage ${'abcdefghijklmnopqrstuvwxyz'[(storage - 1) % 26]}` : '',
        saved ? ` · saves ${saved} B` : '',
      ),
      isKnown && gridOf(variable.value, pad, head, 'value'),
      grad && gridOf(grad, pad, head + size.height + 4, 'grad'),
      grad && !grad.values && svg('text', { x: pad, y: h - 6, class: 'detail grad' }, `norm ${grad.norm}`),
    );
  });
  const marker = (id) =>
    svg(
      'marker',
      { id, viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 10, markerHeight: 10, markerUnits: 'userSpaceOnUse', orient: 'auto' },
      svg('path', { d: 'M0,0L8,4L0,8z' }),
    );
  return svg(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, width, height, role: 'group', 'aria-label': 'the tape' },
    svg('defs', {}, marker('arrow'), marker('arrow-back')),
    edges,
    boxes,
  );
}

/** A graph too large to draw: its operations, counted. */
export function tooLarge(answer) {
  const counts = new Map();
  answer.trace.operations.forEach((o) => counts.set(o.name, (counts.get(o.name) ?? 0) + 1));
  return html('p', { class: 'note' }, `${answer.trace.operations.length} operations are more than are drawn: `,
    [...counts].map(([name, n]) => `${n} × ${name}`).join(', '));
}
