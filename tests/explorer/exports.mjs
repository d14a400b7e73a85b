// Programs that the page saves as C++ and as PyTorch print the numbers that the page shows: in C++
// the same digits, in PyTorch within its own rounding.
//
//   node exports.mjs BUILD      BUILD: that of the preset plain; SLOPE_PYTHON: a Python that has torch (else python3)
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { examples } from '../../tools/explorer/page/src/examples.js';

const build = resolve(process.argv[2]);
const here = new URL('.', import.meta.url);
const parts = readFileSync(new URL('programs.txt', here), 'utf8').split(/^== (.*)\n/m).slice(1);
const programs = examples.map(({ name, program, dtype = 'f32' }) => ({ name, program, dtype }));
for (let i = 0; i < parts.length; i += 2)
  for (const dtype of ['f32', 'f64'])  // dropout draws numbers of its own
    programs.push({ name: parts[i], program: parts[i + 1].replace(' + dropout(x, 0.5)', ''), dtype });

const env = { ...process.env, SLOPE_ISA: 'portable' };
function ask(questions) {
  const text = execFileSync(join(build, 'explorer'), { input: questions.map((q) => JSON.stringify(q)).join('\n') + '\n', encoding: 'utf8', env, maxBuffer: 1 << 30 });
  return text.split('\f').slice(0, -1).map((answer) => JSON.parse(answer));
}
const shown = ask(programs.map((p) => ({ ...p, ask: 'explore' })));
const sources = (language) => ask(programs.map((p) => ({ ...p, ask: 'source', language }))).map(({ source, error }, i) => {
  if (error) throw new Error(`${programs[i].name}: ${error.message}`);
  return source;
});

/** "L = 1 2" and "x.grad = 3 4" as the page shows them. */
function expected({ trace }) {
  const { variables, events } = trace;
  const grads = new Map(events.filter((e) => e.event === 'leaf').map((e) => [e.variable, e.values[0].values]));
  const lines = new Map([[null, variables[events[0].variable].value.values]]);
  for (const v of variables) if (v.kind === 'leaf') lines.set(`${v.name}.grad`, grads.get(v.id));
  return lines;
}
let faults = 0;
let numbers = 0;
function compare(i, language, text, isNear) {
  const printed = new Map(text.trim().split('\n').map((line) => line.split(' = ')));
  for (const [name, values] of expected(shown[i])) {
    const found = (name ? printed.get(name) : [...printed.values()][0]).split(' ').map(Number);
    const isSame = found.length === values.length && values.every((x, k) => (typeof x === 'string' ? Number.isNaN(found[k]) || !Number.isFinite(found[k]) : isNear(found[k], x)));
    numbers += values.length;
    if (!isSame && faults++ < 20) console.log(`${programs[i].name} ${programs[i].dtype} in ${language}: ${name ?? 'the last value'}: ${found} printed, ${values} shown`);
  }
}

const folder = mkdtempSync(join(tmpdir(), 'explorer-'));
try {
  const cpp = sources('C++');
  // one program of all, which is one compilation: each in a namespace, whose headers are included before
  const headers = [...new Set(cpp.flatMap((source) => source.match(/^#include .*/gm)))].join('\n');
  const parted = cpp.map((source, i) => `namespace program${i} {\n${source.replace(/^#include .*/gm, '').replace('int main()', 'void run()')}}\n`).join('');
  const calls = cpp.map((_, i) => `  program${i}::run();\n  std::puts("--");\n`).join('');
  const path = join(folder, 'programs.cpp');
  writeFileSync(path, `${headers}\n${parted}int main() {\n${calls}}\n`);
  const program = join(folder, 'programs');
  execFileSync(process.env.CXX ?? 'c++', ['-std=c++20', '-DSLOPE_PLAIN', `-I${build}/include`, path, join(build, 'libslope.a'), '-lfmt', '-o', program], { stdio: 'inherit' });
  const printed = execFileSync(program, { encoding: 'utf8', env }).split('--\n');
  cpp.forEach((_, i) => compare(i, 'C++', printed[i], (a, b) => a === (programs[i].dtype === 'f32' ? Number(b.toPrecision(9)) : b)));
  console.log(`C++: ${cpp.length} programs, ${numbers} numbers`);

  numbers = 0;
  const python = process.env.SLOPE_PYTHON ?? 'python3';
  if (spawnSync(python, ['-c', 'import torch']).status !== 0) {
    console.log(`PyTorch: skipped: ${python} has no torch`);
  } else {
    const all = sources('PyTorch').map((source) => `exec(${JSON.stringify(source)}, {})\nprint("--")\n`).join('');
    const out = execFileSync(python, ['-'], { input: all, encoding: 'utf8', maxBuffer: 1 << 28 }).split('--\n');
    programs.forEach(({ dtype }, i) => {
      const largest = Math.max(1, ...[...expected(shown[i]).values()].flat().map((x) => (typeof x === 'number' ? Math.abs(x) : 0)));
      compare(i, 'PyTorch', out[i], (a, b) => Math.abs(a - b) <= (dtype === 'f32' ? 2e-5 : 1e-12) * largest);
    });
    console.log(`PyTorch: ${programs.length} programs, ${numbers} numbers`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
console.log(faults ? `${faults} differ` : 'what is saved prints what is shown');
process.exitCode = faults ? 1 : 0;
