// A large tape, folded: operations of a module that follow one another become one box. They are
// neighbours on the tape, so no arrow between boxes points back.

/** @typedef {{operations: number[], text?: string, key?: string}} Unit a box; with a key, folded */

const partsOf = (operation) => (operation.module ? operation.module.split('.') : []);

/** Runs of neighbours with the same key: [first, end) of each. */
function runs(first, end, keyOf) {
  const found = [];
  for (let i = first; i < end; i++) {
    if (i === first || keyOf(i) !== keyOf(i - 1)) found.push([i, i]);
    found.at(-1)[1] = i + 1;
  }
  return found;
}

/**
 * The boxes when modules at level `depth` are folded; those in `open` are unfolded by one level.
 * @returns {Unit[]}
 */
function unitsAt({ operations }, depth, open) {
  const parts = operations.map(partsOf);
  const units = [];
  const split = (first, end, level) => {
    for (const [a, b] of runs(first, end, (i) => parts[i].slice(0, level).join('.'))) {
      const path = parts[a].slice(0, level).join('.');
      const key = `${path}@${a}:${level}`;
      if (b - a === 1 || parts[a].length < level) for (let i = a; i < b; i++) units.push({ operations: [i] });
      else if (level < depth || open.has(key)) split(a, b, level + 1);
      else units.push({ operations: Array.from({ length: b - a }, (_, i) => a + i), text: path, key });
    }
  };
  split(0, operations.length, 1);
  return units;
}

/** Merges runs of neighbours that are in no module, so that at most `most` boxes are left. */
function chunks(units, most, open) {
  const size = Math.ceil(units.length / most) * 2;
  const merged = [];
  for (let i = 0; i < units.length; ) {
    const isPlain = (unit) => unit && !unit.key;
    let end = i;
    while (end - i < size && isPlain(units[end])) end++;
    const part = units.slice(i, end).flatMap((unit) => unit.operations);
    const key = `@${part[0]}`;
    if (part.length > 1 && !open.has(key)) merged.push({ operations: part, text: `${part.length} operations`, key });
    else merged.push(...(part.length ? units.slice(i, end) : [units[i]]));
    i = Math.max(end, i + 1);
  }
  return merged;
}

/**
 * At most `most` boxes, not counting what `open` adds: as many levels of modules as fit.
 * @param {Set<string>} open keys of boxes to unfold
 * @returns {Unit[]}
 */
export function unitsOf({ trace }, most, open) {
  const n = trace.operations.length;
  if (n <= most) return trace.operations.map((_, i) => ({ operations: [i] }));
  const none = new Set();
  let depth = Math.max(0, ...trace.operations.map((o) => partsOf(o).length));
  let folded = unitsAt(trace, depth, none);
  while (depth > 1 && folded.length > most) folded = unitsAt(trace, --depth, none);
  const units = unitsAt(trace, depth, open);
  return folded.length > most ? chunks(units, most, open) : units;
}
