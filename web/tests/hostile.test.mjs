// SPDX-License-Identifier: Apache-2.0
// Worlds whose texts try to become a part of the page, from the program to the browser: the page of a
// recording, of two, and of a run that goes on.
//
// SERVOSIM  the program
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Browser, findBrowser } from './browser.mjs';

const servosim = process.env.SERVOSIM ?? '';
const skip = findBrowser() === '' ? 'there is no Chromium' : servosim === '' ? 'SERVOSIM does not name the program' : false;
const folder = mkdtempSync(join(tmpdir(), 'servosim_hostile_'));
let browser;

const kTexts = {
  script: '</script><script>window.broken=1</script><!--<script>',
  quotes: `"'\`><img src=x onerror=window.broken=1>\${window.broken=1}&quot;&amp;`,
  marks: 'a\u202ecod.\u2066\u2067x\u200f\u202b',
  breaks: 'a\u2028b\u2029c\0d\u001b[31me\ufeff\u{1f600}',
  json: '\\u003c/script\\u003e"}],"__proto__":{"broken":1},"a":[{"\\',
};

// A string in the form of a world file.
const quoted = (text) => `"${text.replace(/[\\"]/g, '\\$&')}"`;

const worldOf = (text) => `#VRML_SIM R2023b utf8
WorldInfo { title ${quoted(text)} info [ ${quoted(text)} ] basicTimeStep 16 }
Solid { name ${quoted(`${text} floor`)} children Shape { geometry Plane { size 3 3 } } }
Robot { name ${quoted(text)} controller "<none>" customData ${quoted(text)} children [
  Shape { geometry Mesh { url ${quoted(text)} } }
  HingeJoint {
    jointParameters HingeJointParameters { axis 0 1 0 dampingConstant 0.1 }
    device [ RotationalMotor { name ${quoted(`${text} m`)} minPosition -1 maxPosition 1 } PositionSensor { name ${quoted(`${text} p`)} } ]
    endPoint Solid { name ${quoted(`${text} hand`)} translation 0.2 0 0.3
      children Shape { appearance Appearance { texture ImageTexture { url ${quoted(text)} } } geometry Box { size 0.4 0.1 0.1 } }
      boundingObject Box { size 0.4 0.1 0.1 } physics Physics { } } } ] }
`;

/** Runs the program. An incomplete world counts as success. */
function run(...args) {
  const { status, stderr } = spawnSync(servosim, args, { cwd: folder, encoding: 'utf8' });
  assert.ok(status === 0 || status === 3, `${args[0]} ended with ${status}: ${stderr}`);
}

/** Checks that the page shows a world of this text as text. */
async function isSound(tab) {
  await tab.run("(async () => { for (const each of document.querySelectorAll('.joint')) each.click(); })()");
  await tab.run('replay.player.seek(replay.first.duration / 2)');
  await tab.picture();
  assert.ok((await tab.run("document.querySelectorAll('.joint .name').length")) > 0);
  assert.equal(await tab.run('document.querySelectorAll("img, main script, .joint .name *, #title *, #missing li *, option *").length'), 0);
  assert.equal(await tab.run('window.broken ?? ({}).broken'), undefined);
  assert.deepEqual(tab.errors, []);
}

before(() => {
  if (skip) return;
  browser = new Browser();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

for (const [kind, text] of Object.entries(kTexts)) {
  test(`a world of ${kind}, recorded`, { skip }, async () => {
    // Names of files have no slash.
    const name = `${text.replaceAll('/', '').replaceAll('\0', '')}`.slice(0, 60);
    mkdirSync(join(folder, kind));
    const file = (extension) => join(folder, kind, `${name}.${extension}`);
    writeFileSync(file('wbt'), worldOf(text));
    run('run', file('wbt'), '--duration', '0.2', '--record', file('svt'));
    run('view', file('svt'), '-o', file('html'));
    run('view', file('svt'), file('svt'), '-o', file('two.html'));
    assert.equal(readFileSync(file('html'), 'utf8').match(/<script/g).length, readFileSync(process.env.REPLAY_PAGE, 'utf8').match(/<script/g).length + 1);
    const tab = await browser.tab();
    for (const page of ['html', 'two.html']) {
      tab.forget();
      assert.equal(await tab.open(file(page)), 'ready', await tab.run("document.getElementById('failure-text').textContent"));
      await isSound(tab);
      assert.deepEqual(tab.requests, []);
    }
  });

  test(`a world of ${kind}, live`, { skip }, async () => {
    const world = join(folder, `${kind}.wbt`);
    writeFileSync(world, worldOf(text));
    const going = spawn(servosim, ['run', world, '--view', '--view-control'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const ended = new Promise((resolve) => going.on('exit', resolve));
    try {
      let out = '';
      for await (const piece of going.stdout.setEncoding('utf8')) if (/^view: .*\n/m.test((out += piece))) break;
      const tab = await browser.tab({ network: true });
      assert.equal(await tab.open(/^view: (.*)$/m.exec(out)[1]), 'ready');
      await tab.until('replay.first.frames.length > 3');
      await isSound(tab);
    } finally {
      going.kill('SIGTERM');
      await ended;
    }
  });
}
