// SPDX-License-Identifier: Apache-2.0
// node build.mjs [OUTPUT [LITERAL]]: the page without data, as one HTML file and as a string literal of C++.
import { build } from 'esbuild';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const kMost = 2_000_000; // bytes of the page without data
const output = process.argv[2] ?? join(here, 'dist', 'replay.html');

async function bundle(entry, loader) {
  const result = await build({
    absWorkingDir: here, entryPoints: [entry], bundle: true, minify: true, write: false, format: 'iife',
    target: ['es2022', 'chrome111', 'firefox113', 'safari16.4'], charset: 'utf8', legalComments: 'none', loader,
  });
  return result.outputFiles[0].text.trim();
}

const license = (name) => readFileSync(join(here, 'node_modules', name, 'LICENSE'), 'utf8').trim();
const version = (name) => JSON.parse(readFileSync(join(here, 'node_modules', name, 'package.json'), 'utf8')).version;

const script = await bundle('src/page.ts', {});
const style = await bundle('src/style.css', {});
// The licences ask that they go along with what is made of the programs.
const notices = ['three', 'uplot'].map((name) => `${name} ${version(name)}\n\n${license(name)}`).join('\n\n----\n\n');
if (/-->|--!>/.test(notices)) throw new Error('a licence ends the comment that it stands in');

const html = readFileSync(join(here, 'src/page.html'), 'utf8')
  .replace('<head>', () => `<head>\n<!--\nThis page contains:\n\n${notices}\n-->`)
  .replace('/*STYLE*/', () => style.replaceAll('</style', '<\\/style'))
  .replace('/*SCRIPT*/', () => script.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--'));
if (Buffer.byteLength(html) > kMost) throw new Error(`the page has ${Buffer.byteLength(html)} bytes, more than ${kMost}`);
mkdirSync(dirname(output), { recursive: true });
writeFileSync(output, html);
if (process.argv[3]) {
  const end = ')page"';
  if (html.includes(end) || html.includes('\r')) throw new Error('the page cannot be a string literal of C++');
  writeFileSync(process.argv[3], `R"page(${html})page"\n`);
}
