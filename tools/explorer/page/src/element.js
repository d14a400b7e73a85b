// Elements of HTML and SVG. Text stays text: nothing in a program can become markup.

/** Replaces the children of a node by others, which may be lists or nothing. */
export function replace(node, ...children) {
  node.replaceChildren();
  add(node, children);
}

function add(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    node.append(child instanceof Node ? child : String(child));
  }
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  add(node, children);
  return node;
}

/** @returns {HTMLElement} */
export const html = (name, attributes, ...children) =>
  fill(document.createElement(name), attributes, children);

/** @returns {SVGElement} */
export const svg = (name, attributes, ...children) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
