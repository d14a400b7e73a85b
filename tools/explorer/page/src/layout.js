// The layout of a tape: a box for each leaf and each operation, in layers from left to right. The
// engine places the boxes; this file gives their sizes.
import { gridSize } from './grid.js';
import { bytesText, shapeText } from './number.js';

const between = { layers: 44, boxes: 18 };
const margin = 16;

/** The variables that are views of each other's storage: variable -> a number for the storage. */
export function sharedStorages(answer) {
  const users = new Map();
  answer.variables.forEach((layout, v) => layout && users.set(layout.storage, [...(users.get(layout.storage) ?? []), v]));
  const shared = new Map();
  let storages = 0;
  for (const variables of users.values())
    if (variables.length > 1) {
      storages++;
      for (const v of variables) shared.set(v, storages);
    }
  return shared;
}

/** Of a box's parts: the title's height, and the space at the sides. */
export const box = { head: 34, pad: 8 };

const title = (operation, variables) => {
  const names = operation.outputs.map((v) => variables[v].name).join(', ');
  return /^v\d+$/.test(names) ? operation.name : `${names} = ${operation.name}`;
};

/**
 * @typedef {{id: string, text: string, variable: number, operation?: number, size: object,
 *            width: number, height: number, x: number, y: number}} Box
 * @typedef {{operation: number, input: number, points: {x: number, y: number}[]}} Edge
 */

/** @returns {Promise<{width: number, height: number, boxes: Box[], edges: Edge[]}>} */
export async function layoutOf(ask, answer) {
  const { variables, operations } = answer.trace;
  const boxes = [];
  const shared = sharedStorages(answer);
  const maker = new Map(); // variable -> its box
  const put = (id, text, variable, operation) => {
    const size = gridSize(variable.shape, !!variable.value?.values);
    const saved = answer.trace.operations[operation]?.saved.reduce((sum, s) => sum + s.bytes, 0) ?? 0;
    const detail = shapeText(variable.shape).length + (shared.has(variable.id) ? 12 : 0) + (saved ? bytesText(saved).length + 9 : 0);
    const width = Math.max(size.width, text.length * 8 + 8, detail * 5.4, 76) + 2 * box.pad;
    boxes.push({ id, text, variable: variable.id, operation, size, width, height: box.head + 2 * (size.height + 4) + box.pad });
  };
  for (const v of variables)
    if (v.kind === 'leaf') {
      maker.set(v.id, boxes.length);
      put(`v${v.id}`, v.name, v);
    }
  const edges = [];
  operations.forEach((operation, i) => {
    operation.inputs.forEach((v, input) => {
      if (maker.has(v)) edges.push({ operation: i, input, from: maker.get(v), to: boxes.length });
    });
    operation.outputs.forEach((v) => maker.set(v, boxes.length));
    put(`o${i}`, title(operation, variables), variables[operation.outputs[0]], i);
  });
  const found = await ask({ ask: 'layout', gap: String(between.boxes), sizes: boxes.map((b) => b.height).join(' '), arrows: edges.flatMap(({ from, to }) => [from, to]).join(' ') });
  const thickness = new Array(found.layers).fill(0);
  boxes.forEach((b, i) => (thickness[found.layer[i]] = Math.max(thickness[found.layer[i]], b.width)));
  const starts = [];
  thickness.reduce((x, wide, layer) => (starts[layer] = x) + wide + between.layers, margin);
  boxes.forEach((b, i) => {
    b.x = starts[found.layer[i]] + thickness[found.layer[i]] / 2;
    b.y = margin + found.middle[i];
  });
  edges.forEach((edge, i) => {
    const [from, to] = [boxes[edge.from], boxes[edge.to]];
    const bends = found.bends[i].flatMap(([layer, y]) => [{ x: starts[layer], y: y + margin }, { x: starts[layer] + thickness[layer], y: y + margin }]);
    edge.points = [{ x: from.x + from.width / 2, y: from.y }, ...bends, { x: to.x - to.width / 2, y: to.y }];
  });
  const width = found.layers ? starts.at(-1) + thickness.at(-1) + margin : 0;
  return { width, height: found.width + 2 * margin, boxes, edges };
}

/** Two tapes with this in common are drawn at the same places. */
export const skeleton = ({ trace }) =>
  JSON.stringify([trace.operations.map((o) => [o.name, o.inputs, o.outputs]), trace.variables.map((v) => [v.name, v.shape])]);
