// Makes the page: one HTML file with script, style and the compressed module inside.
//
//   node build.mjs LIBRARIES MODULE.wasm PAGE.html      LIBRARIES: a folder with package.json, installed
import { readFile, writeFile } from 'node:fs/promises';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const here = fileURLToPath(new URL('.', import.meta.url));
const [libraries, modulePath, pagePath] = process.argv.slice(2).map((path) => resolve(path));
const { build } = createRequire(`${libraries}/package.json`)('esbuild');

/** @param {string} entry @param {Record<string, string>} define */
async function bundle(entry, define, format) {
  const result = await build({
    entryPoints: [here + entry],
    bundle: true,
    minify: true,
    write: false,
    format,
    target: 'es2022',
    legalComments: 'inline',
    nodePaths: [`${libraries}/node_modules`],
    define,
  });
  return result.outputFiles[0].text;
}

/** The trained model of the exhibit Translation, with sentences to try. */
async function translation() {
  const at = here + 'translation/';
  const config = JSON.parse(await readFile(at + 'config.json', 'utf8'));
  const lines = async (path) => (await readFile(path, 'utf8')).trimEnd().split('\n');
  const sizes = ['d_model', 'n_heads', 'n_encoder_layers', 'n_decoder_layers', 'd_feedforward', 'max_len'];
  const test = await lines(here + '../../../models/data/corpus/test.de');
  return {
    config: Object.fromEntries(sizes.map((key) => [key, config[key]])),
    source: await lines(at + 'source.vocab'),
    target: await lines(at + 'target.vocab'),
    model: (await readFile(at + 'model.safetensors')).toString('base64'),
    sentences: test.filter((_, i) => i % 40 === 0),
  };
}
const inScript = (text) => text.replaceAll('<', '\\u003c');

const worker = await bundle('src/worker.js', {}, 'iife');
const script = await bundle('src/main.js', { WORKER_SOURCE: JSON.stringify(worker) }, 'esm');
const style = await readFile(here + 'style.css', 'utf8');
const module = gzipSync(await readFile(modulePath), { level: 9 }).toString('base64');
let page = await readFile(here + 'index.html', 'utf8');
const put = (mark, text) => {
  page = page.replace(mark, () => text);
};
put('/*style*/', style);
put('/*module*/', module);
put('/*translation*/', inScript(JSON.stringify(await translation())));
put('/*script*/', script.replaceAll('</script', '<\\/script'));
await writeFile(pagePath, page);
console.log(`${pagePath}: ${(page.length / 1e6).toFixed(2)} MB (module ${(module.length / 1e6).toFixed(2)} MB, script ${(script.length / 1e6).toFixed(2)} MB)`);
