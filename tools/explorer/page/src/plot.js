// Curves and histograms on a canvas, in the page's colours.

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function prepare(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = canvas;
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = '11px system-ui, sans-serif';
  return { context, width, height };
}

/** A curve over steps; the vertical axis is logarithmic if all values are positive. */
export function plotCurve(canvas, values, label) {
  const { context, width, height } = prepare(canvas);
  const finite = values.filter((v) => typeof v === 'number' && Number.isFinite(v));
  if (finite.length < 2) return;
  const isPositive = Math.min(...finite) > 0;
  const scale = isPositive ? Math.log10 : (x) => x;
  const low = scale(Math.min(...finite));
  const high = Math.max(scale(Math.max(...finite)), low + 1e-9);
  context.strokeStyle = colour('--accent');
  context.lineWidth = 1.5;
  context.beginPath();
  const every = Math.max(1, Math.floor(values.length / (2 * width)));
  for (let i = 0; i < values.length; i += every) {
    if (typeof values[i] !== 'number') continue;
    context.lineTo((i / (values.length - 1)) * (width - 2) + 1, height - 16 - ((scale(values[i]) - low) / (high - low)) * (height - 32));
  }
  context.stroke();
  context.fillStyle = colour('--quiet');
  context.fillText(`${label}: ${finite.at(-1).toPrecision(4)}`, 4, 11);
  context.fillText(`step ${values.length}`, width - 70, height - 3);
}

/** Bars of counts; `marks`: texts at fractions of the width. */
export function plotBars(canvas, counts, label, name, marks = []) {
  const { context, width, height } = prepare(canvas);
  const most = Math.max(1, ...counts);
  const bar = width / counts.length;
  context.fillStyle = colour(name);
  counts.forEach((n, i) => {
    const h = (n / most) * (height - 26);
    context.fillRect(i * bar, height - 13 - h, bar - 1, h);
  });
  context.fillStyle = colour('--quiet');
  context.fillText(label, 4, 11);
  for (const [at, text] of marks) context.fillText(text, Math.min(at * width, width - 24), height - 2);
}

/** A square map of probabilities: one side's colour through paper (0.5, nan) to the other's. */
export function paintMap(context, map, size, width, height) {
  const parse = (name) => {
    const hex = colour(name).slice(1);
    return [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16));
  };
  const [cold, paper, warm] = ['--cold', '--paper', '--warm'].map(parse);
  const image = new ImageData(size, size);
  map.forEach((p, i) => {
    const side = p < 0.5 ? cold : warm;
    const t = p === 'nan' ? 0 : Math.abs(p - 0.5) * 1.3;
    for (let c = 0; c < 3; c++) image.data[4 * i + c] = paper[c] + t * (side[c] - paper[c]);
    image.data[4 * i + 3] = 255;
  });
  const small = new OffscreenCanvas(size, size);
  small.getContext('2d').putImageData(image, 0, 0);
  context.imageSmoothingEnabled = true;
  context.drawImage(small, 0, 0, width, height);
}

export { colour, prepare };
