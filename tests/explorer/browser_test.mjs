// The page in a real browser: every exhibit, programs right and wrong, the keyboard alone, a narrow
// screen; no request leaves it, nothing is written to the console.
//
//   EXPLORER_PAGE=explorer.html EXPLORER_LIBRARIES=FOLDER node --test browser_test.mjs
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import process from 'node:process';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { examples } from '../../tools/explorer/page/src/examples.js';
import { puzzles } from '../../tools/explorer/page/src/puzzles.js';

const { chromium } = createRequire(`${resolve(process.env.EXPLORER_LIBRARIES)}/package.json`)('playwright-core');
const url = pathToFileURL(resolve(process.env.EXPLORER_PAGE)).href;
const wrong = readFileSync(new URL('wrong.txt', import.meta.url), 'utf8').trim().split('\n').map((line) => {
  const [place, program] = [line.slice(0, line.indexOf('|')), line.slice(line.indexOf('|') + 1).replaceAll('\\n', '\n')];
  const [row, column, kind, ...says] = place.split(':');
  return { row, column, kind, says: says.join(':'), program };
});

let browser;
const noise = [];
before(async () => {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
});
after(() => browser.close());

async function open(state = {}, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
  page.on('console', (message) => noise.push(message.text()));
  page.on('pageerror', (error) => noise.push(error.message));
  page.on('dialog', (dialog) => noise.push(`a dialog: ${dialog.message()}`) && dialog.dismiss());
  page.on('request', (request) => {
    if (!/^(file|blob):/.test(request.url())) noise.push(`a request: ${request.url()}`);
  });
  await page.goto(`${url}#${new URLSearchParams(state)}`);
  await page.waitForSelector('[data-ready]', { timeout: 60000 });
  return page;
}
const quiet = () => assert.deepEqual(noise.splice(0), []);
const text = (page, selector) => page.locator(selector).innerText();
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
    for (const panel of ['step', 'local', 'paths', 'numbers', 'check', 'tape']) {
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
  const [sum, engine] = await page.locator('#panel .equation b').allInnerTexts();
  assert.equal(sum.replace(/[[\]]/g, ''), engine);
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

test('backward twice gets the engine’s message, unless the graph is retained', async () => {
  const page = await open({ program: 'x = 2\nL = x ^ 2' });
  await page.check('#again');
  await page.waitForFunction(() => document.getElementById('message').textContent.includes('retain_graph'));
  await page.check('#retain');
  await page.waitForFunction(() => document.getElementById('message').textContent === '');
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
    for (const choice of await page.locator('.choices button').allInnerTexts()) {
      await page.locator('.choices button', { hasText: new RegExp(`^${choice}$`) }).click();
      await page.waitForFunction((isRight) => document.querySelector('.stage [role=status]').classList.contains(isRight ? 'right' : 'error'), choice === right);
      await page.evaluate(() => { document.querySelector('.stage [role=status]').className = ''; });
    }
  }
  quiet();
  await page.close();
});

test('two moons: training lowers the loss, and a step opens as a program', async () => {
  const page = await open({ view: 'moons' });
  await page.waitForSelector('.layers canvas');
  await page.click('text=Train');
  await page.waitForTimeout(1500);
  await page.click('text=Stop');
  await page.click('text=Step inside this step');
  await page.waitForFunction(() => document.querySelector('.cm-content').textContent.includes('bce_with_logits'));
  await page.waitForFunction(() => [...document.querySelectorAll('#graph .title')].some((t) => t.textContent.includes('bce_with_logits')));
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

test('a narrow screen needs no scrolling sideways', async () => {
  for (const view of ['program', 'mistakes', 'moons']) {
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
