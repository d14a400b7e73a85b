// The worker runs the engine and answers each question under its number. Errors that the engine
// reports are answers; an exception means that it is broken; the page ends it and
// starts another at its next question.
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
    self.postMessage({ id: data.id, broken: String(error.message ?? error) });
  }
};
