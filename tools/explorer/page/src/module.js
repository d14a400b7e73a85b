// Starts the engine's module: questions and answers are JSON.
import { wasi } from './wasi.js';

/**
 * @param {BufferSource | WebAssembly.Module} code
 * @returns {Promise<(question: object) => any>}
 */
export async function startEngine(code) {
  let memory;
  const module = code instanceof WebAssembly.Module ? code : await WebAssembly.compile(code);
  const wanted = WebAssembly.Module.imports(module).map((one) => one.name);
  const all = wasi(() => memory);
  const imports = Object.fromEntries(wanted.map((name) => [name, all[name] ?? (() => 52)]));
  const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: imports });
  const engine = instance.exports;
  memory = engine.memory;
  engine._initialize();
  return (question) => {
    const bytes = new TextEncoder().encode(JSON.stringify(question));
    const room = engine.explorer_room(bytes.length) >>> 0;
    new Uint8Array(memory.buffer, room, bytes.length).set(bytes);
    const length = engine.explorer_ask() >>> 0;
    const text = new Uint8Array(memory.buffer, engine.explorer_text() >>> 0, length);
    return JSON.parse(new TextDecoder().decode(text));
  };
}
