// What the tape holds during both passes: values saved in forward or recomputed in backward, until backward has used them.
import { html, svg } from './element.js';
import { bytesText } from './number.js';

const size = { width: 400, height: 90, foot: 16 };

/** Bytes held after each frame. @returns {number[]} */
export function heldOver(answer, frames) {
  const { operations } = answer.trace;
  const saved = new Map();
  let held = 0;
  const hold = (operation, bytes) => {
    saved.set(operation, (saved.get(operation) ?? 0) + bytes);
    held += bytes;
  };
  return frames.map((frame) => {
    if (frame.kind === 'forward') {
      hold(frame.operation, operations[frame.operation].saved.reduce((sum, s) => sum + s.bytes, 0));
    } else if (frame.kind === 'recomputed') {
      hold(frame.operation, frame.event.bytes);
    } else if (frame.kind === 'freed') {
      held -= saved.get(frame.operation) ?? 0;
      saved.delete(frame.operation);
    }
    return held;
  });
}

export function memoryPlot(answer, frames, at) {
  const held = heldOver(answer, frames);
  const highest = Math.max(0, ...held);
  const most = Math.max(1, highest);
  const x = (i) => (i / Math.max(1, held.length - 1)) * size.width;
  const y = (bytes) => (1 - bytes / most) * (size.height - 2) + 1;
  const line = held.map((bytes, i) => (i ? `H${x(i).toFixed(1)}V${y(bytes).toFixed(1)}` : `M0,${y(bytes).toFixed(1)}`)).join('');
  const turn = x(answer.trace.operations.length);
  return html('figure', {},
    html('figcaption', {}, `What is saved for backward: at most ${bytesText(highest)}, ${held.indexOf(highest) <= answer.trace.operations.length ? 'after forward' : 'in backward, with what is recomputed'}`),
    svg('svg', { viewBox: `0 0 ${size.width} ${size.height + size.foot}`, class: 'memory', role: 'img', 'aria-label': `bytes saved, from 0 to ${most} and back` },
      svg('path', { d: `${line}V${size.height}H0Z`, class: 'held' }),
      svg('line', { x1: x(at), x2: x(at), y1: 0, y2: size.height, class: 'now' }),
      svg('text', { x: 0, y: size.height + 13, class: 'detail' }, 'forward →'),
      svg('text', { x: turn, y: size.height + 13, class: 'detail' }, 'backward →')));
}
