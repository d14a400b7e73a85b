// The whole state in the address, so that it can be linked to: program, dtype, seed, frame, panel.

/** @returns {{program?: string, dtype?: string, seed?: number, at?: number, panel?: string}} */
export function readAddress() {
  const fields = new URLSearchParams(location.hash.slice(1));
  const state = {};
  if (fields.has('program')) state.program = fields.get('program');
  if (fields.has('dtype')) state.dtype = fields.get('dtype') === 'f64' ? 'f64' : 'f32';
  for (const key of ['seed', 'at', 'item']) {
    const n = Number(fields.get(key));
    if (fields.has(key) && Number.isInteger(n) && n >= 0 && n < 1e9) state[key] = n;
  }
  for (const key of ['panel', 'view', 'mistake']) if (fields.has(key)) state[key] = fields.get(key);
  return state;
}

export function writeAddress(state) {
  const fields = new URLSearchParams(Object.entries(state).map(([k, v]) => [k, String(v)]));
  history.replaceState(null, '', `#${fields}`);
}
