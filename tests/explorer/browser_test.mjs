// The page in a real browser: every exhibit, programs right and wrong, the keyboard alone, a narrow
// screen; no request leaves it, nothing is written to the console.
//
//   EXPLORER_PAGE=explorer.html EXPLORER_MODULE=explorer.wasm EXPLORER_LIBRARIES=FOLDER node --test browser_test.mjs
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { examples } from '../../tools/explorer/page/src/examples.js';
import { lessons } from '../../tools/explorer/page/src/views/course.js';
import { solution } from '../../tools/explorer/page/src/views/lessons.js';
import { storageName } from '../../tools/explorer/page/src/layout.js';
import { startEngine } from '../../tools/explorer/page/src/module.js';
import { puzzles } from '../../tools/explorer/page/src/views/puzzles.js';

const { chromium } = createRequire(`${resolve(process.env.EXPLORER_LIBRARIES)}/package.json`)('playwright-core');
const url = pathToFileURL(resolve(process.env.EXPLORER_PAGE)).href;
const wrong = readFileSync(new URL('wrong.txt', import.meta.url), 'utf8').trim().split('\n').map((line) => {
  const [place, program] = [line.slice(0, line.indexOf('|')), line.slice(line.indexOf('|') + 1).replaceAll('\\n', '\n')];
  const [row, column, kind, ...says] = place.split(':');
  return { row, column, kind, says: says.join(':'), program };
});

// the same module, in Node: what the exercises ask for
const engine = startEngine(readFileSync(process.env.EXPLORER_MODULE)).then((ask) => async (question) => ask(question));

let browser;
const noise = [];
before(async () => {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
});
after(() => browser.close());

async function open(state = {}, options = {}, at = url) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
  page.on('console', (message) => noise.push(message.text()));
  page.on('pageerror', (error) => noise.push(error.message));
  page.on('dialog', (dialog) => noise.push(`a dialog: ${dialog.message()}`) && dialog.dismiss());
  page.on('request', (request) => {
    if (!/^(file|blob):/.test(request.url())) noise.push(`a request: ${request.url()}`);
  });
  await page.goto(`${at}#${new URLSearchParams(state)}`);
  await page.waitForSelector('[data-ready]', { timeout: 60000 });
  return page;
}
const quiet = () => assert.deepEqual(noise.splice(0), []);
const text = (page, selector) => page.locator(selector).innerText();
// All texts at one instant: a locator first finds the elements and reads them afterwards, when the page may
// have replaced them; the innerText of an element that is no longer shown has no tabs between its cells.
const texts = (page, selector) => page.evaluate((all) => [...document.querySelectorAll(all)].map((element) => element.innerText), selector);
const settled = (page) => page.waitForFunction(() => document.getElementById('panel').childElementCount > 0);

test('steps to the end and back leave the page as it was, in every example', async () => {
  for (const { program, dtype = 'f32' } of examples) {
    const page = await open({ program, dtype });
    const look = () => page.evaluate(() => [document.getElementById('graph').innerHTML, document.getElementById('panel').innerHTML, document.getElementById('where').textContent]);
    await settled(page);
    const seen = [await look()];
    const frames = Number(await page.locator('#slider').getAttribute('max'));
    const steps = Math.min(frames, 60);
    for (let i = 0; i < steps; i++) {
      await page.keyboard.press('ArrowRight');
      seen.push(await look());
    }
    for (let i = steps - 1; i >= 0; i--) {
      await page.keyboard.press('ArrowLeft');
      assert.deepEqual(await look(), seen[i]);
    }
    assert.equal(new Set(seen.map(String)).size, seen.length, 'each step shows something else');
    quiet();
    await page.close();
  }
});

test('a sum shows before + contribution = after', async () => {
  const page = await open({ program: 'x = 3\ny = x * x + x', dtype: 'f64' });
  const sums = [];
  for (let i = 0; i < 30; i++) {
    await page.keyboard.press('ArrowRight');
    const parts = await page.evaluate(() => ['.before', '.plus', '.after'].map((c) => document.querySelector(`#panel ${c}`)?.textContent));
    if (parts[0]) sums.push(parts.map(Number));
  }
  assert.equal(sums.length, 2);
  for (const [a, b, c] of sums) assert.equal(a + b, c);
  assert.equal(sums[1][2], 7);
  quiet();
  await page.close();
});

test('the panels of every example', async () => {
  for (const { name, program, dtype = 'f32' } of examples) {
    const page = await open({ program, dtype, at: 100 });
    for (const panel of ['step', 'local', 'paths', 'numbers', 'check', 'tape', 'cost']) {
      await page.click(`[data-panel=${panel}]`);
      await page.waitForFunction((p) => document.querySelector(`[data-panel=${p}]`).getAttribute('aria-selected') === 'true', panel);
      await page.waitForFunction(() => document.getElementById('panel').innerText.length > 20);
      if (name !== 'Not a number') assert.equal(await page.locator('#panel .error').count(), 0, `${name}: ${panel}`);
    }
    quiet();
    await page.close();
  }
});

test('paths add up to the gradient of the engine', async () => {
  const page = await open({ program: 'x = 3\ny = x * x + sin(x) + x', dtype: 'f64', panel: 'paths' });
  await page.waitForSelector('#panel .paths');
  assert.equal(await page.locator('#panel .paths tr').count(), 4);
  const [sum, engine] = await texts(page, '#panel .equation b');
  assert.equal(sum, engine);
  quiet();
  await page.close();
});

test('paths through an operation with two outputs add up, and one is lost in a wrong order', async () => {
  const page = await open({ program: 'x = [2, 5]\na, b = unbind(x)\nL = a * b', dtype: 'f64', panel: 'paths' });
  await page.waitForSelector('#panel .paths');
  assert.deepEqual((await texts(page, '#panel .equation b')).slice(0, 2), ['[5, 2]', '[5, 2]']);
  await page.click('#panel label');
  assert.equal(await text(page, '#panel p.lost b'), '[5, 0]');
  await page.locator('[data-box=o0]').press('Enter');
  await page.click('[data-panel=local]');
  await page.locator('#panel h4').nth(1).waitFor();
  assert.deepEqual((await texts(page, '#panel h4')).map((label) => label.split(' scalar')[0]), ['da / dx', 'db / dx']);
  quiet();
  await page.close();
  const { name, program, dtype } = examples.find((example) => example.program.includes('unbind'));
  const other = await open({ program, dtype, panel: 'paths' });
  await other.waitForSelector('#panel .paths');
  const [sum, engine] = await texts(other, '#panel .equation b');
  assert.equal(sum, engine, name);
  quiet();
  await other.close();
});

test('in a wrong order paths are lost, and the gradient with them', async () => {
  const page = await open({ program: 'x = 2\na = x * x\nb = a * 5\nL = a * b', dtype: 'f64', panel: 'paths' });
  await page.waitForSelector('#panel .paths');
  assert.equal(await page.locator('#panel .equation b').nth(1).innerText(), '160');
  await page.click('#panel label');
  assert.equal(await page.locator('#panel tr.lost').count(), 2);
  assert.equal(await page.locator('#panel p.lost b').innerText(), '80');
  quiet();
  await page.close();
});

test('the bytes that are saved rise in forward and are all given back', async () => {
  const page = await open({ program: 'x = [1, 2, 3]\nL = sum(tanh(exp(x)))', panel: 'cost' });
  await page.waitForSelector('#panel .memory');
  assert.match(await text(page, '#panel figcaption'), /at most 24 bytes/);
  await page.click('#last');
  assert.equal(await text(page, '#held'), '0 bytes saved');
  quiet();
  await page.close();
  const one = await open({ program: 'x = 3\ny = x * x', panel: 'cost' });
  await one.waitForSelector('#panel .memory');
  assert.match(await text(one, '#panel figcaption'), /, after forward$/);
  quiet();
  await one.close();
});

test('the cost of a step: multiplications in both passes, and saving against recomputing by a switch', async () => {
  const page = await open({ program: 'x = randn(5, 3)\nw = randn(4, 3)\nu = randn(4, 4)\nv = randn(2, 4)\nh = linear(const(x), w)\nk = linear(gelu(h), u)\nL = sum(linear(gelu(k), v))', panel: 'cost' });
  await page.waitForSelector('#panel .other');
  // 5 · 4 · 3, 5 · 4 · 4 and 5 · 2 · 4; backward once for w, twice for the other products
  assert.deepEqual(await texts(page, '#panel b.forward-cost, #panel b.backward-cost'), ['180', '300']);
  const costs = async () => (await text(page, '#panel')).match(/saved: at most (\d+) bytes; (\d) outputs? (?:is|are) computed again in backward\. With recomputing switched the other way: (\d+) bytes; (\d)/).slice(1).map(Number);
  const [bytes, again, otherBytes, otherAgain] = await costs();
  const seen = await page.evaluate(() => document.getElementById('graph').textContent.replace(/saves \d+ bytes/g, ''));
  assert.ok(bytes < otherBytes && again === 2 && otherAgain === 0, String(await costs()));
  await page.uncheck('#recompute');
  await page.waitForFunction(() => /saved: at most \d+ bytes; 0 /.test(document.getElementById('panel').innerText));
  assert.deepEqual(await costs(), [otherBytes, otherAgain, bytes, again]);
  await page.click('#first');
  assert.equal(await page.evaluate(() => document.getElementById('graph').textContent.replace(/saves \d+ bytes/g, '')), seen);
  quiet();
  await page.close();
});

test('a number that is moved changes the loss as its gradient predicts', async () => {
  const page = await open({ program: 'x = 2\nL = x ^ 2', dtype: 'f64', panel: 'numbers' });
  await page.fill('#panel input', '2.001');
  await page.waitForFunction(() => document.querySelector('#panel .equation').textContent.includes('measured'));
  assert.match(await text(page, '#panel .equation'), /predicts ΔL = 0\.004, measured 0\.004001/);
  quiet();
  await page.close();
});

test('backward twice gets the engine’s message, or doubles the gradients if the graph is retained', async () => {
  const page = await open({ program: 'x = 2\nL = x ^ 2' });
  await page.check('#again');
  await page.waitForFunction(() => document.getElementById('message').textContent.includes('retain_graph'));
  await page.check('#retain');
  await page.waitForFunction(() => document.getElementById('message').textContent.endsWith('x.grad = 8'));
  quiet();
  await page.close();
});

test('wrong programs are told where, and the page lives on', async () => {
  const page = await open({ program: 'x = 1\ny = x * 2' });
  for (const { row, column, kind, says, program } of wrong) {
    await page.locator('.cm-content').fill(program);
    await page.waitForFunction(([k, r, c, s]) => {
      const message = document.getElementById('message').textContent;
      return message.startsWith(k) && message.includes(s) && message.endsWith(`(line ${r}, column ${c})`);
    }, [kind, row, column, says], { timeout: 20000 });
  }
  await page.locator('.cm-content').fill('x = 3\ny = x * x');
  await page.waitForFunction(() => document.getElementById('message').textContent === '' && document.querySelector('#graph svg'));
  quiet();
  await page.close();
});

test('the planted mistakes: the ten are found, the four are not', async () => {
  const operation = { sign: 'sin', factor: 'exp', 'tanh of x': 'tanh', 'mean for sum': 'mean', softmax: 'softmax', transposed: 'matmul', 'layer norm': 'layer_norm', broadcast: 'add', overwritten: 'mul', detached: 'relu' };
  const page = await open({ view: 'mistakes' });
  for (const [i, puzzle] of puzzles.entries()) {
    await page.locator('.list button').nth(i).click();
    await page.waitForFunction((name) => document.querySelector('.stage h2')?.textContent === name, puzzle.name);
    const right = puzzle.blind ? 'none' : operation[puzzle.mistake];
    for (const choice of await texts(page, '.choices button')) {
      await page.locator('.choices button', { hasText: new RegExp(`^${choice}$`) }).click();
      await page.waitForFunction((isRight) => document.querySelector('.stage [role=status]').classList.contains(isRight ? 'right' : 'error'), choice === right);
      await page.evaluate(() => { document.querySelector('.stage [role=status]').className = ''; });
    }
  }
  quiet();
  await page.close();
});

test('a planted mistake is told, stays while numbers change, and goes with an edit of more', async () => {
  const page = await open({ program: puzzles[0].program, mistake: puzzles[0].mistake });
  const told = /one rule may be wrong/;
  assert.match(await text(page, '#look'), told);
  await page.locator('.cm-content').press('Control+Home');
  for (let i = 0; i < 'x = ['.length; i++) await page.keyboard.press('ArrowRight');
  await page.keyboard.type('1');
  await page.waitForFunction(() => location.hash.includes('10.5'));
  assert.match(await text(page, '#look'), told);
  assert.ok(await page.evaluate(() => location.hash.includes('mistake=sign')));
  await page.locator('.cm-content').fill('x = [1, 2]\nL = sum(sin(x))');
  await page.waitForFunction(() => !location.hash.includes('mistake'));
  assert.doesNotMatch(await text(page, '#look'), told);
  quiet();
  await page.close();
  // whether a puzzle has a mistake is not told
  const other = await open({ view: 'mistakes', item: puzzles.findIndex((puzzle) => puzzle.blind) });
  await other.click('button:has-text("Step through it")');
  assert.match(await text(other, '#look'), told);
  quiet();
  await other.close();
});

test('an engine that cannot start says so, and is not started again until it is asked', async () => {
  const empty = Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);  // a module without functions
  for (const [code, says] of [[Buffer.from('no module'), 'the engine cannot start'], [empty, 'the engine stopped']]) {
    const path = join(mkdtempSync(join(tmpdir(), 'explorer-')), 'broken.html');
    const packed = gzipSync(code).toString('base64');
    writeFileSync(path, readFileSync(resolve(process.env.EXPLORER_PAGE), 'utf8').replace(/(<script id="engine"[^>]*>)[^<]*/, (_, begin) => begin + packed));
    const page = await open({}, {}, pathToFileURL(path).href);
    assert.ok((await text(page, '#message')).includes(says), says);
    let workers = 0;
    page.on('worker', () => workers++);
    await page.waitForTimeout(500);
    assert.equal(workers, 0);
    quiet();
    await page.close();
  }
});

test('two moons: training lowers the loss, and a step opens as a program', async () => {
  const page = await open({ view: 'moons' });
  await page.waitForSelector('.layers canvas');
  await page.click('text=Train');
  await page.waitForTimeout(1500);
  await page.click('text=Stop');
  await page.click('text=Open this step as a program');
  await page.waitForFunction(() => location.hash.includes('bce_with_logits'));  // the editor shows the lines in sight only
  await page.waitForFunction(() => [...document.querySelectorAll('#graph .title')].some((t) => t.textContent.includes('bce_with_logits')));
  quiet();
  await page.close();
});

test('two moons by keyboard: a point is added, moved and removed', async () => {
  const page = await open({ view: 'moons' });
  await page.waitForSelector('.layers canvas');
  for (let i = 0; i < 40 && !(await page.evaluate(() => document.activeElement.classList.contains('field'))); i++) await page.keyboard.press('Tab');
  const said = () => text(page, '[data-said]');
  await page.keyboard.press('o');
  assert.match(await said(), /^an? orange point at \(0\.5, 0\.25\); 81 points$/);
  await page.keyboard.press('Enter');
  assert.match(await said(), /^an? orange point taken up/);
  for (const key of ['Shift+ArrowRight', 'ArrowUp', 'ArrowUp', 'Enter']) await page.keyboard.press(key);
  assert.equal(await said(), 'put down at (0.75, 0.35)');
  await page.keyboard.press('p');
  assert.match(await said(), /^point 81 of 81, orange, at \(0\.75, 0\.35\)$/);
  await page.keyboard.press('n');
  assert.match(await said(), /^point 1 of 81, (orange|blue), at /);
  await page.keyboard.press('p');
  await page.keyboard.press('Delete');
  assert.match(await said(), /^an? orange point removed; 80 points$/);
  await page.keyboard.press('Delete');
  assert.match(await said(), /there is no point|removed; 79 points/);
  quiet();
  await page.close();
});

test('every exercise of the lessons is marked, right and wrong', async () => {
  const page = await open({ view: 'lessons' });
  for (const [i, lesson] of lessons.entries()) {
    await page.locator('.list button').nth(i).click();
    await page.waitForFunction((name) => document.querySelector('.stage h2')?.textContent === name, lesson.name);
    assert.ok(lesson.exercises.length >= 2);
    for (const [k] of lesson.exercises.entries()) {
      const form = page.locator('.exercise').nth(k);
      const verdict = form.locator('[role=status]');
      await form.locator('input').fill('1234.5');
      await form.locator('button', { hasText: /^Check$/ }).click();
      await verdict.filter({ hasText: 'No.' }).waitFor();
      const wanted = await solution(await engine, lesson.exercises[k]);
      await form.locator('input').fill(String(wanted));
      await form.locator('button', { hasText: /^Check$/ }).click();
      await verdict.filter({ hasText: 'Yes' }).waitFor();
    }
  }
  assert.equal(await page.locator('.list button', { hasText: '✓' }).count(), lessons.length);
  quiet();
  await page.close();
});

test('microGPT: a training, samples, attention and its gradient, a step as a tape', async () => {
  const page = await open({ view: 'names' });
  await page.waitForSelector('.heads figure');
  await page.click('text=Train 1000 steps');
  await page.waitForFunction(() => document.querySelector('[role=status]').textContent === 'step 1000 of 1000', null, { timeout: 60000 });
  await page.locator('tr', { hasText: '%' }).nth(2).click();
  await page.waitForSelector('tr.chosen');
  assert.equal(await page.locator('.heads figure').count(), 4);
  await page.click('text=Open this step as a tape');
  await page.waitForFunction(() => document.querySelectorAll('#graph .box').length > 30);
  await page.click('#last');
  assert.match(await text(page, '#where'), /^backward (\d+) of \1$/);
  // a program that cannot run: the model's tape stays, with the panels that need no program
  await page.locator('.cm-content').fill('x = (');
  await page.waitForSelector('#message.error');
  for (const panel of ['cost', 'local', 'paths', 'check', 'tape', 'step']) {
    await page.click(`[data-panel=${panel}]`);
    await settled(page);
  }
  quiet();
  await page.close();
});

test('translation: a sentence is written word by word, each head’s attention sums to 1; unknown words are named', async () => {
  const page = await open({ view: 'translation' });
  const sentence = () => texts(page, '.writing button').then((words) => words.join(' '));
  await page.locator('.sentence').fill('Deine Malerin trifft ihn.');
  await page.waitForFunction(() => document.querySelectorAll('.writing button').length === 6);
  assert.equal(await sentence(), 'your painter meets him . ⟨end⟩');
  await page.locator('.writing button').first().click();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  assert.equal(await text(page, '.writing [aria-current=true]'), 'meets');
  const rows = await page.evaluate(() => [...document.querySelectorAll('.looks tr')].map((row) => [...row.querySelectorAll('.look')].map((cell) => Number(cell.style.getPropertyValue('--look')))));
  const looks = rows.filter((row) => row.length);
  assert.equal(looks.length, 8);
  for (const row of looks) assert.ok(Math.abs(row.reduce((a, b) => a + b, 0) - 1) < 0.005, String(row));
  await page.locator('.sentence').fill('Deine <b>Xylophon</b> trifft ihn.');
  await page.locator('.note', { hasText: 'xylophon' }).waitFor();
  await page.locator('.sentence').fill('ihn '.repeat(60));
  await page.locator('.error', { hasText: '1 to 40 tokens' }).waitFor();
  await page.locator('.sentence').fill('');
  await page.waitForFunction(() => document.querySelectorAll('.writing button').length === 0);
  await page.click('text=Another sentence');
  await page.waitForSelector('.writing button');
  quiet();
  await page.close();
});

test('optimizers as arithmetic: each printed step adds up', async () => {
  const page = await open({ view: 'optimizer' });
  // choices that change while the engine answers the ones before
  await page.evaluate(() => {
    const [select] = [...document.querySelectorAll('.stage select')];
    for (const optimizer of ['momentum', 'sgd', 'adamw']) {
      select.value = optimizer;
      select.dispatchEvent(new Event('change'));
    }
  });
  for (const optimizer of ['sgd', 'momentum', 'adamw']) {
    await page.selectOption('select >> visible=true', optimizer);
    await page.waitForFunction((o) => document.querySelector('.stage .formula').textContent.startsWith(o === 'sgd' ? 'x ← x − lr' : o === 'momentum' ? 'b ←' : 'x ← x − lr · 0.01'), optimizer);
    const rows = await texts(page, '.stage table tr');
    assert.equal(rows.length, 26);
    for (const row of rows.slice(1)) {
      const sum = row.split('\t').at(-1).split(';').at(-1).replace(/−/g, '-').replace(/ - /g, ' - ').replace(/·/g, '*');
      const [left, right] = sum.split('=').map((side) => side.trim());
      assert.ok(Math.abs(Function(`return ${left.replace(/(\d)e/g, '$1e')}`)() - Number(right)) < 2e-3, sum);
    }
  }
  quiet();
  await page.close();
});

test('a tape of 1,801 operations is drawn and stepped through', async () => {
  const page = await open({ program: 'x = randn(4)\nh = x * 1\nrepeat 900: h = tanh(h) * 1.01\nL = sum(h)' });
  assert.equal(await page.locator('#graph .box').count(), 1803);
  await page.click('#backward');
  for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowRight');
  assert.match(await text(page, '#where'), /^backward 6 of /);
  assert.equal(await page.locator('#graph .active, #graph .target').count(), 1);
  quiet();
  await page.close();
});

test('a tape of more than 2,000 operations is folded by module, and unfolds', async () => {
  const { trace } = await (await engine)({ ask: 'explore', program: 'x = randn(3)\nh = x * 1\nrepeat 900: h = tanh(h) * 1.01\nL = sum(h)', dtype: 'f32' });
  // the same tape twice, one behind the other, in modules: 3 stages of blocks with two parts each
  const { variables, operations, events } = trace;
  const by = (v) => (v === null ? null : v + variables.length);
  const second = {
    variables: variables.map((v) => ({ ...v, id: by(v.id), name: v.kind === 'leaf' ? v.name + '2' : `w${v.id}` })),
    operations: operations.map((o) => ({ ...o, inputs: o.inputs.map(by), outputs: o.outputs.map(by) })),
    events: events.map((e) => ({ ...e, ...(e.operation !== undefined && { operation: e.operation + operations.length }), ...(e.variable !== undefined && { variable: by(e.variable) }) })),
  };
  const all = { variables: [...variables, ...second.variables], operations: [...operations, ...second.operations], events: [...second.events, ...events] };
  all.operations.forEach((o, i) => { o.module = i % operations.length === operations.length - 1 ? '' : `stage${Math.floor(i / 1201)}.block${Math.floor(i / 12)}.part${Math.floor(i / 6)}`; });
  const run = JSON.stringify({ title: 'a large run', answer: { loss: 'L', again: null, operations: [], variables: [], trace: all } }).replaceAll('<', '\\u003c');
  const path = join(mkdtempSync(join(tmpdir(), 'explorer-')), 'run.html');
  writeFileSync(path, readFileSync(resolve(process.env.EXPLORER_PAGE), 'utf8').replace('/*run*/', () => run));
  const page = await open({}, {}, pathToFileURL(path).href);
  const boxes = () => page.locator('#graph .box').count();
  await page.waitForSelector('#graph .folded');
  const folded = await boxes();
  assert.ok(folded > 100 && folded <= 2000, String(folded));
  await page.locator('#graph .folded').nth(5).focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction((n) => document.querySelectorAll('#graph .box').length > n, folded);
  await page.click('#backward');
  const took = await page.evaluate(async () => {
    const begin = performance.now();
    document.getElementById('next').click();
    await new Promise((done) => requestAnimationFrame(done));
    return performance.now() - begin;
  });
  console.log(`a step takes ${took.toFixed(0)} ms with ${all.operations.length} operations in ${await boxes()} boxes`);
  await page.click('#fold');
  await page.waitForFunction((n) => document.querySelectorAll('#graph .box').length === n, folded);
  await page.click('#last');
  assert.match(await text(page, '#where'), /^backward (\d+) of \1$/);
  assert.equal(await page.locator('#languages').isVisible(), false);
  quiet();
  await page.close();
});

test('a check that would take minutes is refused with its figure', async () => {
  const page = await open({ program: 'x = randn(1000, 1000)\nL = sum(x @ x)', panel: 'check' });
  await page.locator('#panel .error', { hasText: '2000000 times, twice for each of 1000000 elements' }).waitFor();
  await page.locator('.cm-content').fill('x = 3\ny = x * x');
  await page.locator('#panel h3', { hasText: '1 derivative agrees' }).waitFor();
  quiet();
  await page.close();
});

test('numbers that are moved faster than the engine answers end at the last', async () => {
  const page = await open({ program: 'x = 2\nL = x ^ 2', dtype: 'f64', panel: 'numbers' });
  for (let i = 0; i < 30; i++) await page.fill('#panel input', String(2 + i / 1000));
  await page.waitForFunction(() => document.querySelector('#panel .equation').textContent.includes('measured 0.1168'));
  await page.waitForFunction(() => document.querySelector('#graph .box.operation .number')?.textContent === '4.12');
  quiet();
  await page.close();
});

test('two numbers that are moved both count', async () => {
  const page = await open({ program: 'x = [1, 2]\nb = 1\nL = sum(x * 3) + b', dtype: 'f64', panel: 'numbers' });
  const inputs = page.locator('#panel input');
  await inputs.nth(0).fill('1.5');
  await inputs.nth(1).fill('2.25');
  await inputs.nth(2).fill('3');
  await page.waitForFunction(() => /^3 numbers moved: the gradient predicts ΔL = 4.25, measured 4.25$/.test(document.querySelector('#panel .equation').textContent));
  quiet();
  await page.close();
});

test('the address brings back program, step and panel; lesson and mistake', async () => {
  const page = await open({ program: 'x = 3\ny = x * x + x', at: 7, panel: 'tape' });
  const seen = [await text(page, '#where'), await text(page, '#panel')];
  await page.reload();
  await page.waitForSelector('[data-ready]');
  assert.deepEqual([await text(page, '#where'), await text(page, '#panel')], seen);
  await page.close();
  for (const [view, name] of [['lessons', lessons[3].name], ['mistakes', puzzles[3].name]]) {
    const other = await open({ view, item: 3 });
    await other.waitForFunction((n) => document.querySelector('.stage h2')?.textContent === n, name);
    await other.close();
  }
  quiet();
});

test('spoilt marks, and a link that is pasted into the open page', async () => {
  const page = await open({ view: 'lessons' });
  await page.evaluate(() => localStorage.setItem('slope.lessons', '{"a": 1'));
  await page.reload();
  await page.waitForSelector('.exercise');
  await page.evaluate(() => { location.hash = 'view=mistakes&item=2'; });
  await page.waitForFunction((n) => document.querySelector('.stage h2')?.textContent === n, puzzles[2].name);
  await page.evaluate(() => localStorage.clear());
  quiet();
  await page.close();
});

test('a page with a run opens at its step', async () => {
  const answer = (await engine)({ ask: 'explore', program: 'x = [1, 2]\nL = sum(x ^ 2)', dtype: 'f32' });
  const run = JSON.stringify({ title: '</script><b>a run', answer: { ...(await answer), operations: [], variables: [] } }).replaceAll('<', '\\u003c');
  const path = join(mkdtempSync(join(tmpdir(), 'explorer-')), 'run.html');
  writeFileSync(path, readFileSync(resolve(process.env.EXPLORER_PAGE), 'utf8').replace('/*run*/', () => run));
  const page = await open({}, {}, pathToFileURL(path).href);
  assert.equal(await text(page, '#views [aria-current=true]'), 'This run');
  assert.equal(await text(page, '.cm-content'), '# </script><b>a run');
  await page.click('#last');
  assert.match(await text(page, '#where'), /^backward (\d+) of \1$/);
  await page.click('[data-view=program]');
  await page.waitForFunction(() => document.querySelectorAll('#graph .box').length === 3);
  quiet();
  await page.close();
});

test('the tape is saved as SVG and as JSON, the program as C++ and as PyTorch', async () => {
  const page = await open({ program: 'x = [1, 2]\nL = sum(x ^ 2)', at: 9 });
  const saved = async (button) => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.click(button)]);
    const path = join(mkdtempSync(join(tmpdir(), 'explorer-')), download.suggestedFilename());
    await download.saveAs(path);
    return path;
  };
  assert.equal(JSON.parse(readFileSync(await saved('#json'), 'utf8')).trace.operations.length, 2);
  assert.match(readFileSync(await saved('[data-language="C++"]'), 'utf8'), /const Tensor L = sum\(v1\);\n  L\.backward\(\);/);
  assert.match(readFileSync(await saved('[data-language=PyTorch]'), 'utf8'), /L = torch\.sum\(v1\)\nL\.backward\(\)/);
  const other = await browser.newPage();
  await other.goto(pathToFileURL(await saved('#svg')).href);
  assert.equal(await other.locator('svg .box').count(), 3);
  assert.equal(await other.evaluate(() => getComputedStyle(document.querySelector('.box.leaf .frame')).stroke), await page.evaluate(() => getComputedStyle(document.querySelector('.box.leaf .frame')).stroke));
  await other.close();
  quiet();
  await page.close();
});

test('the keyboard alone', async () => {
  const page = await open({ program: 'x = 3\ny = x * x' });
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(() => document.activeElement.id === 'next')) break;
  }
  assert.equal(await page.evaluate(() => document.activeElement.id), 'next');
  await page.keyboard.press('Enter');
  assert.equal(await text(page, '#where'), 'forward 1 of 1');
  for (let i = 0; i < 40 && !(await page.evaluate(() => document.activeElement.hasAttribute('data-box'))); i++) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => /paths|derivative/.test(document.getElementById('panel').textContent));
  quiet();
  await page.close();
});

test('a box keeps the focus while it is redrawn, and Space chooses it', async () => {
  const page = await open({ program: 'x = 3\ny = x * x' });
  await page.locator('[data-box=o0]').focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await text(page, '#where'), 'forward 1 of 1');
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('data-box')), 'o0');
  await page.keyboard.press('Space');
  await page.waitForFunction(() => document.getElementById('panel').textContent.includes('The local derivative of mul'));
  assert.equal(await text(page, '#play'), 'Play');
  quiet();
  await page.close();
});

test('an operation with two outputs is marked when a gradient reaches either', async () => {
  const page = await open({ program: 'x = [1, 2]\na, b = unbind(x)\nL = a * b' });
  await page.click('#backward');
  const last = Number(await page.locator('#slider').getAttribute('max'));
  let marked = 0;
  for (let at = Number(await page.locator('#slider').inputValue()); at < last; at++) {
    marked += await page.locator('#graph .target[aria-label^="a, b = unbind"]').count();
    await page.keyboard.press('ArrowRight');
  }
  assert.equal(marked, 2);
  quiet();
  await page.close();
});

test('storages have names of their own', () => {
  assert.deepEqual([1, 26, 27, 52, 53].map(storageName), ['a', 'z', 'a2', 'z2', 'a3']);
});

test('an empty tensor has local derivatives and paths without numbers', async () => {
  for (const [panel, says] of [['local', 'no numbers'], ['paths', 'their sum: []']]) {
    const page = await open({ program: 'x = []\nL = sum(x * 2)', at: 1, panel });
    await page.locator('#panel', { hasText: says }).waitFor();
    quiet();
    await page.close();
  }
});

test('a narrow screen needs no scrolling sideways', async () => {
  for (const view of ['program', 'mistakes', 'moons', 'lessons', 'names', 'translation', 'optimizer']) {
    const page = await open({ view }, { viewport: { width: 360, height: 740 } });
    await page.waitForTimeout(300);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), view);
    quiet();
    await page.close();
  }
});

test('no text becomes markup', async () => {
  const evil = '<img src=x onerror=alert(1)>';
  const page = await open({ program: `x = 1\ny = ${evil}`, view: evil, panel: evil, mistake: evil, dtype: evil });
  await page.locator('.cm-content').fill(`x = '${evil}'\ny = [1]`);
  await page.waitForTimeout(500);
  await page.locator('.cm-content').fill(`x = 1\ny = sum(x, ${'q'.repeat(20)}='${evil}')`);
  await page.waitForFunction(() => document.getElementById('message').textContent.length > 0);
  assert.equal(await page.locator('img').count(), 0);
  quiet();
  await page.close();
});

test('the address holds the whole state', async () => {
  const page = await open({ program: 'x = [1, 2]\nL = sum(x ^ 2)', dtype: 'f64', at: 4, panel: 'tape', seed: 5 });
  await page.waitForSelector('#panel table');
  const state = Object.fromEntries(await page.evaluate(() => [...new URLSearchParams(location.hash.slice(1))]));
  assert.deepEqual(state, { program: 'x = [1, 2]\nL = sum(x ^ 2)', dtype: 'f64', at: '4', panel: 'tape', seed: '5' });
  quiet();
  await page.close();
});
