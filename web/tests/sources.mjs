// SPDX-License-Identifier: Apache-2.0
// The modules of the page for the tests, which node cannot read as TypeScript: one bundle of what needs
// no browser.
//
// PAGE_FOLDER  where the packages are installed; otherwise in web/
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const web = join(dirname(fileURLToPath(import.meta.url)), '..');
const source = join(web, 'src');
const { build } = createRequire(join(process.env.PAGE_FOLDER ?? web, 'package.json'))('esbuild');
const folder = mkdtempSync(join(tmpdir(), 'servosim_page_'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const names = ['control', 'curves', 'differences', 'link', 'live', 'motor', 'player', 'pose', 'recording', 'scene', 'source'];
const outfile = join(folder, 'page.mjs');
await build({
  stdin: { contents: names.map((name) => `export * from './${name}.ts';`).join('\n'), resolveDir: source },
  bundle: true, format: 'esm', target: 'es2022', outfile, logLevel: 'warning',
  plugins: [{ // parts that need a document are not tested here
    name: 'no-document', setup: (of) => {
      of.onResolve({ filter: /^uplot$/ }, () => ({ path: 'uplot', namespace: 'empty' }));
      of.onLoad({ filter: /.*/, namespace: 'empty' }, () => ({ contents: 'export default class {}' }));
    },
  }],
});
export const page = await import(pathToFileURL(outfile).href);
export { folder };
