// SPDX-License-Identifier: Apache-2.0
// The scene of a recording: its types, and the checks of its JSON. All other files may rely on the types: numbers are
// finite, and indices are within their lists.

export type Vector = [number, number, number];
/** x, y, z, and the quaternion x, y, z, w. */
export type Pose = [number, number, number, number, number, number, number];

export type Geometry =
  | { type: 'box'; size: Vector }
  | { type: 'sphere'; radius: number }
  | { type: 'cylinder' | 'capsule' | 'cone'; radius: number; height: number }
  | { type: 'plane'; size: [number, number] }
  | { type: 'mesh'; mesh: number };

/** The wheel of a Track to which a shape belongs. It turns by the position of the joint over the radius. */
export interface Wheel {
  joint: number;
  axis: Vector;
  center: Vector;
  radius: number;
}

export interface Shape {
  geometry: Geometry;
  pose: Pose;
  scale: Vector;
  color: Vector | null;
  opacity: number;
  texture: number | null;
  bounding: boolean;
  wheel: Wheel | null;
}

export interface Body {
  name: string;
  parent: number;
  moves: boolean;
  /** The index among the bodies of a frame; -1 if it never moves. */
  slot: number;
  pose: Pose;
  mass: number | null;
  centerOfMass: Vector | null;
  shapes: Shape[];
}

export interface Joint {
  name: string;
  type: string;
  unit: string;
  parent: number;
  body: number;
  anchor: Vector;
  axis: Vector;
  zero: Vector | null;
  min: number | null;
  max: number | null;
  maxEffort: number | null;
  maxVelocity: number | null;
  servo: Servo | null;
}

/** The real servo of a joint. */
export interface Servo {
  model: string;
  /** The index among the servos of a frame. */
  slot: number;
}

export interface MeshData {
  positions: Float32Array;
  indices: Uint32Array;
  normals: Float32Array | null;
  uvs: Float32Array | null;
}

export interface TextureData {
  type: string;
  data: Uint8Array;
}

export interface Scene {
  servosim: string;
  world: string;
  title: string;
  up: Vector;
  background: Vector | null;
  meshes: MeshData[];
  textures: TextureData[];
  bodies: Body[];
  joints: Joint[];
  missing: string[];
  /** The number of bodies of a frame. */
  movingCount: number;
  /** The number of servos of a frame. */
  servoCount: number;
  /** The index of each joint in `joints`. */
  jointIndices: Map<string, number>;
}

/** An error of a recording, as a sentence for a person. */
export class RecordingError extends Error {}

/** base64 → bytes. It works in pieces, since one call of atob for a long text would need three times its memory. */
export function bytesOfBase64(text: string): Uint8Array {
  const clean = /\s/.test(text) ? text.replace(/\s+/g, '') : text;
  const padding = clean.endsWith('==') ? 2 : clean.endsWith('=') ? 1 : 0;
  const bytes = new Uint8Array(Math.max(0, Math.floor((clean.length * 3) / 4) - padding));
  const piece = 1 << 16;
  let at = 0;
  for (let begin = 0; begin < clean.length; begin += piece) {
    const part = atob(clean.slice(begin, begin + piece));
    for (let i = 0; i < part.length; i++) bytes[at++] = part.charCodeAt(i);
  }
  return bytes;
}

type Json = { [key: string]: unknown };

function fail(where: string, what: string): never {
  throw new RecordingError(`The scene is wrong: ${where} ${what}`);
}

function object(value: unknown, where: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) fail(where, 'is not an object');
  return value as Json;
}

function list(value: unknown, where: string): unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) fail(where, 'is not a list');
  return value;
}

function text(value: unknown, where: string, fallback = ''): string {
  if (value === undefined || value === null) return fallback;
  if (typeof value !== 'string') fail(where, 'is not a text');
  return value;
}

function number(value: unknown, where: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) fail(where, 'is not a number');
  return value;
}

function size(value: unknown, where: string): number {
  const result = number(value, where);
  if (result < 0) fail(where, 'is negative');
  return result;
}

function optional<T>(value: unknown, where: string, read: (value: unknown, where: string) => T): T | null {
  return value === undefined || value === null ? null : read(value, where);
}

function index(value: unknown, where: string, count: number, smallest = 0): number {
  const result = number(value, where);
  if (!Number.isInteger(result) || result < smallest || result >= count) {
    fail(where, `is ${result}, which is not in the list of ${count}`);
  }
  return result;
}

function numbers(value: unknown, where: string, count: number): number[] {
  if (!Array.isArray(value) || value.length !== count) fail(where, `is not a list of ${count} numbers`);
  return value.map((each, i) => number(each, `${where}[${i}]`));
}

const vector = (value: unknown, where: string): Vector => numbers(value, where, 3) as Vector;

function direction(value: unknown, where: string): Vector {
  const v = vector(value, where);
  const length = Math.hypot(...v);
  if (length < 1e-9) fail(where, 'has no direction');
  return v.map((c) => c / length) as Vector;
}

function pose(value: unknown, where: string): Pose {
  const p = numbers(value, where, 7) as Pose;
  const length = Math.hypot(p[3], p[4], p[5], p[6]);
  if (length < 1e-6) fail(where, 'has a quaternion of zeros');
  for (let i = 3; i < 7; i++) p[i]! /= length;
  return p;
}

function bytes(value: unknown, where: string): Uint8Array {
  try {
    return bytesOfBase64(text(value, where));
  } catch (error) {
    if (error instanceof RecordingError) throw error;
    return fail(where, 'is not base64');
  }
}

function words(value: unknown, where: string, perItem: number): ArrayBuffer {
  const data = bytes(value, where);
  if (data.length % (4 * perItem) !== 0) fail(where, `has ${data.length} bytes, not a multiple of ${4 * perItem}`);
  return data.buffer as ArrayBuffer;
}

function floats(value: unknown, where: string, perItem: number): Float32Array {
  const result = new Float32Array(words(value, where, perItem));
  if (!result.every(Number.isFinite)) fail(where, 'has a number that is not finite');
  return result;
}

function mesh(value: unknown, where: string): MeshData {
  const json = object(value, where);
  const positions = floats(json['positions'], `${where}.positions`, 3);
  const vertices = positions.length / 3;
  const indices = new Uint32Array(words(json['indices'], `${where}.indices`, 3));
  if (indices.some((i) => i >= vertices)) fail(`${where}.indices`, `name a vertex beyond the ${vertices}`);
  const perVertex = (key: string, count: number) => {
    const data = optional(json[key], `${where}.${key}`, (v, w) => floats(v, w, count));
    if (data !== null && data.length !== vertices * count) {
      fail(`${where}.${key}`, `are for ${data.length / count} vertices, not ${vertices}`);
    }
    return data;
  };
  return { positions, indices, normals: perVertex('normals', 3), uvs: perVertex('uvs', 2) };
}

function geometry(value: unknown, where: string, meshes: number): Geometry {
  const json = object(value, where);
  const type = text(json['type'], `${where}.type`);
  switch (type) {
    case 'box':
      return { type, size: vector(json['size'], `${where}.size`) };
    case 'sphere':
      return { type, radius: size(json['radius'], `${where}.radius`) };
    case 'cylinder':
    case 'capsule':
    case 'cone':
      return { type, radius: size(json['radius'], `${where}.radius`), height: size(json['height'], `${where}.height`) };
    case 'plane':
      return { type, size: numbers(json['size'], `${where}.size`, 2) as [number, number] };
    case 'mesh':
      return { type, mesh: index(json['mesh'], `${where}.mesh`, meshes) };
    default:
      return fail(`${where}.type`, `is '${type}'`);
  }
}

function wheel(value: unknown, where: string, joints: number): Wheel {
  const json = object(value, where);
  return {
    joint: index(json['joint'], `${where}.joint`, joints),
    axis: direction(json['axis'], `${where}.axis`),
    center: vector(json['center'], `${where}.center`),
    radius: Math.max(size(json['radius'], `${where}.radius`), 1e-6),
  };
}

function shape(value: unknown, where: string, meshes: number, textures: number, joints: number): Shape {
  const json = object(value, where);
  const at = (key: string) => `${where}.${key}`;
  return {
    geometry: geometry(json['geometry'], at('geometry'), meshes),
    pose: optional(json['pose'], at('pose'), pose) ?? [0, 0, 0, 0, 0, 0, 1],
    scale: optional(json['scale'], at('scale'), vector) ?? [1, 1, 1],
    color: optional(json['color'], at('color'), vector),
    opacity: Math.min(1, Math.max(0, optional(json['opacity'], at('opacity'), number) ?? 1)),
    texture: optional(json['texture'], at('texture'), (v, w) => index(v, w, textures)),
    bounding: json['bounding'] === true,
    wheel: optional(json['wheel'], at('wheel'), (v, w) => wheel(v, w, joints)),
  };
}

/** The formats that this page reads: without real servos, and with some. */
export const kFormats = [1, 2];

/** The scene in a record's JSON. @throws RecordingError */
export function readScene(value: unknown): Scene {
  const json = object(value, 'it');
  const format = json['format'];
  if (!kFormats.some((known) => known === format)) {
    throw new RecordingError(`The recording has format ${String(format)}, but this page reads format ${kFormats.join(' and ')}. ` +
      'A servosim of the version that wrote it makes a page of it.');
  }
  const meshes = list(json['meshes'], 'meshes').map((each, i) => mesh(each, `meshes[${i}]`));
  const textures = list(json['textures'], 'textures').map((each, i) => {
    const where = `textures[${i}]`;
    const entry = object(each, where);
    return { type: text(entry['type'], `${where}.type`), data: bytes(entry['data'], `${where}.data`) };
  });
  const listedJoints = list(json['joints'], 'joints');
  const listed = list(json['bodies'], 'bodies');
  let slots = 0;
  const bodies = listed.map((each, i): Body => {
    const where = `bodies[${i}]`;
    const entry = object(each, where);
    const moves = entry['moves'] === true;
    return {
      name: text(entry['name'], `${where}.name`),
      parent: index(entry['parent'] ?? -1, `${where}.parent`, listed.length, -1),
      moves,
      slot: moves ? slots++ : -1,
      pose: pose(entry['pose'], `${where}.pose`),
      mass: optional(entry['mass'], `${where}.mass`, number),
      centerOfMass: optional(entry['center_of_mass'], `${where}.center_of_mass`, vector),
      shapes: list(entry['shapes'], `${where}.shapes`).map((s, k) =>
        shape(s, `${where}.shapes[${k}]`, meshes.length, textures.length, listedJoints.length)),
    };
  });
  let servos = 0;
  const joints = listedJoints.map((each, i): Joint => {
    const where = `joints[${i}]`;
    const entry = object(each, where);
    const limit = (key: string) => optional(entry[key], `${where}.${key}`, number);
    return {
      name: text(entry['name'], `${where}.name`),
      type: text(entry['type'], `${where}.type`),
      unit: text(entry['unit'], `${where}.unit`, 'rad'),
      parent: index(entry['parent'] ?? -1, `${where}.parent`, bodies.length, -1),
      body: index(entry['body'] ?? -1, `${where}.body`, bodies.length, -1),
      anchor: optional(entry['anchor'], `${where}.anchor`, vector) ?? [0, 0, 0],
      axis: direction(entry['axis'], `${where}.axis`),
      zero: optional(entry['zero'], `${where}.zero`, direction),
      min: limit('min'),
      max: limit('max'),
      maxEffort: limit('max_effort'),
      maxVelocity: limit('max_velocity'),
      servo: optional(entry['servo'], `${where}.servo`, (v, w) => ({ model: text(object(v, w)['model'], `${w}.model`), slot: servos++ })),
    };
  });
  return {
    servosim: text(json['servosim'], 'servosim'),
    world: text(json['world'], 'world'),
    title: text(json['title'], 'title'),
    up: optional(json['up'], 'up', direction) ?? [0, 0, 1],
    background: optional(json['background'], 'background', vector),
    meshes,
    textures,
    bodies,
    joints,
    missing: list(json['missing'], 'missing').map((each, i) => text(each, `missing[${i}]`)),
    movingCount: slots,
    servoCount: servos,
    jointIndices: new Map(joints.map((joint, i) => [joint.name, i])),
  };
}
