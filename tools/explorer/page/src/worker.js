// The worker: runs the engine, answers each question under its number.
import { startEngine } from './module.js';

let engine;

self.onmessage = async ({ data }) => {
  try {
    if (data.code) {
      engine = startEngine(data.code);
      await engine;
      self.postMessage({ id: data.id, answer: {} });
      return;
    }
    self.postMessage({ id: data.id, answer: (await engine)(data.question) });
  } catch (error) {
    self.postMessage({
      id: data.id,
      answer: { error: { kind: 'Error', message: String(error.message ?? error), line: 1, column: 1, end: 1 } },
    });
  }
};
