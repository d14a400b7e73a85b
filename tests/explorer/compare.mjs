// The module answers as the native engine does, for every program, right and wrong: f32 to the bit,
// f64 within 1e-12.
//
//   node compare.mjs NATIVE MODULE.wasm      NATIVE: the program `explorer` of a plain build
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { startEngine } from '../../tools/explorer/page/src/module.js';
import { examples } from '../../tools/explorer/page/src/examples.js';
import { lessons } from '../../tools/explorer/page/src/views/course.js';
import { inventedNames } from '../../tools/explorer/page/src/views/invented.js';
import { puzzles } from '../../tools/explorer/page/src/views/puzzles.js';

const page = new URL('../../tools/explorer/page/', import.meta.url);
const [native, modulePath] = process.argv.slice(2);
const here = new URL('.', import.meta.url);
const programs = readFileSync(new URL('programs.txt', here), 'utf8').split(/^== .*\n/m).slice(1);
const wrong = readFileSync(new URL('wrong.txt', here), 'utf8').trim().split('\n').map((line) => line.slice(line.indexOf('|') + 1).replaceAll('\\n', '\n'));

const questions = [];
for (const dtype of ['f32', 'f64'])
  for (const program of [...programs, ...wrong, ...examples.map((e) => e.program)]) questions.push({ ask: 'explore', program, dtype });
for (const program of programs) {
  questions.push({ ask: 'explore', program, dtype: 'f32', recompute: 0, again: 1, retain_graph: 1 });
  for (const language of ['C++', 'PyTorch']) questions.push({ ask: 'source', program, language, dtype: 'f32' });
}
for (const { program, mistake = '' } of puzzles) questions.push({ ask: 'explore', program, mistake, dtype: 'f32' }, { ask: 'check', program, mistake, dtype: 'f64' });
for (const program of programs) for (const operation of [0, 1, 2]) questions.push({ ask: 'jacobian', program, operation, dtype: 'f32' });
questions.push({ ask: 'jacobian', program: 'x = [2, 5]\na, b = unbind(x)\nL = a * b', operation: 0, output: 1, dtype: 'f32' });
questions.push({ ask: 'jacobian', program: 'x = []\nL = sum(x * 2)', operation: 0, dtype: 'f32' }, { ask: 'jacobian', program: 'x = []\nL = sum(x * 2)', operation: 1, dtype: 'f32' });
questions.push({ ask: 'moons', do: 'points', n: 60, seed: 3 });
questions.push({ ask: 'moons', do: 'start', points: '0 0 0 1 1 1 -1 0.5 0 0.5 -0.5 1', depth: 3, hidden: 8, lr: '0.5' });
questions.push({ ask: 'moons', do: 'train', steps: 300 }, { ask: 'moons', do: 'map', size: 12, span: '-2 2 -2 2' }, { ask: 'moons', do: 'program', batch: 3 });
questions.push({ ask: 'moons', do: 'start', points: '0 0 0 1 1 1', depth: 2, lr: '1e30', activation: 'relu' });  // ends in nan
questions.push({ ask: 'moons', do: 'train', steps: 20 }, { ask: 'moons', do: 'map', size: 4, span: '-2 2 -2 2' }, { ask: 'moons', do: 'program', batch: 3 });

questions.push({ ask: 'names', do: 'start', names: inventedNames(100).join(' '), steps: 300 }, { ask: 'names', do: 'train', steps: 300 });
questions.push({ ask: 'names', do: 'sample', count: 20, temperature: '0.8' }, { ask: 'names', do: 'look', name: 'emma', position: 2 }, { ask: 'names', do: 'trace', name: 'emma' });
for (const optimizer of ['sgd', 'momentum', 'adamw']) questions.push({ ask: 'optimizer', program: 'x = [2, -1]\nL = sum(x ^ 4 - 3 * x ^ 2 + x)', optimizer, lr: '0.05', clip: '3', steps: 40 });
questions.push({ ask: 'optimizer', program: '' });
for (const { program, exercises } of lessons) for (const p of [program, ...exercises.map((e) => e.program)]) questions.push({ ask: 'explore', program: p, dtype: 'f64' });

questions.push({ ask: 'layout', sizes: '20 30 40 50 30', arrows: '0 2 1 2 2 3 0 4 3 4' }, { ask: 'layout', sizes: '1 1', arrows: '1 0' });
const model = JSON.parse(readFileSync(new URL('translation/config.json', page)));
const lines = (name) => readFileSync(new URL(`translation/${name}`, page), 'utf8').trimEnd().split('\n').length;
questions.push({ ask: 'translation', do: 'load', model: readFileSync(new URL('translation/model.safetensors', page)).toString('base64'), source_vocab: lines('source.vocab'), target_vocab: lines('target.vocab'),
  ...Object.fromEntries(Object.entries(model).filter(([key]) => /^d_|^n_|^max_len$/.test(key))) });
questions.push({ ask: 'translation', do: 'write', tokens: '2 14 8 30 5 4 3' }, { ask: 'translation', do: 'write', tokens: '2 3' }, { ask: 'translation', do: 'write', tokens: '2 999 3' });

const text = execFileSync(native, { input: questions.map((q) => JSON.stringify(q)).join('\n') + '\n', encoding: 'utf8', env: { ...process.env, SLOPE_ISA: 'portable' }, maxBuffer: 1 << 30 });
const answers = text.split('\f').map((answer) => answer && JSON.parse(answer));
const engine = await startEngine(readFileSync(modulePath));

let faults = 0;
let numbers = 0;
function compare(a, b, isExact, where) {
  if (typeof a === 'number' && typeof b === 'number') {
    numbers++;
    const isSame = isExact ? a === b : Math.abs(a - b) <= 1e-12 * Math.max(1, Math.abs(a));
    if (!isSame && faults++ < 20) console.log(`${where}: ${a} natively, ${b} in the module`);
  } else if (a && b && typeof a === 'object' && typeof b === 'object') {
    // a norm is summed in f64; what a check prints of differences has rounding of its own
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) compare(a[key], b[key], isExact && key !== 'norm', `${where}.${key}`);
  } else if (a !== b && faults++ < 20) {
    console.log(`${where}: ${JSON.stringify(a)} natively, ${JSON.stringify(b)} in the module`);
  }
}
questions.forEach((question, i) => {
  const answer = engine(question);
  const where = `${question.ask} ${question.dtype ?? ''} ${(question.program ?? question.do ?? '').split('\n')[0]}`;
  // how much is in use, and how much there is, is each build's own
  if ([answers[i], answer].every((a) => /out of memory|the program holds/.test(a.error?.message))) return;
  if (question.ask === 'check') {
    for (const key of ['ok', 'checked', 'failed', 'unchecked']) compare(answers[i][key], answer[key], true, where);
    compare(answers[i].culprits?.map((c) => c.op), answer.culprits?.map((c) => c.op), true, where);
  } else compare(answers[i], answer, question.dtype !== 'f64' && question.ask !== 'optimizer', where);
});
console.log(`${questions.length} questions, ${numbers} numbers: ${faults ? `${faults} differ` : 'the module answers as the native engine'}`);
process.exitCode = faults || numbers < 10000 ? 1 : 0;
