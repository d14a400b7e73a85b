// The points of the two moons by keyboard: a cross that moves, takes up points, adds and removes
// them.
import { numberText } from '../number.js';

const step = 0.05;
const far = 0.1; // a point further from the cross than this is not meant
const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/**
 * @param {{points: () => number[][], span: object, draw: () => void, changed: () => void, say: (text: string) => void}} field
 *   `changed` is called when points move or their number changes, `say` with what a listener should hear
 */
export function pointKeys({ points, span, draw, changed, say }) {
  const cross = [0.5, 0.25];
  let held = null; // a point that moves with the cross
  let last = -1; // the point that the cross was last at

  const clamp = (x, low, high) => Math.min(high, Math.max(low, x));
  const at = () => `(${numberText(Number(cross[0].toFixed(2)))}, ${numberText(Number(cross[1].toFixed(2)))})`;
  const colourOf = (point) => (point[2] > 0.5 ? 'orange' : 'blue');
  const moveTo = ([x, y]) => {
    cross[0] = clamp(x, span.left, span.right);
    cross[1] = clamp(y, span.bottom, span.top);
    if (held) [held[0], held[1]] = cross;
    draw();
  };
  const nearest = () => {
    const away = (point) => Math.hypot(point[0] - cross[0], point[1] - cross[1]);
    const best = points().reduce((a, b) => (a && away(a) <= away(b) ? a : b), null);
    return best && away(best) <= far ? best : null;
  };
  const jump = (by) => {
    const n = points().length;
    if (!n) return say('There are no points.');
    last = last < 0 ? (by > 0 ? 0 : n - 1) : (last + by + n) % n;
    held = null;
    moveTo(points()[last]);
    say(`point ${last + 1} of ${n}, ${colourOf(points()[last])}, at ${at()}`);
  };
  const put = (label) => {
    points().push([...cross, label]);
    say(`a ${label ? 'orange' : 'blue'} point at ${at()}; ${points().length} points`);
    changed();
  };
  const take = () => {
    if (held) {
      held = null;
      say(`put down at ${at()}`);
      return changed();
    }
    held = nearest();
    say(held ? `a ${colourOf(held)} point taken up; move it with the arrow keys` : `there is no point at ${at()}`);
  };
  const remove = () => {
    const point = points().includes(held) ? held : nearest();
    if (!point) return say(`there is no point at ${at()}`);
    points().splice(points().indexOf(point), 1);
    held = null;
    last = -1;
    say(`a ${colourOf(point)} point removed; ${points().length} points`);
    changed();
  };
  const actions = { n: () => jump(1), p: () => jump(-1), b: () => put(0), o: () => put(1), Enter: take, Delete: remove, Backspace: remove };

  return {
    cross: () => cross,
    press(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const arrow = arrows[event.key];
      const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      if (!arrow && !action) return;
      event.preventDefault();
      if (action) return action();
      const size = step * (event.shiftKey ? 5 : 1);
      moveTo([cross[0] + arrow[0] * size, cross[1] + arrow[1] * size]);
      say(held ? `moved to ${at()}` : at());
    },
  };
}
