// A tensor as a picture in SVG: numbers where there are few, else a heat map.
import { svg } from './element.js';
import { numberText } from './number.js';

const cell = { width: 52, height: 18 };
const most = { columns: 6, rows: 6, heat: 24 };

/** rows and columns: the last dim across, all others down */
function sides(shape) {
  const columns = shape.length ? shape[shape.length - 1] : 1;
  const rows = shape.slice(0, -1).reduce((a, b) => a * b, 1);
  return { rows, columns };
}

/** The size that gridOf() takes, in pixels. */
export function gridSize(shape, hasValues) {
  const { rows, columns } = sides(shape);
  if (!hasValues || rows * columns === 0) return { width: 40, height: 0 };
  if (rows <= most.rows && columns <= most.columns)
    return { width: columns * cell.width, height: rows * cell.height };
  return {
    width: Math.min(columns, most.heat) * 8,
    height: Math.min(rows, most.heat) * 8,
  };
}

/** @param {number} x of −1 … 1 */
const tint = (x) => (x < 0 ? 'cold' : 'warm');

export function gridOf(value, x0, y0, className) {
  const group = svg('g', { class: className, transform: `translate(${x0},${y0})` });
  if (!value?.values) return group;
  const { rows, columns } = sides(value.shape);
  const numbers = value.values;
  const largest = Math.max(1e-30, ...numbers.filter((v) => typeof v === 'number').map(Math.abs));
  const isSmall = rows <= most.rows && columns <= most.columns;
  const width = isSmall ? cell.width : 8;
  const height = isSmall ? cell.height : 8;
  for (let r = 0; r < Math.min(rows, isSmall ? rows : most.heat); r++)
    for (let c = 0; c < Math.min(columns, isSmall ? columns : most.heat); c++) {
      const v = numbers[r * columns + c];
      const isNumber = typeof v === 'number';
      group.append(
        svg('rect', {
          x: c * width,
          y: r * height,
          width: width - 1,
          height: height - 1,
          class: isNumber ? tint(v) : 'odd',
          'fill-opacity': isNumber ? (0.08 + 0.62 * (Math.abs(v) / largest)).toFixed(3) : 0.9,
        }),
      );
      if (isSmall)
        group.append(
          svg(
            'text',
            { x: c * width + width / 2, y: r * height + 13, class: 'number' },
            numberText(v, 3),
          ),
        );
    }
  return group;
}
