// SPDX-License-Identifier: Apache-2.0
// The page that watches a run, in a browser.
//
// REPLAY_PAGE    the page without data; otherwise it is built
// LIVE_PICTURES  a folder for pictures to look at
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Browser, findBrowser, makeRecording } from './browser.mjs';
import { FakeRun, jsonRecord, recordsOf } from './fake_run.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const skip = findBrowser() === '' ? 'there is no Chromium' : false;
const folder = mkdtempSync(join(tmpdir(), 'servosim_live_'));
let template = process.env.REPLAY_PAGE ?? '';
let browser;
let run;
let tab;

const text = (id) => tab.run(`document.getElementById('${id}').textContent`);
const requested = async (expected) => {
  const end = Date.now() + 20000;
  while (run.requests.length < 1 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(run.requests.splice(0), expected);
};
// Pictures for a person who has changed the page.
const picture = async (name) => process.env.LIVE_PICTURES && writeFileSync(join(process.env.LIVE_PICTURES, `${name}.png`), await tab.picture());
const kFollows = 'Math.abs(replay.player.time - replay.first.duration) < 1e-9 && replay.player.following';

before(async () => {
  if (skip) return;
  if (!template) {
    template = join(folder, 'template.html');
    execFileSync('node', [join(here, '..', 'build.mjs'), template]);
  }
  run = new FakeRun(template, makeRecording('arm', folder));
  await run.listen();
  browser = new Browser();
  tab = await browser.tab({ ...(process.env.LIVE_PICTURES ? { width: 1200, height: 720 } : { width: 420, height: 480 }), network: true });
  assert.equal(await tab.open(run.url, 'joint=arm/shoulder'), 'ready');
});
after(async () => {
  await browser?.close();
  await run?.close();
  rmSync(folder, { recursive: true, force: true });
});

test('frames arrive, and the time follows them', { skip }, async () => {
  const before = await tab.run('replay.player.time');
  await tab.until(`replay.player.time > ${before} + 0.3`);
  await tab.until(kFollows);
  // Both are asked at once, since time goes on in between.
  assert.ok(await tab.run('replay.curves.cursorTimes().every((time) => Math.abs(time - replay.player.time) < 1)'));
  assert.equal(await text('run-word'), 'Running');
  // A curve begins where its joint first has numbers, and has a point for each frame.
  assert.deepEqual(await tab.run('replay.curves.titles'), ['Position [rad]', 'Velocity [rad/s]', 'Effort [N·m]']);
  await picture('running');
});

test('who goes back in time leaves the run, and comes back by End', { skip }, async () => {
  await tab.key('Home');
  assert.deepEqual(await tab.run('[replay.player.following, replay.player.time === replay.first.start]'), [false, true]);
  const frames = await tab.run('replay.first.frames.length');
  await tab.until(`replay.first.frames.length > ${frames} + 3`);
  assert.equal(await tab.run('replay.player.time === replay.first.start'), true);
  await tab.key('End');
  await tab.until(kFollows);
  await tab.run("document.getElementById('play').click()");
  assert.equal(await tab.run('replay.player.following'), false);
  await tab.run("document.getElementById('live').click()");
  await tab.until(kFollows);
  assert.deepEqual(run.requests, [], 'the run is not concerned');
});

test('the run is paused, goes step by step, faster, and from its beginning', { skip }, async () => {
  await tab.key(' ');
  await requested([{ do: 'pause' }]);
  await tab.until("document.getElementById('run-word').textContent === 'Paused'");
  const frames = await tab.run('replay.first.frames.length');
  await tab.run("document.getElementById('run-step').click()");
  await requested([{ do: 'step' }]);
  await tab.until(`replay.first.frames.length === ${frames} + 1 && ${kFollows}`);
  await tab.run("(() => { const speed = document.getElementById('run-speed'); speed.value = '2'; speed.dispatchEvent(new Event('change')); })()");
  await requested([{ do: 'speed', factor: 2 }]);
  await tab.run("(() => { const speed = document.getElementById('run-speed'); speed.value = 'fastest'; speed.dispatchEvent(new Event('change')); })()");
  await requested([{ do: 'speed', factor: null }]);
  await tab.until("document.getElementById('run-speed').value === 'fastest'");
  await tab.run("document.getElementById('run-reset').click()");
  await requested([{ do: 'reset' }]);
  await picture('paused');
  await tab.key(' ');
  await requested([{ do: 'go' }]);
  // The page's time does not go back.
  await tab.until('replay.view.moment.frame.worldTime < replay.player.time');
});

test('a motor', { skip }, async () => {
  const set = (id, value, event) => tab.run(`(() => { const field = document.getElementById('${id}'); field.value = '${value}'; field.dispatchEvent(new Event('${event}')); })()`);
  await tab.until("!document.getElementById('motor').hidden");
  assert.deepEqual(await tab.run("(({ min, max }) => [min, max])(document.getElementById('motor-slider'))"), ['-0.3', '1.4']);
  await set('motor-slider', 0.5, 'input');
  await requested([{ do: 'motor', joint: 'arm/shoulder', position: 0.5 }]);
  assert.equal(await tab.run("document.getElementById('motor-target').value"), '0.5');
  await set('motor-velocity', 1.5, 'change');
  await requested([{ do: 'motor', joint: 'arm/shoulder', velocity: 1.5 }]);
  await set('motor-effort', -3, 'change');
  assert.deepEqual(run.requests, [], 'a wrong number stays here');
  await tab.run("document.getElementById('motor-turn').click()");
  await set('motor-slider', 2.5, 'input');
  await requested([{ do: 'motor', joint: 'arm/shoulder', position: null, velocity: 2.5 }]);
  run.refusal = "no motor <b>'arm/shoulder'</b>\n";
  await set('motor-effort', 3, 'change');
  await requested([{ do: 'motor', joint: 'arm/shoulder', effort: 3 }]);
  await tab.until("document.getElementById('run-message').textContent === \"no motor <b>'arm/shoulder'</b>\"");
  await picture('refused');
});

test('who may only watch has no controls, and stops nothing but the page', { skip }, async () => {
  run.status.control = false;
  await tab.run('document.activeElement.blur()');
  run.send(jsonRecord('L', run.status));
  await tab.until("document.getElementById('run-controls').hidden && document.getElementById('motor').hidden");
  assert.match(await text('run-about'), /what you stop is this page, not the run/);
  await tab.key(' ');
  assert.equal(await tab.run('replay.player.following'), false);
  const frames = await tab.run('replay.first.frames.length');
  await tab.until(`replay.first.frames.length > ${frames}`);
  assert.deepEqual(run.requests, []);
  await picture('watching');
  await tab.key(' '); // it plays on from there
  await tab.key('End');
});

test('the connection breaks and returns', { skip }, async () => {
  const { port } = run;
  await run.disappear();
  await tab.until("document.getElementById('run-word').textContent === 'Not connected'");
  assert.match(await text('run-about'), /Next try in \d s|Trying again/);
  await picture('lost');
  const frames = await tab.run('replay.first.frames.length');
  await run.listen(port);
  await tab.until(`document.getElementById('run-word').textContent === 'Running' && replay.first.frames.length >= ${frames} + 2`);
  const times = await tab.run(`replay.first.frames.slice(${frames} - 2, ${frames} + 2).map((frame) => frame.time)`);
  assert.ok(times.every((time, i) => i === 0 || time > times[i - 1]), 'frames that come again are left out');
  // What the browser says of a broken connection is right.
  tab.errors = tab.errors.filter((error) => !/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_CONNECTION_RESET|status of 400/.test(error));
});

test('bodies change', { skip }, async () => {
  const [scene] = recordsOf(makeRecording('y_up', folder));
  run.change(scene);
  await tab.until("replay.view.scene.world === 'old.wbt'");
  assert.deepEqual(await tab.run('replay.view.camera.up.toArray()'), [0, 1, 0]);
  assert.equal(await text('title'), 'old.wbt');
  assert.deepEqual(await tab.run('replay.curves.items'), [{ kind: 'joint', name: 'arm/shoulder' }]);
});

test('the run ends, and the page is a replay', { skip }, async () => {
  run.end('its duration is over');
  await tab.until("document.getElementById('run-word').textContent === 'Ended'");
  assert.match(await text('run-about'), /^its duration is over\. This is a replay/);
  assert.equal(await tab.run('replay.player.growing'), false);
  await tab.key('Home');
  await tab.key(' ');
  await tab.until('replay.player.playing && replay.player.time > replay.first.start');
  assert.equal(await tab.run("getComputedStyle(document.getElementById('live')).display"), 'none');
  await picture('ended');
  assert.deepEqual(tab.errors, []);
});

