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
put('/*script*/', script.replaceAll('</script', '<\\/script'));
await writeFile(pagePath, page);
console.log(`${pagePath}: ${(page.length / 1e6).toFixed(2)} MB (module ${(module.length / 1e6).toFixed(2)} MB, script ${(script.length / 1e6).toFixed(2)} MB)`);
