// A training step in WebAssembly against the native engine with portable kernels, one thread: times
// in turn, the best of each side, and the same loss to all digits.
//
//   node speed.mjs NATIVE STEPS.wasm [ROUNDS [SECONDS]]      both made of steps.cpp
import { execFileSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const [native, wasm, rounds = 5, seconds = 0.5] = process.argv.slice(2);
const run = fileURLToPath(new URL('../../tools/explorer/wasm/run.mjs', import.meta.url));
const env = { ...process.env, SLOPE_ISA: 'portable', NODE_NO_WARNINGS: '1' };
const best = { native: new Map(), wasm: new Map() };
const losses = new Map();
for (let round = 0; round < rounds; round++)
  for (const [side, command] of [['native', [native, seconds]], ['wasm', [process.execPath, run, wasm, seconds]]])
    for (const line of execFileSync(command[0], command.slice(1), { encoding: 'utf8', env }).trim().split('\n')) {
      const [name, loss, microseconds] = line.split(' ');
      if ((losses.get(name) ?? loss) !== loss) throw new Error(`${name}: the losses differ: ${losses.get(name)} and ${loss}`);
      losses.set(name, loss);
      best[side].set(name, Math.min(best[side].get(name) ?? Infinity, Number(microseconds)));
    }
for (const [name, loss] of losses) {
  const [there, here] = [best.native.get(name), best.wasm.get(name)];
  console.log(`${name.padEnd(14)} native ${there.toFixed(1).padStart(8)} µs   WebAssembly ${here.toFixed(1).padStart(8)} µs   ratio ${(there / here).toFixed(2)}   loss ${loss} on both`);
}
