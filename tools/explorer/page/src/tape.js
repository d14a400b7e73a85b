// The recorded tape as frames: in forward one for each operation, in backward one for each event.
// The state at a frame is a function of the record alone, so a step back gives exactly the state
// that was there before.

/**
 * @typedef {{kind: string, operation?: number, variable?: number, input?: number, event?: any,
 *            sum?: any, bytes?: number, place?: any}} Frame
 */

/** @returns {Frame[]} */
export function framesOf(answer) {
  const { operations, events } = answer.trace;
  const frames = [{ kind: 'leaves' }];
  operations.forEach((_, operation) =>
    frames.push({ kind: 'forward', operation, place: answer.operations[operation] }),
  );
  for (let i = 0; i < events.length; i++) {
    const event = events[i];
    const frame = { ...event, kind: event.event, event };
    if (event.operation !== undefined) frame.place = answer.operations[event.operation];
    const next = events[i + 1];
    if (event.event === 'contribution' && next?.event === 'sum' && next.variable === event.variable) {
      frame.sum = next;
      i++;
    }
    frames.push(frame);
  }
  return frames;
}

/** What is known after frames 0 … at. */
export function stateAt(answer, frames, at) {
  const { variables, operations } = answer.trace;
  const state = {
    known: new Set(variables.filter((v) => v.kind === 'leaf').map((v) => v.id)),
    grads: new Map(), // variable -> value so far
    counts: new Map(),
    handedOver: new Map(), // leaf -> what its grad() grew by
    saved: new Map(), // operation -> bytes that it holds
    done: new Set(), // operations that backward has run
    active: null,
  };
  for (let i = 1; i <= at; i++) {
    const frame = frames[i];
    if (frame.kind === 'forward') {
      operations[frame.operation].outputs.forEach((v) => state.known.add(v));
      const bytes = operations[frame.operation].saved.reduce((sum, s) => sum + s.bytes, 0);
      if (bytes) state.saved.set(frame.operation, bytes);
    } else if (frame.kind === 'start') {
      state.grads.set(frame.variable, frame.event.values[0]);
      state.counts.set(frame.variable, 1);
    } else if (frame.kind === 'operation') {
      state.done.add(frame.operation);
    } else if (frame.kind === 'contribution') {
      state.grads.set(frame.variable, frame.sum ? frame.sum.values[1] : frame.event.values[0]);
      state.counts.set(frame.variable, (state.counts.get(frame.variable) ?? 0) + 1);
    } else if (frame.kind === 'recomputed') {
      state.saved.set(frame.operation, (state.saved.get(frame.operation) ?? 0) + frame.event.bytes);
    } else if (frame.kind === 'freed') {
      state.saved.delete(frame.operation);
    } else if (frame.kind === 'leaf') {
      state.handedOver.set(frame.variable, frame.event.values[0]);
    }
  }
  state.active = frames[at];
  return state;
}

/** The first variable that holds a number which is not finite. */
export function firstNotFinite(answer) {
  return answer.trace.variables.find((v) => v.value?.values?.some((x) => typeof x === 'string'));
}

/** Of each result: the operation that made it, and which of its outputs it is. */
export const makersOf = ({ trace }) =>
  new Map(trace.operations.flatMap((o, operation) => o.outputs.map((v, output) => [v, { operation, output }])));

/** All paths from the loss back to a leaf, each a list of {operation, output, input}; at most `most`. */
export function pathsTo(answer, leaf, most = 64) {
  const { operations, events } = answer.trace;
  const makers = makersOf(answer);
  const paths = [];
  const walk = (variable, path) => {
    if (paths.length >= most) return;
    if (variable === leaf) {
      paths.push(path);
      return;
    }
    const maker = makers.get(variable);
    if (!maker) return;
    operations[maker.operation].inputs.forEach((v, input) => {
      if (v !== null) walk(v, [...path, { ...maker, input }]);
    });
  };
  if (events.length) walk(events[0].variable, []);  // backward begins at the loss
  return paths;
}
