// The layout of a tape: a box for each leaf and each operation, in layers from left to right. The
// engine places the boxes; this file gives their sizes.
import { gridSize } from './grid.js';
import { bytesText, shapeText } from './number.js';

const between = { layers: 44, boxes: 18 };
const margin = 16;

/** The variables that share a storage: variable -> the storage's number. */
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

/** a … z, a2 … z2, … */
export const storageName = (storage) => 'abcdefghijklmnopqrstuvwxyz'[(storage - 1) % 26] + (storage > 26 ? Math.ceil(storage / 26) : '');

/** Of a box's parts: the title's height, and the space at the sides. */
export const box = { head: 34, pad: 8 };

const title = (operation, variables) => {
  const names = operation.outputs.map((v) => variables[v].name).join(', ');
  return /^v\d+$/.test(names) ? operation.name : `${names} = ${operation.name}`;
};

/**
 * @typedef {{id: string, text: string, variable: number, operations: number[], key?: string,
 *            size: object, width: number, height: number, x: number, y: number}} Box a leaf has no
 *            operations, a folded box has several and a key
 * @typedef {{uses: {operation: number, input: number}[], points: {x: number, y: number}[]}} Edge
 */

/** The leaves that are inputs of one folded box alone: they are drawn with it. */
function hiddenLeaves({ variables, operations }, units) {
  const users = new Map();
  for (const unit of units)
    for (const i of unit.operations) for (const v of operations[i].inputs) users.set(v, (users.get(v) ?? new Set()).add(unit));
  const isHidden = (v) => v.kind === 'leaf' && users.get(v.id)?.size === 1 && [...users.get(v.id)][0].key;
  return new Set(variables.filter(isHidden).map((v) => v.id));
}

/**
 * @param {import('./fold.js').Unit[]} units
 * @returns {Promise<{width: number, height: number, boxes: Box[], edges: Edge[]} | {error: any}>}
 */
export async function layoutOf(ask, answer, units) {
  const { variables, operations } = answer.trace;
  const boxes = [];
  const shared = sharedStorages(answer);
  const maker = new Map(); // variable -> its box
  const put = (id, text, variable, of, key) => {
    const size = gridSize(variable.shape, !!variable.value?.values);
    const saved = of.flatMap((i) => operations[i].saved).reduce((sum, s) => sum + s.bytes, 0);
    const detail = shapeText(variable.shape).length + (shared.has(variable.id) ? 11 + storageName(shared.get(variable.id)).length : 0) + (saved ? bytesText(saved).length + 9 : 0);
    const width = Math.max(size.width, text.length * 8 + 8, detail * 5.4, 76) + 2 * box.pad;
    boxes.push({ id, text, variable: variable.id, operations: of, key, size, width, height: box.head + 2 * (size.height + 4) + box.pad });
  };
  const hidden = hiddenLeaves(answer.trace, units);
  for (const v of variables)
    if (v.kind === 'leaf' && !hidden.has(v.id)) {
      maker.set(v.id, boxes.length);
      put(`v${v.id}`, v.name, v, []);
    }
  const edges = [];
  for (const { operations: of, text, key } of units) {
    const to = boxes.length;
    const into = new Map(); // box -> the edge from it
    for (const i of of) {
      operations[i].inputs.forEach((v, input) => {
        const from = maker.get(v);
        if (from === undefined || from === to) return;
        if (!key || !into.has(from)) {  // a folded box has one edge from each box, others one for each use
          into.set(from, { uses: [], from, to });
          edges.push(into.get(from));
        }
        into.get(from).uses.push({ operation: i, input });
      });
      operations[i].outputs.forEach((v) => maker.set(v, to));
    }
    const last = operations[of.at(-1)];
    put(`o${of[0]}`, text ?? title(last, variables), variables[last.outputs[0]], of, key);
  }
  const found = await ask({ ask: 'layout', gap: String(between.boxes), sizes: boxes.map((b) => b.height).join(' '), arrows: edges.flatMap(({ from, to }) => [from, to]).join(' ') });
  if (found.error) return found;
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
