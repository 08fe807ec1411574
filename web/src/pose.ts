// SPDX-License-Identifier: Apache-2.0
// States between two frames.
import type { Frame, Quantity, Recording } from './recording.ts';
import type { Scene } from './scene.ts';

export type Numbers = Float32Array | Float64Array | number[];

/** out = the pose between a and b at t. Each pose has 7 numbers; quaternions take the shorter arc. */
export function interpolatePose(a: Numbers, b: Numbers, t: number, out: Numbers, at: number): void {
  for (let i = 0; i < 3; i++) out[at + i] = a[i]! + (b[i]! - a[i]!) * t;
  let dot = a[3]! * b[3]! + a[4]! * b[4]! + a[5]! * b[5]! + a[6]! * b[6]!;
  const sign = dot < 0 ? -1 : 1; // q and -q are the same rotation
  dot *= sign;
  let ka = 1 - t;
  let kb = t;
  if (dot < 0.9995) {
    const angle = Math.acos(dot);
    const sine = Math.sin(angle);
    ka = Math.sin(ka * angle) / sine;
    kb = Math.sin(kb * angle) / sine;
  }
  let square = 0;
  for (let i = 3; i < 7; i++) {
    const q = ka * a[i]! + sign * kb * b[i]!;
    out[at + i] = q;
    square += q * q;
  }
  const inverse = 1 / Math.sqrt(square);
  for (let i = 3; i < 7; i++) out[at + i]! *= inverse;
}

/** The state of a recording at any time. */
export class Moment {
  private readonly a = new Float64Array(7);
  private readonly b = new Float64Array(7);
  /** 7 numbers for each body of the scene. */
  poses = new Float64Array(0);
  frame: Frame;
  private next: Frame;
  private fraction = 0;
  private scene: Scene | null = null;

  constructor(private readonly recording: Recording) {
    this.frame = this.next = recording.frames[0]!;
  }

  /** Beyond the last frame it has the values of that frame. */
  moveTo(time: number): void {
    const frames = this.recording.frames;
    const index = this.recording.indexAt(time);
    this.frame = frames[index]!;
    const next = frames[index + 1];
    const span = next ? next.time - this.frame.time : 0;
    // Another scene has other bodies, and a reset is a jump: there is nothing in between.
    const whole = !next || span <= 0 || next.scene !== this.frame.scene || next.worldTime < this.frame.worldTime;
    this.next = whole ? this.frame : next;
    this.fraction = whole ? 0 : Math.min(1, Math.max(0, (time - this.frame.time) / span));
    if (this.scene !== this.frame.scene) this.enter(this.frame.scene);
    this.frame.scene.bodies.forEach((body, i) => {
      if (body.slot < 0) return;
      this.frame.pose(body.slot, this.a, 0);
      this.next.pose(body.slot, this.b, 0);
      interpolatePose(this.a, this.b, this.fraction, this.poses, 7 * i);
    });
  }

  private enter(scene: Scene): void {
    this.scene = scene;
    this.poses = new Float64Array(7 * scene.bodies.length);
    scene.bodies.forEach((body, i) => this.poses.set(body.pose, 7 * i));
  }

  joint(index: number, quantity: Quantity): number {
    const a = this.frame.joint(index, quantity);
    const b = this.next.joint(index, quantity);
    return Number.isFinite(b) ? a + (b - a) * this.fraction : a;
  }
}
