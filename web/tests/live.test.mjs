// SPDX-License-Identifier: Apache-2.0
// The stream of a run: in pieces, without end, with connections that break; and requests to the run.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeRecording } from './browser.mjs';
import { jsonRecord, record, recordsOf } from './fake_run.mjs';
import { folder, page } from './sources.mjs';

const { Control, isMotor, LiveSource, Player, reachOf, Recording, RecordReader } = page;
const records = (kind) => recordsOf(makeRecording(kind, folder));
const [scene, ...frames] = records('arm').slice(0, -1);
const kRunning = { paused: false, speed: 1, control: true };

/** Lets all promises settle. */
const settle = async () => {
  for (let k = 0; k < 5; k++) await new Promise((resolve) => setImmediate(resolve));
};

class FakeClock {
  time = 0;
  #timers = [];
  #next = 1;

  now = () => this.time;
  after = (seconds, action) => {
    this.#timers.push({ id: this.#next, at: this.time + seconds, action });
    return this.#next++;
  };
  cancel = (id) => (this.#timers = this.#timers.filter((timer) => timer.id !== id));

  async pass(seconds) {
    const end = this.time + seconds;
    for (;;) {
      const due = this.#timers.filter((timer) => timer.at <= end + 1e-9).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.cancel(due.id);
      this.time = Math.max(this.time, due.at);
      due.action();
      await settle();
    }
    this.time = end;
  }
}

/** A server that fetch() reaches. Each connection is a stream that the test fills. */
class FakeFetch {
  asked = [];
  answer = null; // an answer that is no stream

  fetch = async (address, { signal } = {}) => {
    this.asked.push(address);
    if (this.answer) return this.answer();
    const body = new ReadableStream({ start: (controller) => (this.stream = controller) });
    const stream = this.stream;
    signal.addEventListener('abort', () => {
      try {
        stream.error(new Error('aborted'));
      } catch {
        // It is closed.
      }
    });
    return new Response(body, { headers: { 'Content-Type': 'application/octet-stream' } });
  };

  async send(...pieces) {
    for (const piece of pieces) this.stream.enqueue(new Uint8Array(piece));
    await settle();
  }
}

async function watch(limits) {
  const clock = new FakeClock();
  const server = new FakeFetch();
  const source = new LiveSource('a b', server.fetch, clock, limits);
  void source.connect();
  await settle();
  return { clock, server, source };
}

test('a stream in pieces of any length', async () => {
  const all = Buffer.concat([jsonRecord('L', kRunning), scene, ...frames.slice(0, 5), record('?', Buffer.from('of another time')), ...frames.slice(5, 10)]);
  for (const length of [7, 100, 4096, all.length]) {
    const { server, source } = await watch();
    assert.equal(source.state, 'connecting');
    for (let at = 0; at < all.length; at += length) server.stream.enqueue(new Uint8Array(all.subarray(at, at + length)));
    while (source.recording.frames.length < 10) await settle();
    assert.deepEqual(server.asked, ['/stream?token=a%20b']);
    assert.equal(source.state, 'open');
    assert.deepEqual(source.status, kRunning);
    assert.equal(source.recording.duration, 0.36);
    server.stream.close();
  }
});

test('a lost connection is opened again, later and later', async () => {
  const { clock, server, source } = await watch();
  await server.send(scene, ...frames.slice(0, 3));
  server.answer = () => { throw new TypeError('fetch failed'); };
  server.stream.close();
  await settle();
  assert.deepEqual([source.state, source.reason, source.retryAt], ['lost', 'The run has closed the connection.', 0.5]);
  const times = [];
  for (let k = 0; k < 170; k++) {
    const before = server.asked.length;
    await clock.pass(0.1);
    if (server.asked.length > before) times.push(Number(clock.time.toFixed(1)));
  }
  assert.deepEqual(times, [0.5, 1.5, 3.5, 7.5, 12.5]);
  assert.equal(source.reason, 'The run cannot be reached.');
  server.answer = () => new Response('16 watch already.\n', { status: 503 });
  await clock.pass(1);
  assert.equal(source.reason, '16 watch already.');
  server.answer = () => new Response('<html>', { headers: { 'Content-Type': 'text/html' } });
  await clock.pass(5);
  assert.equal(source.reason, 'What answers is no run.');
  // The run returns, with frames that are known.
  server.answer = null;
  await clock.pass(5);
  await server.send(jsonRecord('L', kRunning), scene, ...frames.slice(1, 5));
  assert.equal(source.state, 'open');
  assert.deepEqual(source.recording.frames.map((frame) => Number(frame.time.toFixed(2))), [0, 0.04, 0.08, 0.12, 0.16]);
  assert.equal(source.recording.scenes.length, 1);
  // After that the delays begin with the shortest again.
  server.stream.close();
  await settle();
  assert.ok(Math.abs(source.retryAt - clock.time - 0.5) < 1e-9);
});

test('pictures that come again with frames that are known', async () => {
  const { clock, server, source } = await watch();
  const [seen, ...rest] = records('sights'); // a picture after every fifth frame
  await server.send(seen, ...rest.slice(0, 8));
  server.stream.close();
  await settle();
  await clock.pass(0.5);
  await server.send(seen, ...rest.slice(0, 14));
  assert.deepEqual(source.recording.pictures.get('arm/eye').map((picture) => Number(picture.time.toFixed(2))), [0, 0.2, 0.4]);
});

test('a reset while nobody was connected', async () => {
  const { clock, server, source } = await watch();
  await server.send(scene, ...frames.slice(10, 13));
  server.stream.close();
  await settle();
  await clock.pass(0.5);
  await server.send(scene, ...frames.slice(0, 3));
  assert.deepEqual(source.recording.frames.map((frame) => Number(frame.time.toFixed(2))), [0.4, 0.44, 0.48, 0.48, 0.52, 0.56]);
});

test('a run that says nothing is asked again', async () => {
  const { clock, server, source } = await watch();
  await server.send(scene, frames[0]);
  await clock.pass(7);
  await server.send(jsonRecord('L', kRunning));
  await clock.pass(7);
  assert.equal(source.state, 'open');
  await clock.pass(2.5);
  assert.deepEqual([source.reason, server.asked.length], ['The run is silent.', 2]);
});

test('who may not watch is told why, once', async () => {
  const server = new FakeFetch();
  server.answer = () => new Response('The address needs the token.\n', { status: 403 });
  const clock = new FakeClock();
  const source = new LiveSource('x', server.fetch, clock);
  await source.connect();
  await clock.pass(60);
  assert.deepEqual([source.state, source.reason, server.asked.length], ['refused', 'The address needs the token.', 1]);
  const other = await watch();
  await other.server.send(jsonRecord('S', { format: 3 }));
  assert.equal(other.source.state, 'refused');
  assert.match(other.source.reason, /^The recording has format 3/);
});

test('the end of a run is not a lost connection', async () => {
  const { clock, server, source } = await watch();
  await server.send(scene, ...frames.slice(0, 3), jsonRecord('E', { reason: 'interrupted', time: 0.08, state_hash: 'ab' }));
  await clock.pass(60);
  assert.deepEqual([source.state, source.recording.end.reason, server.asked.length], ['ended', 'interrupted', 1]);
});

test('a frame that is wrong is left out, and the next one is shown', async () => {
  const wrong = Buffer.from(frames[3]);
  wrong.writeFloatLE(NaN, 5 + 8);
  const { server, source } = await watch();
  await server.send(scene, ...frames.slice(0, 3), wrong);
  assert.match(source.problem, /^Frame 4, at 0\.12 s, has no finite place of 'arm\/column'$/);
  await server.send(frames[4]);
  assert.deepEqual([source.problem, source.recording.frames.length], ['', 4]);
});

test('frames beyond a number or a size are forgotten', async () => {
  const { server, source } = await watch({ frames: 20, bytes: 1e9 });
  const { recording } = source;
  await server.send(scene, ...frames.slice(0, 21));
  assert.deepEqual([recording.frames.length, recording.forgotten], [21, 0]); // many go at a time
  await server.send(...frames.slice(21, 100));
  assert.deepEqual([recording.frames.length, recording.forgotten], [20, 80]);
  assert.deepEqual([recording.start, recording.duration].map((time) => time.toFixed(2)), ['3.20', '3.96']);
  assert.equal(recording.indexAt(3.5), 7);
  const other = await watch({ frames: 1e6, bytes: 20_000 });
  await other.server.send(scene, ...frames, ...records('edited').slice(-27));
  assert.ok(other.source.recording.frames.length * 180 < 21_000);
  // A scene that no frame has any more is forgotten too, since a supervisor may send many.
  const many = new Recording();
  const reader = new RecordReader();
  for (let k = 0; k < 200; k++) {
    for (const each of reader.push(new Uint8Array(Buffer.concat([scene, frames[k % 100]])))) many.add(each);
    many.keep(1e6, 10 * scene.length);
  }
  assert.ok(many.scenes.length < 13 && many.scenes.length > 5, `${many.scenes.length}`);
  assert.equal(many.scenes[0], many.frames[0].scene);
});

test('the player follows a run until somebody goes back', () => {
  const player = new Player(0, 1);
  player.follow();
  player.growTo(2);
  assert.deepEqual([player.time, player.following], [2, true]);
  player.seek(0.5);
  player.growTo(3, 0.2);
  assert.deepEqual([player.time, player.following], [0.5, false]);
  player.growTo(4, 1);
  assert.equal(player.time, 1, 'what it showed is forgotten');
  player.toggle();
  player.advance(1.5);
  assert.deepEqual([player.time, player.playing, player.following], [2.5, true, false]);
  player.advance(9);
  assert.deepEqual([player.time, player.playing, player.following], [4, false, true], 'it has caught up');
  player.toggle();
  player.growTo(5);
  assert.deepEqual([player.time, player.following], [4, false], 'the page was stopped');
  player.seek(9);
  assert.equal(player.following, true);
  player.finish();
  player.growTo(6);
  assert.deepEqual([player.time, player.following], [5, false]);
});

test('requests leave one after the other, and of a slider the last value counts', async () => {
  const sent = [];
  const answers = [];
  const errors = [];
  const control = new Control('a&b', (address, { method, body }) => {
    sent.push([method, address, JSON.parse(body)]);
    return new Promise((resolve, reject) => answers.push({ resolve, reject }));
  });
  control.onError = (text) => errors.push(text);
  void control.send({ do: 'pause' });
  void control.motor('arm', { position: 0.1 });
  void control.motor('arm', { position: 0.2, effort: 3 });
  void control.motor('leg', { velocity: 2 });
  void control.motor('arm', { position: 0.3 });
  const last = control.send({ do: 'speed', factor: null });
  for (let k = 0; k < 4; k++) {
    await settle();
    assert.equal(sent.length, k + 1);
    if (k === 2) answers[k].resolve(new Response("no motor 'leg'\n", { status: 400 }));
    else if (k === 3) answers[k].reject(new TypeError('fetch failed'));
    else answers[k].resolve(new Response(null, { status: 204 }));
  }
  await last;
  assert.deepEqual(sent, [{ do: 'pause' }, { do: 'motor', joint: 'arm', position: 0.3, effort: 3 }, { do: 'motor', joint: 'leg', velocity: 2 }, { do: 'speed', factor: null }]
    .map((body) => ['POST', '/control?token=a%26b', body]));
  assert.deepEqual(errors, ['', '', "no motor 'leg'", 'The run cannot be reached.']);
});

test('what can be driven, and how far', () => {
  const joint = { unit: 'rad', min: null, max: null, maxEffort: null, maxVelocity: null };
  assert.equal(isMotor(joint, NaN, NaN), false);
  for (const motor of [{ ...joint, min: -1 }, { ...joint, maxEffort: 5 }]) assert.equal(isMotor(motor, NaN, NaN), true);
  assert.equal(isMotor(joint, 0.5, NaN), true);
  assert.equal(isMotor(joint, NaN, 2), true);
  assert.deepEqual(reachOf({ ...joint, min: -0.3, max: 1.4 }, false), [-0.3, 1.4]);
  assert.deepEqual(reachOf(joint, false), [-Math.PI, Math.PI]);
  assert.deepEqual(reachOf({ ...joint, unit: 'm', min: 0.5 }, false), [0.5, 2.5]);
  assert.deepEqual(reachOf({ ...joint, maxVelocity: 6 }, true), [-6, 6]);
  assert.deepEqual(reachOf({ ...joint, maxVelocity: 1e30 }, true), [-10, 10]);
});
