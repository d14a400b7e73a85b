// What the module answers, and what the page computes from answers, without a browser.
//
//   EXPLORER_MODULE=explorer.wasm node --test answers_test.mjs
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { test } from 'node:test';
import { multiplications } from '../../tools/explorer/page/src/cost.js';
import { startEngine } from '../../tools/explorer/page/src/module.js';
import { pathsTo } from '../../tools/explorer/page/src/tape.js';

const ask = await startEngine(readFileSync(process.env.EXPLORER_MODULE));

test('a Jacobian of each output', () => {
  const program = 'x = [2, 5]\na, b = unbind(x)\nL = a * b';
  const rows = [0, 1].map((output) => ask({ ask: 'jacobian', program, dtype: 'f64', operation: 0, output, input: 0 }).rows);
  assert.deepEqual(rows, [[[1, 0]], [[0, 1]]]);
  assert.equal(ask({ ask: 'jacobian', program, dtype: 'f64', operation: 0, output: 2, input: 0 }).error.kind, 'IndexError');
});

test('paths begin at the loss, whichever output it is', () => {
  const answer = ask({ ask: 'explore', program: 'x = [2, 5]\nL = unbind(x * 3)[1]', dtype: 'f64' });
  const leaf = answer.trace.variables.find((v) => v.kind === 'leaf').id;
  assert.deepEqual(pathsTo(answer, leaf), [[{ operation: 1, output: 1, input: 0 }, { operation: 0, output: 0, input: 0 }]]);
});

test('a large Jacobian takes no more than its own numbers', () => {
  const { rows } = ask({ ask: 'jacobian', program: 'x = 2\nL = sum(expand(x, [4096]))', dtype: 'f32', operation: 0, input: 0 });
  assert.equal(rows.length, 4096);
  assert.ok(rows.every((row) => row.length === 1 && row[0] === 1));
});

test('an optimizer’s steps have a limit on their numbers', () => {
  const question = { ask: 'optimizer', program: 'x = zeros(100, 100)\nL = sum((x - 1) ^ 2)' };
  assert.equal(ask({ ...question, steps: 20 }).steps.length, 20);
  const { error } = ask({ ...question, steps: 21 });
  assert.deepEqual([error.kind, error.message.split(' are more')[0]], ['limit', '21 steps of 10000 numbers']);
});

test('a planted mistake leaves the forward pass as it is', () => {
  const { trace } = ask({ ask: 'explore', program: 'z = [[1, 2], [3, 4]]\nL = sum(mean(z, dim=0))', mistake: 'mean for sum', dtype: 'f64' });
  assert.deepEqual(trace.variables.find((v) => v.name === 'L').value.values, [5]);
  assert.deepEqual(trace.events.find((e) => e.event === 'leaf').values[0].values, [0.5, 0.5, 0.5, 0.5]);
});

test('the multiplications of products with a vector', () => {
  const product = (inputs, shapes) => multiplications({ name: 'matmul', outputs: [0], inputs }, shapes.map((shape) => ({ shape })));
  assert.deepEqual(product([null, 1], [[5], [3]]), { forward: 15, backward: 15 }); // a constant matrix
  assert.deepEqual(product([1, 2], [[5], [5, 3], [3]]), { forward: 15, backward: 30 });
  assert.deepEqual(product([null, 1], [[5, 4], [3, 4]]), { forward: 60, backward: 60 });
});
