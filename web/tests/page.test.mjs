// SPDX-License-Identifier: Apache-2.0
// The page in a browser, from a file and without network.
//
// REPLAY_PAGE       the page without data; otherwise it is built
// UPDATE_PICTURES   replaces the stored pictures; look at them
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync, copyFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Browser, findBrowser, makePage, makeRecording } from './browser.mjs';
import { compare } from './png.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const skip = findBrowser() === '' ? 'there is no Chromium' : false;
const folder = mkdtempSync(join(tmpdir(), 'servosim_page_'));
let template = process.env.REPLAY_PAGE ?? '';
let browser;
let tab;
let present = ''; // what the tab shows
let pages = 0;

before(() => {
  if (skip) return;
  if (!template) {
    template = join(folder, 'template.html');
    execFileSync('node', [join(here, '..', 'build.mjs'), template]);
  }
  browser = new Browser();
  return browser.tab().then((made) => (tab = made));
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

// A size that shows everything; software draws small pages faster.
const kWide = { width: 860, height: 560 };

/**
 * Runs a test on a page with recordings; it may not ask the network, nor write errors. To read a page takes most
 * of a test's time: one that is `shared` follows the link instead, where the tab shows this page already.
 */
async function withPage(recordings, { hash = '', state = 'ready', width = 420, height = 360, dark = false, shared = false }, check) {
  const wanted = shared ? JSON.stringify([recordings, width, height, dark]) : '';
  if (!shared || wanted !== present) {
    present = '';
    tab.forget();
    await tab.show(width, height, dark);
    const path = join(folder, `page_${pages++}.html`);
    makePage(template, recordings.map((each) => (existsSync(each) ? each : makeRecording(each, folder))), path);
    assert.equal(await tab.open(path, hash), state);
    present = wanted;
  } else {
    await tab.run(`new Promise((done) => {
      addEventListener('hashchange', () => setTimeout(done), { once: true });
      replay.player.setSpeed(1);
      location.hash = ${JSON.stringify(`show=grid&${hash}`)};
    })`);
  }
  await check(tab);
  assert.deepEqual(tab.errors, []);
  assert.deepEqual(tab.requests, []);
}

const near = (actual, expected, tolerance, what = '') =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${what}: ${actual} is not ${expected} ± ${tolerance}`);

/** The time that each part of the page shows, which must be the same. */
async function times(tab) {
  return tab.run(`(() => ({
    player: replay.player.time,
    charts: replay.curves.cursorTimes(),
    // The column turns about z by the position of its joint, as recorded at that time.
    turn: 2 * Math.atan2(replay.view.moment.poses[7 * 2 + 5], replay.view.moment.poses[7 * 2 + 6]),
    clock: Number(document.getElementById('now').textContent),
  }))()`);
}

async function expectTime(tab, expected, tolerance = 1e-6) {
  const { player, charts, turn, clock } = await times(tab);
  near(player, expected, tolerance, 'player');
  near(clock, player, 5.1e-4, 'clock');
  near(turn, 0.9 * Math.sin(player), 4e-4, 'scene');
  assert.equal(charts.length, 3);
  for (const chart of charts) near(chart, player, 2e-4, 'cursor');
}

test('scene, curves and clock have one time', { skip }, () => withPage(['arm'], { ...kWide, shared: true, hash: 't=1.5&joint=arm/shoulder&joint=arm/base' }, async (tab) => {
  assert.equal(await tab.run('document.title'), 'An arm – servosim');
  assert.equal(await tab.run("document.getElementById('about').textContent"), 'arm.wbt  ·  5.00 s  ·  126 frames  ·  ended: its duration is over');
  assert.deepEqual(await tab.run('replay.curves.titles'), ['Position [rad]', 'Velocity [rad/s]', 'Effort [N·m]']);
  await expectTime(tab, 1.5);
  // A drag in a curve moves the time of everything.
  const box = JSON.parse(await tab.run("JSON.stringify(document.querySelectorAll('.u-over')[0].getBoundingClientRect())"));
  const at = (share) => [box.x + share * box.width, box.y + box.height / 2];
  await tab.drag(at(0.2), at(0.5), at(0.8));
  await expectTime(tab, 4, 0.03);
  await tab.until("location.hash.startsWith('#t=4')");
  assert.match(await tab.run('location.hash'), /^#t=4[.0-9]*&joint=arm\/shoulder&joint=arm\/base$/);
  // Playing does so too, until the end.
  await tab.run('replay.player.setSpeed(8), replay.player.seek(1), replay.player.toggle()');
  await tab.until('replay.player.time > 1');
  await tab.until('!replay.player.playing');
  await expectTime(tab, 5);
  // A link that is followed does so too.
  await tab.run("location.hash = 't=0.8&joint=arm/base'");
  await tab.until('replay.player.time === 0.8');
  await expectTime(tab, 0.8);
  assert.deepEqual(await tab.run('replay.curves.items'), [{ kind: 'joint', name: 'arm/base' }]);
}));

test('keys', { skip }, () => withPage(['arm'], { ...kWide, shared: true, hash: 't=2' }, async (tab) => {
  const time = () => tab.run('replay.player.time');
  await tab.key('ArrowRight');
  near(await time(), 2.04, 1e-9);
  await tab.key('ArrowLeft');
  await tab.key('ArrowLeft');
  near(await time(), 1.96, 1e-9);
  await tab.key('ArrowRight', { shift: true });
  near(await time(), 2.96, 1e-9);
  await tab.key('End');
  near(await time(), 5, 0);
  await tab.key('Home');
  near(await time(), 0, 0);
  await tab.key('+');
  assert.equal(await tab.run("document.getElementById('speed').value"), '2');
  await tab.key('-');
  await tab.key('-');
  assert.equal(await tab.run("document.getElementById('speed').value"), '0.5');
  await tab.key(' ');
  await tab.until('replay.player.playing && replay.player.time > 0');
  await tab.key(' ');
  assert.equal(await tab.run('replay.player.playing'), false);
  for (const key of '123456') await tab.key(key);
  assert.deepEqual(await tab.run("[...document.querySelectorAll('#show input:checked')].map((box) => box.value)"),
    ['axes', 'limits', 'contacts', 'masses', 'frames', 'bounding', 'grid']);
  await tab.key('End'); // the ball touches the floor there, and everything is drawn once
  await tab.picture();
  await tab.key('f');
  assert.equal(await tab.run("document.getElementById('follow').value"), 'arm/column');
  await tab.key('Escape');
  assert.deepEqual(await tab.run('replay.curves.items'), []);
  await tab.key('?');
  assert.equal(await tab.run("document.getElementById('help').open"), true);
  await tab.run("document.getElementById('help').close()");
}));

test('a click on a body brings its joint, and one on a body without joint its place', { skip }, () => withPage(['arm'], { ...kWide, shared: true, hash: 't=1.6&camera=start' }, async (tab) => {
  const clickOn = async (body) => {
    const place = await tab.run(`(() => {
      const { view } = replay, { poses } = view.moment, i = view.scene.bodies.findIndex((each) => each.name === '${body}');
      const p = view.camera.position.clone().set(...poses.slice(7 * i, 7 * i + 3)).project(view.camera);
      const box = document.getElementById('canvas').getBoundingClientRect();
      return [box.x + (p.x + 1) / 2 * box.width, box.y + (1 - p.y) / 2 * box.height];
    })()`);
    await tab.drag(place, place);
    return tab.run('replay.curves.items');
  };
  assert.deepEqual(await clickOn('arm/hand'), [{ kind: 'joint', name: 'arm/reach' }]);
  assert.deepEqual(await tab.run('replay.curves.titles'), ['Position [m]', 'Velocity [m/s]', 'Effort [N]']);
  assert.deepEqual(await clickOn('ball'), [{ kind: 'body', name: 'ball' }]);
  assert.deepEqual(await tab.run('replay.curves.titles'), ['Place of ball [m]']);
}));

test('the filter of the list', { skip }, () => withPage(['humanoid'], {}, async (tab) => {
  await tab.key('/');
  for (const letter of 'left kn') await tab.key(letter);
  assert.deepEqual(await tab.run("[...document.querySelectorAll('.joint:not([hidden]) .name')].map((each) => each.textContent)"), ['h/left knee']);
  assert.equal(await tab.run("document.getElementById('joint-count').textContent"), '1 of 20');
  await tab.run("document.querySelector('.joint:not([hidden]) input').click()");
  assert.equal(await tab.run('replay.curves.items.at(-1).name'), 'h/left knee');
}));

test('curves of servos, with bars where the PWM is at its limit', { skip }, () => withPage(['servo'], { width: 900, height: 900, hash: 't=1&joint=arm/shoulder&joint=arm/reach&theme=light' }, async (tab) => {
  assert.deepEqual(await tab.run('replay.curves.titles'),
    ['Position [rad]', 'Position [m]', 'Velocity [rad/s]', 'Velocity [m/s]', 'Effort [N·m]', 'Effort [N]', 'Current [A]', 'Voltage [V]', 'Duty', 'Temperature [°C]']);
  assert.equal(await tab.run("document.querySelector('.joint input:checked ~ .name').title"), 'arm/shoulder (hinge, STS3215)');
  // Below the curves, the chart of the duty has the colour of the joint at 1 s, and not at 2 s.
  const colors = await tab.run(`(() => {
    const section = [...document.querySelectorAll('#curves section')].find((each) => each.textContent.startsWith('Duty'));
    const canvas = section.querySelector('canvas');
    const over = section.querySelector('.u-over');
    const y = over.offsetTop + over.clientHeight - 2;
    const line = canvas.getContext('2d').getImageData(0, y * devicePixelRatio, canvas.width, 1).data;
    const at = (time) => {
      const x = Math.round((over.offsetLeft + (time / 4) * over.clientWidth) * devicePixelRatio);
      return [...line.slice(4 * x, 4 * x + 3)];
    };
    return { at1: at(1), at2: at(2), text: section.querySelector('h3').textContent, color: replay.curves.color(replay.curves.items[0]) };
  })()`);
  const hex = (rgb) => `#${rgb.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
  assert.equal(hex(colors.at1), colors.color);
  assert.notEqual(hex(colors.at2), colors.color);
  assert.equal(colors.text, 'Dutybars: the PWM is at its limit');
}));

test('pictures at three times', { skip }, () => withPage(['arm'], { width: 320, height: 240, hash: 'still&theme=light&show=grid,axes,limits' }, async (tab) => {
  mkdirSync(join(here, 'pictures'), { recursive: true });
  const seen = [];
  for (const time of [0, 1.5, 4]) {
    await tab.run(`replay.player.seek(${time})`);
    const picture = await tab.picture();
    seen.push(picture);
    const stored = join(here, 'pictures', `arm_${time}.png`);
    if (process.env.UPDATE_PICTURES) writeFileSync(stored, picture);
    const { largest, mean } = compare(picture, readFileSync(stored));
    if (largest > 24 || mean > 1.5) writeFileSync(join(tmpdir(), `arm_${time}.png`), picture);
    // Edges that are one pixel off change a square of 8 x 8 by at most a fifth of their contrast.
    assert.ok(largest <= 24 && mean <= 1.5, `at ${time} s the picture differs by ${largest.toFixed(1)}, on average by ${mean.toFixed(2)}; it is in ${tmpdir()}`);
  }
  assert.ok(compare(seen[0], seen[1]).largest > 60, 'the comparison sees that the arm has moved');
}));

test('two recordings over each other', { skip }, () => withPage(['arm', 'other'], { dark: true, hash: 't=1.6' }, async (tab) => {
  assert.deepEqual(await tab.run("[...document.querySelectorAll('.joint')].map((row) => row.innerText.trim().replace(/\\s+/g, ' '))"),
    ['arm/base Δ 0.180 rad', 'arm/shoulder Δ 0.120 rad', 'arm/reach equal']);
  assert.deepEqual(await tab.run("[0, 1].map((i) => document.getElementById('legend-' + i).textContent)"), ['arm.svt', 'other.svt']);
  await tab.run("document.querySelector('.difference').click()");
  near(await tab.run('replay.player.time'), Math.PI / 2, 0.03);
  assert.equal(await tab.run('replay.view.second.moment.frame.time'), await tab.run('replay.view.moment.frame.time'));
}));

test('pictures of sensors follow the time', { skip }, () => withPage(['sights'], { ...kWide, hash: 't=1.3' }, async (tab) => {
  const shown = `[...document.querySelectorAll('#insets figure')].map((each) => {
    const canvas = each.querySelector('canvas');
    return [each.querySelector('span').textContent, each.querySelector('small').textContent, canvas.dataset.time,
      canvas.checkVisibility(), canvas.width, canvas.height];
  })`;
  const red = "document.querySelector('#insets canvas').getContext('2d').getImageData(0, 0, 1, 1).data[0]";
  const isAt = (time) => tab.until(`[...document.querySelectorAll('#insets canvas')].every((each) => Math.abs(each.dataset.time - ${time}) < 1e-9)`, 5);
  await isAt(1.2);
  assert.deepEqual(await tab.run(shown), [['arm/eye', '', '1.2', true, 8, 6], ['arm/<b>depth</b>', '0.25 – 2.7 m', '1.2', true, 4, 4]]);
  const grey = "document.querySelectorAll('#insets canvas')[1].getContext('2d').getImageData(3, 2, 1, 1).data[1]";
  near(await tab.run(grey), 182, 2); // 60 x + y
  assert.equal(await tab.run("document.querySelectorAll('#insets span *').length"), 0, 'names stay text');
  await tab.run('replay.player.seek(1.99)');
  await isAt(1.8);
  near(await tab.run(red), 230, 2);
  await tab.run('replay.player.seek(0.2)');
  await tab.until("document.querySelectorAll('#insets figure.none').length === 1", 5);
  // A name folds its picture; the switch and the key hide all of them.
  await tab.run("document.querySelector('#insets button').click()");
  assert.equal(await tab.run("document.querySelector('#insets canvas').checkVisibility()"), false);
  assert.equal(await tab.run("document.querySelector('#insets button').checkVisibility()"), true);
  assert.equal(await tab.run("document.getElementById('pictures-switch').checkVisibility()"), true);
  await tab.run("document.dispatchEvent(new KeyboardEvent('keydown', { key: 'i' }))");
  assert.equal(await tab.run("document.querySelector('#insets button').checkVisibility()"), false);
  await tab.until("/show=grid(&|$)/.test(location.hash)", 5);
  await tab.run("document.dispatchEvent(new KeyboardEvent('keydown', { key: 'i' }))");
  await tab.until("!location.hash.includes('show=')", 5); // as usual, with pictures
  assert.equal(await tab.run("document.querySelector('#insets button').checkVisibility()"), true);
}));

test('text of a world stays text', { skip }, () => withPage(['strange', 'strange'], { hash: 't=0.5' }, async (tab) => {
  const name = '<script>window.broken=1</script><img src=x onerror="window.broken=1">';
  assert.equal(await tab.run("document.getElementById('title').textContent"), '<b>bold</b>');
  assert.ok((await tab.run("document.querySelector('.joint .name').textContent")).startsWith(name));
  assert.deepEqual(await tab.run("[...document.querySelectorAll('#missing li')].map((each) => each.textContent)"), ['<i>Foo</i>: no PROTO of that name', 'Bar']);
  assert.equal(await tab.run("document.getElementById('missing-title').textContent"), '2 parts are not drawn');
  assert.equal(await tab.run('document.querySelectorAll("img, #title *, #about *, .joint .name *, .values .name *, #missing li *, #legend span *, option *").length'), 0);
  assert.equal(await tab.run('window.broken'), undefined);
}));

test('other worlds: y is up, bodies change, time begins again', { skip }, async () => {
  await withPage(['y_up'], {}, async (tab) => {
    const [, y, , , target] = await tab.run('replay.view.place');
    assert.ok(y > target, 'the camera looks down');
    assert.deepEqual(await tab.run('replay.view.camera.up.toArray()'), [0, 1, 0]);
  });
  await withPage(['edited'], { hash: 't=0.5' }, async (tab) => {
    assert.equal(await tab.run('replay.view.scene.bodies.length'), 6);
    await tab.run('replay.player.seek(1.5)');
    assert.equal(await tab.run('replay.view.scene.bodies.length'), 5);
    await tab.picture();
    await tab.run('replay.player.seek(0.5)');
    assert.equal(await tab.run('replay.view.scene.bodies.length'), 6);
  });
});

test('what is not a whole recording gets a message', { skip }, async () => {
  const cut = join(folder, 'cut.svt');
  copyFileSync(makeRecording('arm', folder), cut);
  truncateSync(cut, 8000);
  await withPage([cut], {}, async (tab) => {
    assert.match(await tab.run("document.getElementById('notices').innerText"), /^cut\.svt: It is cut off: what follows \d\.\d+ s is missing\. The first \d+ frames are shown\.$/);
    assert.ok((await tab.run('replay.first.frames.length')) > 40);
  });
  truncateSync(cut, 400);
  const failures = { cut: 'cut.svt is cut off before its scene.', format_3: /^The recording has format 3/, only_scene: /has no frame/ };
  for (const [kind, message] of Object.entries(failures)) {
    await withPage([kind === 'cut' ? cut : kind], { state: 'failed' }, async (tab) => {
      const text = await tab.run("document.getElementById('failure-text').textContent");
      if (typeof message === 'string') assert.equal(text, message);
      else assert.match(text, message);
    });
  }
  await withPage([], { state: 'failed' }, async (tab) => {
    assert.match(await tab.run("document.getElementById('failure-text').textContent"), /^There is no recording in this page\./);
  });
});

test('a thousand robots', { skip }, () => withPage(['many'], {}, async (tab) => {
  assert.ok(await tab.run('replay.view.first.shapes.group.children.length') <= 3, 'few drawing calls');
}));
