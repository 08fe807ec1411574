// SPDX-License-Identifier: Apache-2.0
// Records become frames. Bytes may come in pieces of any length, so that a file and the stream of a running
// simulation are read by the same code.
import { readScene, RecordingError, type Scene } from './scene.ts';

export const kMagic = 'SVTREC1\n';

export interface RawRecord {
  kind: string;
  data: Uint8Array;
}

/** Cuts a stream of bytes into records. A part of a record waits for more bytes. */
export class RecordReader {
  private pieces: Uint8Array[] = [];
  private length = 0;
  private needed = 5; // bytes without which there is no whole record

  push(bytes: Uint8Array): RawRecord[] {
    this.pieces.push(bytes);
    this.length += bytes.length;
    // A large scene comes in many pieces, which are joined once.
    if (this.length < this.needed) return [];
    const all = this.join();
    const view = new DataView(all.buffer, all.byteOffset, all.byteLength);
    const records: RawRecord[] = [];
    let at = 0;
    this.needed = 5;
    while (all.length - at >= 5) {
      const whole = 5 + view.getUint32(at + 1, true);
      if (all.length - at < whole) {
        this.needed = whole;
        break;
      }
      // It is a copy, so that its numbers begin at a multiple of their size.
      records.push({ kind: String.fromCharCode(all[at]!), data: all.slice(at + 5, at + whole) });
      at += whole;
    }
    this.pieces = [all.slice(at)];
    this.length = all.length - at;
    return records;
  }

  /** The number of bytes of a record that is not whole. */
  get waiting(): number {
    return this.length;
  }

  private join(): Uint8Array {
    if (this.pieces.length === 1) return this.pieces[0]!;
    const all = new Uint8Array(this.length);
    let at = 0;
    for (const piece of this.pieces) {
      all.set(piece, at);
      at += piece.length;
    }
    return all;
  }
}

export interface Contact {
  point: [number, number, number];
  force: [number, number, number];
  bodies: [number, number];
}

export type Quantity = 'position' | 'velocity' | 'effort' | 'target' | 'targetVelocity';
export const kOffset: Record<Quantity, number> = { position: 0, velocity: 1, effort: 2, target: 3, targetVelocity: 4 };

/** What a real servo measures of itself: A, V, -1 to 1, the limit of that, °C. */
export type ServoQuantity = 'current' | 'voltage' | 'duty' | 'maxDuty' | 'temperature';
export const kServoOffset: Record<ServoQuantity, number> = { current: 0, voltage: 1, duty: 2, maxDuty: 3, temperature: 4 };

const kSaturated = 0.999; // share of the PWM limit; numbers are rounded

const kSlack = 1.05; // room that spares moving frames for each new one

export const kWordsOfBody = 5;
export const kWordsOfJoint = 5;
export const kWordsOfServo = 5;
export const kWordsOfContact = 7;

/** A frame, which stays in the bytes of its record: a long recording is not copied into objects. */
export class Frame {
  private readonly floats: Float32Array;
  private readonly shorts: Int16Array;
  private readonly servosAt: number;
  private readonly contactsAt: number;
  readonly contactCount: number;
  /** The time as recorded, which begins at 0 again after a reset of the world. */
  readonly worldTime: number;
  /** The time since the beginning of the recording, which never goes back. */
  time = 0;
  /** The number of bytes that it takes; the first frame of a scene counts the scene too. */
  cost = 0;

  /** @throws RecordingError if its length is not that of the scene's frames, or a number is NaN */
  constructor(readonly scene: Scene, readonly data: Uint8Array, where: string) {
    this.cost = data.length;
    const buffer = data.buffer as ArrayBuffer;
    const joints = 2 + kWordsOfBody * scene.movingCount;
    this.servosAt = joints + kWordsOfJoint * scene.joints.length;
    this.contactsAt = this.servosAt + kWordsOfServo * scene.servoCount;
    const least = 4 * (this.contactsAt + 1);
    if (data.length < least || data.length % 4 !== 0) {
      throw new RecordingError(`${where} has ${data.length} bytes, but ${scene.movingCount} moving bodies and ` +
        `${scene.joints.length} joints${scene.servoCount > 0 ? `, ${scene.servoCount} with a servo,` : ''} take ${least}`);
    }
    this.floats = new Float32Array(buffer);
    this.shorts = new Int16Array(buffer);
    this.contactCount = new Uint32Array(buffer, 4 * this.contactsAt, 1)[0]!;
    const all = least + 4 * kWordsOfContact * this.contactCount;
    if (data.length !== all) {
      throw new RecordingError(`${where} has ${data.length} bytes, but its ${this.contactCount} contacts would make ${all}`);
    }
    this.worldTime = new Float64Array(buffer, 0, 1)[0]!;
    if (!Number.isFinite(this.worldTime)) throw new RecordingError(`${where} has no time (NaN)`);
    for (let slot = 0; slot < scene.movingCount; slot++) {
      const at = 2 + kWordsOfBody * slot;
      const sum = this.floats[at]! + this.floats[at + 1]! + this.floats[at + 2]!;
      if (!Number.isFinite(sum)) {
        const body = scene.bodies.find((each) => each.slot === slot);
        throw new RecordingError(`${where}, at ${this.worldTime} s, has no finite place of '${body?.name}'`);
      }
    }
  }

  /** Writes x, y, z, qx, qy, qz, qw of a moving body. */
  pose(slot: number, out: Float32Array | Float64Array, at: number): void {
    const f = 2 + kWordsOfBody * slot;
    const s = 2 * (f + 3);
    out[at] = this.floats[f]!;
    out[at + 1] = this.floats[f + 1]!;
    out[at + 2] = this.floats[f + 2]!;
    const x = this.shorts[s]!, y = this.shorts[s + 1]!, z = this.shorts[s + 2]!, w = this.shorts[s + 3]!;
    const length = Math.sqrt(x * x + y * y + z * z + w * w);
    const inverse = length > 0 ? 1 / length : 0;
    out[at + 3] = x * inverse;
    out[at + 4] = y * inverse;
    out[at + 5] = z * inverse;
    out[at + 6] = length > 0 ? w * inverse : 1;
  }

  place(slot: number, axis: number): number {
    return this.floats[2 + kWordsOfBody * slot + axis]!;
  }

  /** The quantity of a joint; NaN where it does not exist. */
  joint(index: number, quantity: Quantity): number {
    return this.floats[2 + kWordsOfBody * this.scene.movingCount + kWordsOfJoint * index + kOffset[quantity]]!;
  }

  /** The quantity of the servo of a joint; NaN where it does not exist. */
  servo(joint: number, quantity: ServoQuantity): number {
    const servo = this.scene.joints[joint]?.servo;
    return servo ? this.floats[this.servosAt + kWordsOfServo * servo.slot + kServoOffset[quantity]]! : NaN;
  }

  /** Whether the servo of a joint gets all the voltage that its PWM limit allows. */
  saturates(joint: number): boolean {
    const most = this.servo(joint, 'maxDuty');
    return most > 0 && Math.abs(this.servo(joint, 'duty')) >= kSaturated * most;
  }

  contact(index: number): Contact {
    const f = this.contactsAt + 1 + kWordsOfContact * index;
    const shorts = new Uint16Array(this.floats.buffer, 4 * (f + 6), 2);
    const at = (i: number) => this.floats[f + i]!;
    return { point: [at(0), at(1), at(2)], force: [at(3), at(4), at(5)], bodies: [shorts[0]!, shorts[1]!] };
  }
}

/** The largest side of a recorded picture [pixels]. */
export const kMaxPictureSide = 320;
/** The bytes of the head of a picture, and where its fields begin. */
export const kPictureHeadBytes = 28;
export const kPictureOffset = { time: 0, nearest: 8, farthest: 12, width: 16, height: 18, columns: 20, rows: 22, name: 24 };
const kMostSensors = 64; // a run records fewer
const kMostPictures = 1_000_000; // as for the reader in C++; those that are forgotten do not count

/** What a sensor has seen. */
export interface Picture {
  /** The time since the beginning of the recording [s]. */
  time: number;
  /** The depths of white and of dark grey [m]; null for a picture in colour. */
  depths: [number, number] | null;
  width: number;
  height: number;
  /** The size of the picture that the sensor has taken. */
  columns: number;
  rows: number;
  /** A PNG or JPEG file. */
  file: Uint8Array;
}

/** The name of the sensor of a picture, and the picture with the time of its record. @throws RecordingError */
function readPicture(data: Uint8Array): [string, Picture] {
  if (data.length < kPictureHeadBytes) throw new RecordingError(`A picture has ${data.length} bytes, but its head ${kPictureHeadBytes}`);
  const head = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const at = kPictureOffset;
  const short = (offset: number) => head.getUint16(offset, true);
  const name = new TextDecoder('utf-8').decode(data.subarray(kPictureHeadBytes, kPictureHeadBytes + head.getUint32(at.name, true)));
  const [time, nearest, farthest] = [head.getFloat64(at.time, true), head.getFloat32(at.nearest, true), head.getFloat32(at.farthest, true)];
  const picture: Picture = {
    time, depths: farthest > 0 ? [nearest, farthest] : null, width: short(at.width), height: short(at.height),
    columns: short(at.columns), rows: short(at.rows), file: data.subarray(kPictureHeadBytes + head.getUint32(at.name, true)),
  };
  const isSide = (side: number) => side >= 1 && side <= kMaxPictureSide;
  if (name === '' || picture.file.length === 0 || !isSide(picture.width) || !isSide(picture.height) || !Number.isFinite(time)) {
    throw new RecordingError('A picture has a wrong head');
  }
  return [name, picture];
}

/** The last of a list that is not after a time; 0 before the first. */
function lastBefore(list: readonly { time: number }[], time: number): number {
  let low = 0;
  let high = list.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (list[middle]!.time <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

export interface RunEnd {
  reason: string;
  time: number | null;
  stateHash: string;
}

function jsonOf(record: RawRecord): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8').decode(record.data));
  } catch {
    throw new RecordingError(`Record '${record.kind}' is not JSON`);
  }
}

/** A recording, whole or growing. */
export class Recording {
  readonly scenes: Scene[] = [];
  readonly frames: Frame[] = [];
  /** The pictures of each sensor, in the order of time, by its name. */
  readonly pictures = new Map<string, Picture[]>();
  private pictureCount = 0; // of all sensors
  end: RunEnd | null = null;
  /** Why it cannot be read to its end; empty if it can be. */
  problem = '';
  /** The number of its oldest frames that it has forgotten. */
  forgotten = 0;
  private offset = 0;
  private bytes = 0; // size of all frames
  private sceneBytes = 0; // size of a scene that no frame has counted yet

  get scene(): Scene {
    return this.scenes[this.scenes.length - 1]!;
  }

  get duration(): number {
    return this.frames.length > 0 ? this.frames[this.frames.length - 1]!.time : 0;
  }

  get start(): number {
    return this.frames.length > 0 ? this.frames[0]!.time : 0;
  }

  /** Adds a record. Records after a wrong one are left out. @throws RecordingError for a wrong first scene */
  add(record: RawRecord): void {
    if (this.problem) return;
    try {
      if (record.kind === 'S') {
        this.scenes.push(readScene(jsonOf(record)));
        this.sceneBytes = record.data.length;
      }
      if (record.kind === 'F') this.addFrame(record.data);
      else if (record.kind === 'P') this.addPicture(record.data);
      else if (record.kind === 'E') this.addEnd(jsonOf(record));
    } catch (error) {
      if (!(error instanceof RecordingError) || this.scenes.length === 0) throw error;
      this.problem = error.message;
    }
  }

  private addFrame(data: Uint8Array): void {
    const where = `Frame ${this.frames.length + 1}`;
    if (this.scenes.length === 0) throw new RecordingError(`${where} comes before the scene`);
    const frame = new Frame(this.scene, data, where);
    const last = this.frames[this.frames.length - 1];
    if (last && frame.worldTime < last.worldTime) this.offset = last.time - frame.worldTime;
    frame.time = frame.worldTime + this.offset;
    this.frames.push(frame);
    frame.cost += this.sceneBytes;
    this.sceneBytes = 0;
    this.bytes += frame.cost;
  }

  // A picture comes after the frame of its time, or later, before the next one.
  private addPicture(data: Uint8Array): void {
    if (this.pictureCount === kMostPictures) throw new RecordingError(`There are more than ${kMostPictures} pictures`);
    const [name, picture] = readPicture(data);
    picture.time += this.offset;
    const known = this.pictures.get(name);
    if (known) known.push(picture);
    else if (this.pictures.size < kMostSensors) this.pictures.set(name, [picture]);
    else return;
    this.pictureCount++;
    const last = this.frames[this.frames.length - 1];
    if (last) last.cost += data.length;
    this.bytes += last ? data.length : 0;
  }

  /** The last picture of a sensor that is not after a time; null if there is none. */
  pictureAt(name: string, time: number): Picture | null {
    const pictures = this.pictures.get(name) ?? [];
    const last = pictures[lastBefore(pictures, time)];
    return last && last.time <= time + 1e-9 ? last : null;
  }

  /** Forgets the oldest frames beyond a number or a size, many at a time, and scenes that no frame has any more. */
  keep(most: number, mostBytes: number): void {
    if (this.frames.length <= most * kSlack && this.bytes <= mostBytes * kSlack) return;
    let count = 0;
    let { bytes } = this;
    while (count < this.frames.length - 1 && (this.frames.length - count > most || bytes > mostBytes)) bytes -= this.frames[count++]!.cost;
    this.frames.splice(0, count);
    this.bytes = bytes;
    this.forgotten += count;
    const first = this.scenes.indexOf(this.frames[0]!.scene);
    if (first > 0) this.scenes.splice(0, first);
    for (const pictures of this.pictures.values()) {
      this.pictureCount -= pictures.splice(0, lastBefore(pictures, this.frames[0]!.time)).length;
    }
  }

  private addEnd(value: unknown): void {
    const json = (typeof value === 'object' && value !== null ? value : {}) as { [key: string]: unknown };
    this.end = {
      reason: typeof json['reason'] === 'string' ? json['reason'] : '',
      time: typeof json['time'] === 'number' ? json['time'] : null,
      stateHash: typeof json['state_hash'] === 'string' ? json['state_hash'] : '',
    };
  }

  /** The last frame that is not after a time; 0 before the first. */
  indexAt(time: number): number {
    return lastBefore(this.frames, time);
  }
}
