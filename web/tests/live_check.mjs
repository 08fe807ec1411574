// SPDX-License-Identifier: Apache-2.0
// node web/tests/live_check.mjs URL [SECONDS] [--control] [--picture=FILE.png]
// Watches `servosim run --view` at the address that it prints, for 5 s or as told. Exits with 0 if the page
// loads, frames arrive, the time follows them, and nothing is written to the console as an error.
// --control also pauses the run, takes a step, sets the first motor's target, resets the world, and lets it go on.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { Browser } from './browser.mjs';

const [url, seconds = '5'] = process.argv.slice(2).filter((each) => !each.startsWith('--'));
const option = (name) => process.argv.find((each) => each.startsWith(`--${name}`));
if (!url) {
  console.error('usage: node web/tests/live_check.mjs URL [SECONDS] [--control] [--picture=FILE.png]');
  process.exit(2);
}

const frames = '(replay.first.forgotten + replay.first.frames.length)';
const kState = "document.getElementById('run').dataset.state";

async function control(tab) {
  const press = (id) => tab.run(`document.getElementById('${id}').click()`);
  await tab.until("!document.getElementById('run-controls').hidden", 5);
  await press('run-toggle');
  await tab.until(`${kState} === 'paused'`, 5);
  await tab.run('new Promise((done) => setTimeout(done, 300))');
  const before = await tab.run(frames);
  await press('run-step');
  await tab.until(`${frames} > ${before}`, 5);
  const refusal = await tab.run(`(async () => {
    const joint = replay.view.scene.joints.find((each) => each.maxEffort !== null);
    if (joint) await replay.live.control.motor(joint.name, { position: ((joint.min ?? -0.5) + (joint.max ?? 0.5)) / 2 });
    return document.getElementById('run-message').textContent;
  })()`);
  assert.equal(refusal, '', 'a motor takes its target');
  await press('run-reset');
  await tab.until('replay.first.frames.at(-1).worldTime < 0.5', 5);
  await press('run-toggle');
  await tab.until(`${kState} === 'live'`, 5);
}

const answer = await fetch(url).catch((error) => ({ ok: false, status: error.cause?.message ?? error.message, text: () => '' }));
if (!answer.ok) {
  console.error(`${url}: ${answer.status} ${await answer.text()}`.trim());
  process.exit(1);
}

const browser = new Browser();
try {
  const tab = await browser.tab({ width: 1200, height: 720, network: true });
  assert.equal(await tab.open(url), 'ready', await tab.run("document.getElementById('failure-text').textContent"));
  const begin = Date.now();
  const [first, from] = await tab.run(`[${frames}, replay.player.time]`);
  if (option('control')) await control(tab);
  await tab.run(`new Promise((done) => setTimeout(done, ${Math.max(0, 1000 * Number(seconds) - (Date.now() - begin))}))`);
  const [last, to, drawn] = await tab.run(`[${frames}, replay.player.time, replay.view?.drawn ?? 0]`);
  const passed = (Date.now() - begin) / 1000;
  assert.ok(last > first, `no frame arrived in ${passed.toFixed(1)} s`);
  assert.ok(to > from, 'the time follows the run');
  await tab.until('Math.abs(replay.player.time - replay.first.duration) < 1e-9 || !replay.player.growing', 5);
  if (option('picture')) writeFileSync(option('picture').slice('--picture='.length), await tab.picture());
  assert.deepEqual(tab.errors, []);
  console.log(`${last - first} frames in ${passed.toFixed(1)} s, ${(to - from).toFixed(2)} s of the run, drawn ${drawn} times; ${await tab.run("document.getElementById('run-word').textContent")}`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await browser.close();
}
