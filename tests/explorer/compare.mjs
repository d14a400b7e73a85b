// The module answers as the command does: every program, right and wrong, byte for byte where numbers
// are f32; where they are f64, within 1e-12.
//
//   node compare.mjs SLOPE MODULE.wasm
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { startEngine } from '../../tools/explorer/page/src/module.js';

const [slope, modulePath] = process.argv.slice(2);
const here = new URL('.', import.meta.url);
const programs = readFileSync(new URL('programs.txt', here), 'utf8').split(/^== .*\n/m).slice(1);
const wrong = readFileSync(new URL('wrong.txt', here), 'utf8').trim().split('\n').map((line) => line.slice(line.indexOf('|') + 1).replaceAll('\\n', '\n'));
const engine = await startEngine(readFileSync(modulePath));

function native(program, dtype) {
  const options = { input: program, encoding: 'utf8', env: { ...process.env, SLOPE_ISA: 'portable' }, maxBuffer: 1 << 28 };
  try {
    return JSON.parse(execFileSync(slope, ['explore', '--json', '--dtype', dtype, '-'], options));
  } catch (error) {
    return JSON.parse(error.stdout);
  }
}

let faults = 0;
let numbers = 0;
function compare(a, b, dtype, where) {
  if (typeof a === 'number' && typeof b === 'number') {
    numbers++;
    const isClose = dtype === 'f32' ? a === b : Math.abs(a - b) <= 1e-12 * Math.max(1, Math.abs(a));
    if (!isClose && faults++ < 20) console.log(`${where}: ${a} and ${b}`);
  } else if (a && b && typeof a === 'object' && typeof b === 'object') {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) if (key !== 'norm' || dtype === 'f64') compare(a[key], b[key], dtype, `${where}.${key}`);
  } else if (a !== b && faults++ < 20) {
    console.log(`${where}: ${JSON.stringify(a)} and ${JSON.stringify(b)}`);
  }
}

for (const dtype of ['f32', 'f64'])
  for (const program of [...programs, ...wrong]) compare(native(program, dtype), engine({ ask: 'explore', program, dtype }), dtype, `${dtype} ${program.split('\n')[0]}`);
console.log(`${programs.length + wrong.length} programs, ${numbers} numbers${faults ? `, ${faults} differ` : ' as the command gives them'}`);
process.exitCode = faults || numbers < 1000 ? 1 : 0;
