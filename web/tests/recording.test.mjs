// SPDX-License-Identifier: Apache-2.0
// Tests of reading recordings, whole ones and others.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { deflateSync, constants } from 'node:zlib';
import { makeRecording } from './browser.mjs';
import { folder, page } from './sources.mjs';

const { bytesOfBase64, Moment, readRecording, Recording, RecordingError, RecordReader } = page;

const fileOf = (kind) => new Uint8Array(readFileSync(makeRecording(kind, folder)));
const read = (kind) => readRecording(fileOf(kind), kind);
const near = (actual, expected, tolerance) => assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected} ± ${tolerance}`);

function record(kind, data) {
  const bytes = new Uint8Array(5 + data.length);
  bytes[0] = kind.charCodeAt(0);
  new DataView(bytes.buffer).setUint32(1, data.length, true);
  bytes.set(data, 5);
  return bytes;
}
const jsonRecord = (kind, value) => record(kind, new TextEncoder().encode(JSON.stringify(value)));
const fileWith = (records, options) => new Uint8Array(Buffer.concat([Buffer.from('SVTREC1\n'), deflateSync(Buffer.concat(records), options)]));

// The writer's header is the only other description of the format in code.
test('the format is that of the writer', () => {
  const header = readFileSync(new URL('../../src/recording/recording_format.h', import.meta.url), 'utf8');
  const constant = (name) => {
    const found = new RegExp(`\\b${name} = ([^;]*);`).exec(header);
    assert.ok(found, name);
    return JSON.parse(found[1].replaceAll("'", '"'));
  };
  assert.equal(page.kMagic, constant('kRecordingMagic'));
  assert.equal(4 * page.kWordsOfBody, constant('kBodyBytes'));
  assert.equal(4 * page.kWordsOfJoint, constant('kJointBytes'));
  assert.equal(4 * page.kWordsOfServo, constant('kServoBytes'));
  assert.equal(4 * page.kWordsOfContact, constant('kContactBytes'));
  assert.deepEqual(page.kFormats, ['kRecordingFormat', 'kServoRecordingFormat'].map(constant));
  assert.deepEqual(['kSceneRecord', 'kFrameRecord', 'kEndRecord', 'kPictureRecord'].map(constant), ['S', 'F', 'E', 'P']);
  assert.equal(page.kPictureHeadBytes, constant('kPictureHeadBytes'));
  assert.equal(page.kMaxPictureSide, constant('kMaxPictureSide'));
  const sizes = { double: 8, float: 4, 'std::uint16_t': 2, 'std::uint32_t': 4 };
  const head = [.../struct RecordedPicture \{([^]*?)\n\n/.exec(header)[1].matchAll(/^ {2}([\w:]+) (\w+) =/gm)];
  let at = 0;
  const offsets = head.map(([, type, name]) => [name, (at += sizes[type]) - sizes[type]]);
  assert.deepEqual(page.kPictureOffset, Object.fromEntries(offsets));
  assert.equal(at, page.kPictureHeadBytes);
  const joint = /struct RecordedJoint \{([^]*?)\n\n/.exec(header)[1];
  const fields = [...joint.matchAll(/float (\w+) =/g)].map((found) => found[1]);
  assert.deepEqual(fields.map((name) => page.kOffset[{ target_position: 'target', target_velocity: 'targetVelocity' }[name] ?? name]),
    [0, 1, 2, 3, 4]);
  const servo = /struct RecordedServo \{([^]*?)\n\n/.exec(header)[1];
  const words = [...servo.matchAll(/float (\w+) =/g)].map((found) => found[1].replace(/_(.)/g, (_, letter) => letter.toUpperCase()));
  assert.deepEqual(words.map((name) => page.kServoOffset[name]), [0, 1, 2, 3, 4]);
});

test('servos', async () => {
  const recording = await read('servo');
  assert.equal(recording.problem, '');
  const { scene } = recording;
  assert.deepEqual(scene.joints.map((joint) => joint.servo), [null, { model: 'STS3215', slot: 0 }, { model: 'SG90', slot: 1 }]);
  const frame = recording.frames[20]; // the frame at 0.8 s
  near(frame.servo(1, 'current'), 1.9 * Math.sin(1.7 * 0.8), 1e-6);
  near(frame.servo(1, 'voltage'), 7.4 - 0.3 * 0.97, 1e-6);
  near(frame.servo(1, 'duty'), 0.97, 1e-6);
  near(frame.servo(1, 'maxDuty'), 0.97, 1e-6);
  near(frame.servo(1, 'temperature'), 27.4, 1e-5);
  near(frame.servo(2, 'voltage'), 4.8, 1e-6);
  assert.ok(Number.isNaN(frame.servo(0, 'current')), 'a plain motor');
  assert.ok(Number.isNaN(recording.frames[60].servo(2, 'current')), 'a servo that is gone');
  near(frame.joint(2, 'effort'), -3.9, 1e-6);
  assert.equal(frame.contactCount, 1 + 1, 'contacts come after the servos');
  // The duty is at its limit from asin(0.97/1.2)/1.7 s to the mirror of it.
  const saturated = recording.frames.filter((each) => each.saturates(1)).map((each) => each.time);
  const begin = Math.asin(0.97 / 1.2) / 1.7;
  const spans = page.spansOf(recording.frames.map((each) => each.time), (i) => recording.frames[i].saturates(1));
  near(spans[0][0], begin, 0.041);
  near(spans[0][1], Math.PI / 1.7 - begin, 0.041);
  assert.equal(spans.length, 2, 'forwards and backwards');
  assert.equal(saturated.length, spans.reduce((sum, [from, to]) => sum + Math.round((to - from) * 25), 0));
  assert.ok(!recording.frames.some((each) => each.saturates(0) || each.saturates(2)));
});

test('pictures', async () => {
  const recording = await read('sights');
  assert.equal(recording.problem, '');
  assert.deepEqual([...recording.pictures.keys()], ['arm/eye', 'arm/<b>depth</b>']);
  const eye = recording.pictures.get('arm/eye');
  assert.equal(eye.length, 11);
  const { depths, width, height, columns, rows, file } = eye[3];
  assert.deepEqual({ depths, width, height, columns, rows }, { depths: null, width: 8, height: 6, columns: 16, rows: 12 });
  assert.deepEqual([...file.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
  near(recording.pictureAt('arm/eye', 0.79).time, 0.6, 1e-9);
  near(recording.pictureAt('arm/eye', 0.8).time, 0.8, 1e-9);
  assert.equal(recording.pictureAt('arm/<b>depth</b>', 0.3), null, 'before its first one');
  const depth = recording.pictureAt('arm/<b>depth</b>', 9);
  near(depth.depths[0], 0.25, 1e-6);
  near(depth.depths[1], 3.5, 1e-6);
  assert.equal(recording.pictureAt('none', 1), null);
  // The pictures of frames that are forgotten are forgotten, but for one that is still seen.
  recording.keep(10, 1e9);
  assert.ok(recording.start > 1.5);
  near(recording.pictures.get('arm/eye')[0].time, 1.6, 1e-9);
});

test('a wrong picture ends the recording', async () => {
  const bytes = (name, width, data = [1]) => {
    const head = new Uint8Array(28 + name.length + data.length);
    const view = new DataView(head.buffer);
    view.setUint16(16, width, true);
    view.setUint16(18, 4, true);
    view.setUint32(24, name.length, true);
    head.set(data, 28 + name.length);
    head.set(new TextEncoder().encode(name), 28);
    return head;
  };
  for (const wrong of [bytes('', 4), bytes('a', 0), bytes('a', 321), bytes('a', 4, []), new Uint8Array(27)]) {
    const recording = new Recording();
    for (const each of new RecordReader().push(Buffer.concat([jsonRecord('S', { format: 1 }), record('P', wrong)]))) recording.add(each);
    assert.match(recording.problem, /^A picture has/);
  }
  const recording = new Recording();
  for (const each of new RecordReader().push(Buffer.concat([jsonRecord('S', { format: 1 }), record('P', bytes('a', 320))]))) recording.add(each);
  assert.equal(recording.problem, '');
});

test('a whole recording', async () => {
  const recording = await read('arm');
  assert.equal(recording.problem, '');
  assert.equal(recording.frames.length, 126);
  assert.deepEqual([recording.start, recording.duration], [0, 5]);
  assert.deepEqual(recording.end, { reason: 'its duration is over', time: 5, stateHash: '8c1f' });
  const { scene } = recording;
  assert.deepEqual(scene.bodies.map((body) => [body.name, body.slot]),
    [['floor', -1], ['arm', -1], ['arm/column', 0], ['arm/upper', 1], ['arm/hand', 2], ['ball', 3]]);
  assert.equal(scene.meshes[0].positions.length, 18);
  assert.equal(scene.meshes[0].indices.length, 24);
  assert.equal(scene.bodies[4].shapes[0].texture, 0);
  assert.deepEqual([scene.joints[1].min, scene.joints[1].max, scene.joints[0].min], [-0.3, 1.4, null]);
  const frame = recording.frames[40]; // the frame at 1.6 s
  near(frame.time, 1.6, 1e-12);
  near(frame.joint(0, 'position'), 0.9 * Math.sin(1.6), 1e-6);
  near(frame.joint(1, 'velocity'), 1.02 * Math.sin(1.7 * 1.6), 1e-6);
  near(frame.joint(1, 'target'), 0.9, 1e-6);
  assert.ok(Number.isNaN(frame.joint(2, 'target')));
  near(frame.joint(2, 'effort'), -3.9, 1e-6);
  assert.equal(frame.contactCount, 2);
  assert.ok(Number.isNaN(frame.contact(1).force[0]), 'a force that is not known');
  const contact = frame.contact(0);
  assert.deepEqual(contact.bodies, [5, 0]);
  near(contact.point[0], 0.5, 0);
  near(contact.force[2], 1.96, 1e-6);
});

test('what lies between two frames', async () => {
  const recording = await read('arm');
  const moment = new Moment(recording);
  moment.moveTo(1.615);
  near(moment.joint(0, 'position'), 0.9 * Math.sin(1.615), 2e-4);
  // The column turns about z by the position of its joint.
  const at = 7 * 2;
  near(2 * Math.atan2(moment.poses[at + 5], moment.poses[at + 6]), 0.9 * Math.sin(1.615), 3e-4);
  near(Math.hypot(...moment.poses.slice(at + 3, at + 7)), 1, 1e-12);
  assert.deepEqual([...moment.poses.slice(7, 14)], [0, 0, 0, 0, 0, 0, 1], 'what never moves stays');
  moment.moveTo(99);
  near(moment.joint(0, 'position'), 0.9 * Math.sin(5), 1e-6);
  moment.moveTo(-1);
  assert.equal(moment.frame, recording.frames[0]);
});

test('rotations take the shorter way', () => {
  const out = new Float64Array(7);
  const turn = (angle, sign = 1) => [0, 0, 0, 0, 0, sign * Math.sin(angle / 2), sign * Math.cos(angle / 2)];
  for (const sign of [1, -1]) {
    page.interpolatePose(turn(3), turn(3.4, sign), 0.25, out, 0);
    near(Math.abs(out[5]), Math.sin(3.1 / 2), 1e-9);
  }
  page.interpolatePose([1, 2, 3, 0, 0, 0, 1], [3, 2, 7, 0, 0, 0, 1], 0.5, out, 0);
  assert.deepEqual([...out], [2, 2, 5, 0, 0, 0, 1]);
});

test('records come in pieces of any length', () => {
  const all = Buffer.concat([record('S', new Uint8Array(3)), record('F', new Uint8Array(0)), record('X', new Uint8Array(300))]);
  for (const length of [1, 2, 3, 7, 100, 1000]) {
    const reader = new RecordReader();
    const records = [];
    for (let at = 0; at < all.length; at += length) records.push(...reader.push(new Uint8Array(all.subarray(at, at + length))));
    assert.deepEqual(records.map(({ kind, data }) => [kind, data.length]), [['S', 3], ['F', 0], ['X', 300]]);
    assert.equal(reader.waiting, 0);
  }
});

test('a recording that is cut off, at each of its bytes', async () => {
  const file = fileOf('short');
  const whole = await readRecording(file);
  let frames = 0;
  let failures = 0;
  for (let length = 0; length < file.length; length++) {
    let recording;
    try {
      recording = await readRecording(file.subarray(0, length));
    } catch (error) {
      assert.ok(error instanceof RecordingError, `${length}: ${error.stack}`);
      assert.match(error.message, /is cut off|not a recording/, `${length}`);
      assert.equal(frames, 0, 'what could be read stays readable');
      failures++;
      continue;
    }
    assert.match(recording.problem, /^It is cut off: what follows [0-9.]+ s is missing$/, `${length}`);
    assert.ok(recording.frames.length >= frames && recording.frames.length <= whole.frames.length, `${length}`);
    frames = recording.frames.length;
  }
  assert.ok(failures > 8);
  assert.equal(frames, whole.frames.length, 'each frame can be read once it is written');
});

test('what is no recording', async () => {
  await assert.rejects(readRecording(new TextEncoder().encode('time [s],a\n0,1\n'), 'a.csv'),
    { message: "a.csv is not a recording: it does not begin with SVTREC1. 'servosim run WORLD --record FILE.svt' writes one." });
  await assert.rejects(readRecording(new Uint8Array(0), 'x'), { message: 'x is cut off within its first 8 bytes.' });
  const rubbish = new Uint8Array(3000).map((_, i) => (i * 7919) % 251);
  rubbish.set(new TextEncoder().encode('SVTREC1\n'));
  await assert.rejects(readRecording(rubbish, 'x'), { message: 'x is damaged: it cannot be decompressed.' });
});

test('damage in the middle keeps what is before it', async () => {
  const file = fileOf('arm');
  file.fill(0x55, 9000, 9100);
  const recording = await readRecording(file);
  assert.match(recording.problem, /^It is (damaged|cut off): |^Frame /);
  assert.ok(recording.frames.length > 10 && recording.frames.length < 126);
});

test('wrong records', async () => {
  const cases = [
    ['nan', 10, "Frame 11, at 0.4 s, has no finite place of 'arm/column'"],
    ['wrong_size', 4, 'Frame 5 has 44 bytes, but 4 moving bodies and 3 joints take 152'],
  ];
  for (const [kind, frames, problem] of cases) {
    const recording = await read(kind);
    assert.equal(recording.frames.length, frames, kind);
    assert.equal(recording.problem, problem);
  }
  await assert.rejects(read('only_scene'), { message: 'only_scene has no frame: it is cut off after its scene.' });
  await assert.rejects(read('no_scene'), { message: 'Frame 1 comes before the scene' });
  await assert.rejects(read('format_3'), { message: /^The recording has format 3, but this page reads format 1 and 2\./ });
  await assert.rejects(read('wrong_scene'), { message: 'The scene is wrong: bodies[0].parent is 7, which is not in the list of 1' });
  await assert.rejects(readRecording(fileWith([record('S', new TextEncoder().encode('{'))])), { message: "Record 'S' is not JSON" });
  // A length that would take all memory is not trusted.
  const long = record('F', new Uint8Array(0));
  new DataView(long.buffer).setUint32(1, 0xffffffff, true);
  await assert.rejects(readRecording(fileWith([long])), { message: /is cut off before its scene/ });
});

test('wrong scenes are refused with the place', () => {
  const good = { format: 1, bodies: [{ name: 'a', parent: -1, moves: true, pose: [0, 0, 0, 0, 0, 0, 1] }], joints: [] };
  const b64 = (array) => Buffer.from(array.buffer).toString('base64');
  const shape = (geometry) => ({ ...good, bodies: [{ ...good.bodies[0], shapes: [{ geometry }] }] });
  assert.equal(page.readScene(good).movingCount, 1);
  for (const [scene, message] of [
    [[], 'it is not an object'],
    [{ ...good, bodies: 5 }, 'bodies is not a list'],
    [{ ...good, bodies: [{ name: 3 }] }, 'bodies[0].name is not a text'],
    [{ ...good, bodies: [{ name: 'a', pose: [0, 0, 0] }] }, 'bodies[0].pose is not a list of 7 numbers'],
    [{ ...good, bodies: [{ name: 'a', pose: [0, 0, 0, 0, 0, 0, 0] }] }, 'bodies[0].pose has a quaternion of zeros'],
    [{ ...good, joints: [{ axis: [0, 0, 0] }] }, 'joints[0].axis has no direction'],
    [{ ...good, joints: [{ axis: [0, 0, null] }] }, 'joints[0].axis[2] is not a number'],
    [{ ...good, joints: [{ axis: [0, 0, 1], body: 2 }] }, 'joints[0].body is 2, which is not in the list of 1'],
    [{ ...good, missing: [1] }, 'missing[0] is not a text'],
    [shape({ type: 'torus' }), "bodies[0].shapes[0].geometry.type is 'torus'"],
    [shape({ type: 'sphere', radius: -1 }), 'bodies[0].shapes[0].geometry.radius is negative'],
    [shape({ type: 'mesh', mesh: 0 }), 'bodies[0].shapes[0].geometry.mesh is 0, which is not in the list of 0'],
    [{ ...good, meshes: [{ positions: '!', indices: '' }] }, 'meshes[0].positions is not base64'],
    [{ ...good, meshes: [{ positions: b64(new Float32Array(2)), indices: '' }] }, 'meshes[0].positions has 8 bytes, not a multiple of 12'],
    [{ ...good, meshes: [{ positions: b64(new Float32Array(3).fill(NaN)), indices: '' }] }, 'meshes[0].positions has a number that is not finite'],
    [{ ...good, meshes: [{ positions: b64(new Float32Array(3)), indices: b64(new Uint32Array([0, 1, 0])) }] }, 'meshes[0].indices name a vertex beyond the 1'],
  ]) {
    assert.throws(() => page.readScene(scene), { message: `The scene is wrong: ${message}` });
  }
});

test('kinds of records that are not known are skipped', async () => {
  const recording = await read('strange');
  assert.equal(recording.problem, '');
  assert.equal(recording.frames.length, 26);
  assert.deepEqual(recording.scene.missing, ['<i>Foo</i>: no PROTO of that name', 'Bar']);
});

test('another scene holds for the frames after it, and time goes on after a reset', async () => {
  const recording = await read('edited');
  assert.deepEqual(recording.scenes.map((scene) => scene.movingCount), [4, 3]);
  assert.equal(recording.frames.length, 52);
  assert.deepEqual([recording.frames[25].time, recording.frames[26].time, recording.duration], [1, 1, 2]);
  assert.equal(recording.frames[26].worldTime, 0);
  assert.equal(recording.frames[26].scene, recording.scenes[1]);
  const moment = new Moment(recording);
  moment.moveTo(0.999);
  assert.equal(moment.poses.length, 7 * 6);
  moment.moveTo(1.5);
  assert.equal(moment.poses.length, 7 * 5);
});

test('base64', () => {
  for (const text of ['', 'a', 'ab', 'abc', 'x'.repeat(200001)]) {
    assert.equal(Buffer.from(bytesOfBase64(Buffer.from(text).toString('base64'))).toString(), text);
  }
  assert.equal(Buffer.from(bytesOfBase64('YW\nJj\n')).toString(), 'abc');
});

test('a growing recording', () => {
  const recording = new Recording();
  const reader = new RecordReader();
  for (const each of reader.push(jsonRecord('S', { format: 1, bodies: [], joints: [] }))) recording.add(each);
  assert.equal(recording.scenes.length, 1);
  for (let k = 0; k < 3; k++) {
    const data = new Uint8Array(12);
    new DataView(data.buffer).setFloat64(0, k / 25, true);
    for (const each of reader.push(record('F', data))) recording.add(each);
    assert.equal(recording.frames.length, k + 1);
  }
  assert.equal(recording.duration, 0.08);
  assert.equal(recording.end, null);
});

test('a stream that is whole but for its check sum is not whole', async () => {
  const frame = new Uint8Array(12);
  const file = fileWith([jsonRecord('S', { format: 1, bodies: [], joints: [] }), record('F', frame)], { finishFlush: constants.Z_SYNC_FLUSH });
  const recording = await readRecording(file);
  assert.equal(recording.frames.length, 1);
  assert.match(recording.problem, /^It is cut off/);
});
