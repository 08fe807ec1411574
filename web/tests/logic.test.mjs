// SPDX-License-Identifier: Apache-2.0
// Links, differences, the player, numbers and ranges of curves.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { makeRecording } from './browser.mjs';
import { folder, page } from './sources.mjs';

const { differences, format, Player, rangeOf, readLink, readRecording, writeLink } = page;
const read = (kind) => readRecording(new Uint8Array(readFileSync(makeRecording(kind, folder))), kind);

test('links read back as they were written', () => {
  for (const link of [
    { time: 3.2, joints: ['arm/shoulder'] },
    { time: 0, joints: ['a & b=c#d', '50 %', 'ä/ö', '<b>'], bodies: ['ball'], follow: 'base, left' },
    { time: 1.5, camera: [1, -2.25, 0.5, 0, 0, 1], theme: 'dark', show: ['axes', 'grid'], still: true },
    { camera: '-x', show: [] },
  ]) {
    const back = readLink(`#${writeLink(link)}`);
    for (const [key, value] of Object.entries(link)) assert.deepEqual(back[key], value, key);
  }
  assert.equal(writeLink({ time: 3.2, joints: ['arm/shoulder'] }), 't=3.2&joint=arm/shoulder');
});

test('what is wrong in a link is left out', () => {
  const none = { time: null, joints: [], bodies: [], follow: null, camera: null, still: false, theme: null, show: null };
  for (const hash of ['', '#', '#t=', '#t=abc', '#t=NaN', '#t=Infinity', '#camera=1,2,3', '#camera=a,b,c,d,e,f', '#camera=w', '#theme=blue', '#joint=',
    '#&&=&x=1']) {
    assert.deepEqual(readLink(hash), none, hash);
  }
  assert.deepEqual(readLink('#joint=%').joints, ['%']);
});

test('the largest difference of each joint, and when it is', async () => {
  const found = differences(await read('arm'), await read('other'));
  // The difference is that between sin t and 0.8 sin t times 0.9, over the 4 s that both have.
  assert.ok(Math.abs(found.get('arm/base').largest - 0.18) < 1e-4);
  assert.ok(Math.abs(found.get('arm/base').time - Math.PI / 2) < 0.02);
  assert.equal(found.get('arm/reach').largest, 0);
  const none = differences(await read('arm'), await read('humanoid'));
  assert.ok(Number.isNaN(none.get('arm/base').largest));
});

test('the player keeps within its recording', () => {
  const player = new Player(0, 2);
  let changes = 0;
  player.onChange(() => changes++);
  player.seek(5);
  assert.equal(player.time, 2);
  player.seek(-1);
  assert.equal(player.time, 0);
  player.advance(1);
  assert.equal(player.time, 0, 'it does not play yet');
  player.toggle();
  player.setSpeed(0.5);
  player.advance(1);
  assert.equal(player.time, 0.5);
  player.changeSpeed(1);
  assert.equal(player.speed, 1);
  for (let k = 0; k < 20; k++) player.changeSpeed(1);
  assert.equal(player.speed, 8);
  player.advance(1);
  assert.deepEqual([player.time, player.playing], [2, false]);
  player.toggle();
  assert.deepEqual([player.time, player.playing], [0, true], 'from the start again');
  player.growTo(3);
  assert.equal(player.end, 3);
  assert.ok(changes > 20);
  const still = new Player(0, 0);
  still.toggle();
  assert.equal(still.playing, false);
});

test('numbers', () => {
  assert.deepEqual([0, 1.23456, -12.3456, 123.456, 1234.56, 2e-4, 1e-9, 1e6, NaN].map(format),
    ['0', '1.235', '−12.35', '123.5', '1235', '2.00e−4', '0', '1.00e+6', '–']);
});

test('the heights of charts', () => {
  const near = (actual, expected) => actual.forEach((value, i) => assert.ok(Math.abs(value - expected[i]) < 1e-9, `${actual}`));
  near(rangeOf(0, 1, []), [-0.06, 1.06]);
  near(rangeOf(0, 1, [{ at: 1.5 }]), [-0.09, 1.59]);
  near(rangeOf(0, 1, [{ at: 9 }]), [-0.06, 1.06]);
  near(rangeOf(2, 2 + 1e-9, []), [2 - 1.12e-3, 2 + 1.12e-3]); // noise stays flat
  near(rangeOf(null, null, []), [-1, 1]);
});
