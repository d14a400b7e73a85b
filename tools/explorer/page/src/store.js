// What the browser keeps between visits. If it cannot keep anything, or what it kept is damaged, the
// page starts without it.

/** @returns {Set<string>} */
export function kept(name) {
  try {
    const list = JSON.parse(localStorage.getItem(name) ?? '[]');
    return new Set(Array.isArray(list) ? list : []);
  } catch {
    return new Set();
  }
}

/** @param {Set<string>} set */
export function keep(name, set) {
  try {
    localStorage.setItem(name, JSON.stringify([...set]));
  } catch {
    // the store is full or blocked: the marks last as long as the page
  }
}
