// Numbers and shapes as the page writes them.

/** nan and infinities arrive as strings. @param {number | string} x */
export function numberText(x, digits = 4) {
  if (typeof x === 'string') return x.replace('inf', '∞').replace('-', '−');
  if (x === 0) return '0';
  const size = Math.abs(x);
  const text =
    size >= 1e6 || size < 1e-4 ? x.toExponential(digits - 2) : String(Number(x.toPrecision(digits)));
  return text.replace('e+', 'e').replace(/-/g, '−');
}

/** A number as a term of a sum or a product: −2 in brackets. */
export const termText = (text) => (text.startsWith('−') ? `(${text})` : text);

/** @param {number[]} shape */
export const shapeText = (shape) =>
  shape.length === 0 ? 'scalar' : `(${shape.join(', ')}${shape.length === 1 ? ',' : ''})`;

/** "48 bytes", "1.04 MB" */
export const bytesText = (n) => (n < 10000 ? `${n} bytes` : n < 1e6 ? `${(n / 1e3).toFixed(1)} kB` : `${(n / 1e6).toFixed(2)} MB`);

export const isFiniteNumber = (x) => typeof x === 'number' && Number.isFinite(x);

/** "[0, 2]": where element i of a tensor of this shape stands. */
export function indexText(shape, i) {
  const index = [];
  for (let d = shape.length - 1; d >= 0; d--) {
    index.unshift(i % shape[d]);
    i = Math.floor(i / shape[d]);
  }
  return index.length ? `[${index.join(', ')}]` : '';
}

/** @param {{shape: number[], values?: (number|string)[], norm: number}} value */
export function valueText(value) {
  if (!value.values) return `${shapeText(value.shape)} with norm ${numberText(value.norm)}`;
  if (value.shape.length === 0) return numberText(value.values[0]);
  if (value.values.length > 12) return `${shapeText(value.shape)} with norm ${numberText(value.norm)}`;
  const rows = (shape, values) => {
    if (shape.length <= 1) return `[${values.map((v) => numberText(v)).join(', ')}]`;
    const n = values.length / shape[0];
    return `[${Array.from({ length: shape[0] }, (_, i) =>
      rows(shape.slice(1), values.slice(i * n, (i + 1) * n)),
    ).join(', ')}]`;
  };
  return rows(value.shape, value.values);
}
