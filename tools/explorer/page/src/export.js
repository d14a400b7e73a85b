// Saves what is on the screen: the drawing as SVG, the tape as JSON, the program in C++ or Python.
import { html } from './element.js';

function save(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  html('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** With the page's style inside, so that it looks the same anywhere. @param {SVGElement} drawing */
export function saveDrawing(drawing) {
  const copy = drawing.cloneNode(true);
  const style = document.createElementNS(copy.namespaceURI, 'style');
  style.textContent = document.getElementById('sheet').textContent;
  copy.prepend(style);
  save('tape.svg', 'image/svg+xml', new XMLSerializer().serializeToString(copy));
}

export const saveTape = (answer) => save('tape.json', 'application/json', JSON.stringify(answer, null, 1));

/** @param {{source: string}} answer */
export const saveSource = ({ source }, language) =>
  language === 'C++' ? save('program.cpp', 'text/x-c++src', source) : save('program.py', 'text/x-python', source);
