// The engine as the page sees it: ask(question) gives a promise of the answer. The module stands
// compressed in the page and runs in a worker.

/* global WORKER_SOURCE */

/** @returns {Promise<ArrayBuffer>} the module, unpacked */
async function moduleCode() {
  const text = document.getElementById('engine').textContent.trim();
  const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}

/** @returns {{ask: (question: object) => Promise<any>, ready: Promise<any>}} */
export function openEngine() {
  const url = URL.createObjectURL(new Blob([WORKER_SOURCE], { type: 'text/javascript' }));
  const worker = new Worker(url);
  const waiting = new Map();
  let last = 0;
  worker.onmessage = ({ data }) => {
    waiting.get(data.id)?.(data.answer);
    waiting.delete(data.id);
  };
  const send = (message, transfer = []) =>
    new Promise((resolve) => {
      const id = ++last;
      waiting.set(id, resolve);
      worker.postMessage({ id, ...message }, transfer);
    });
  const ready = moduleCode().then((code) => send({ code }, [code]));
  return { ready, ask: (question) => ready.then(() => send({ question })) };
}
