// The engine as the page sees it: ask(question) returns a promise of the answer. The module is
// stored compressed in the page and runs in a worker.

/* global WORKER_SOURCE */

/** @returns {Promise<ArrayBuffer>} the module, unpacked */
async function moduleCode() {
  const text = document.getElementById('engine').textContent.trim();
  const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}

const patience = 30000; // milliseconds, for one answer

/**
 * If an answer does not come, the worker is ended, and the next question starts another: the page goes
 * on, but what was being trained is lost.
 * @returns {{ask: (question: object) => Promise<any>}}
 */
export function openEngine() {
  const url = URL.createObjectURL(new Blob([WORKER_SOURCE], { type: 'text/javascript' }));
  const code = moduleCode().then((bytes) => WebAssembly.compile(bytes));
  const error = (message) => ({ error: { kind: 'limit', message, line: 1, column: 1, end: 1 } });
  const start = () => {
    const worker = new Worker(url);
    const waiting = new Map();
    let last = 0;
    let alarm;
    const end = (why) => {
      clearTimeout(alarm);
      worker.terminate();
      engine = { ask: (question) => (engine = start()).ask(question) };  // when it is asked again: it may fail each time
      for (const answer of waiting.values()) answer(error(`the engine ${why}; the next question starts it again`));
    };
    const wait = () => (alarm = setTimeout(() => end(`gave no answer within ${patience / 1000} seconds`), patience));
    worker.onmessage = ({ data }) => {
      if (data.broken) return end(`stopped (${data.broken})`);
      clearTimeout(alarm);
      waiting.get(data.id)?.(data.answer);
      waiting.delete(data.id);
      if (waiting.size) wait();
    };
    const send = (message) =>
      new Promise((resolve) => {
        const id = ++last;
        if (!waiting.size) wait();
        waiting.set(id, resolve);
        worker.postMessage({ id, ...message });
      });
    const ready = code.then((module) => send({ code: module }), (reason) => error(`the engine cannot start: ${reason.message}`));
    return { ask: (question) => ready.then((started) => (started.error ? started : send({ question }))) };
  };
  let engine = start();
  return { ask: (question) => engine.ask(question) };
}
