// SPDX-License-Identifier: Apache-2.0
// Marks that are drawn over the scene on demand: joint axes, limits, contacts, centres of mass, frames.
import {
  BufferAttribute, BufferGeometry, CanvasTexture, Color, Group, Matrix4, Object3D, Points, PointsMaterial, Vector3,
} from 'three';
import { LineMaterial } from 'three/addons/lines/LineMaterial.js';
import { LineSegments2 } from 'three/addons/lines/LineSegments2.js';
import { LineSegmentsGeometry } from 'three/addons/lines/LineSegmentsGeometry.js';
import type { Moment } from './pose.ts';
import type { Joint, Scene } from './scene.ts';
import { matrixOf } from './shapes.ts';

export const kMarks = ['axes', 'limits', 'contacts', 'masses', 'frames'] as const;
export type Mark = (typeof kMarks)[number];

const kArcSteps = 24;

/** Any number of lines, several pixels wide, drawn over everything. */
class Lines {
  readonly object: LineSegments2;
  private readonly points: number[] = [];
  private readonly colors: number[] = [];

  constructor(width: number) {
    const material = new LineMaterial({ linewidth: width, vertexColors: true, depthTest: false, transparent: true });
    this.object = new LineSegments2(new LineSegmentsGeometry(), material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 3;
    this.object.visible = false;
  }

  begin(): void {
    this.points.length = this.colors.length = 0;
  }

  add(from: Vector3, to: Vector3, color: Color): void {
    this.points.push(from.x, from.y, from.z, to.x, to.y, to.z);
    this.colors.push(color.r, color.g, color.b, color.r, color.g, color.b);
  }

  arrow(from: Vector3, to: Vector3, color: Color): void {
    this.add(from, to, color);
    const along = to.clone().sub(from);
    const length = along.length();
    if (length === 0) return;
    const across = new Vector3(1, 0, 0).cross(along);
    if (across.length() < 0.1 * length) across.set(0, 1, 0).cross(along);
    across.setLength(0.09 * length);
    const base = from.clone().addScaledVector(along, 0.8);
    const other = across.clone().cross(along).setLength(0.09 * length);
    for (const side of [across, across.clone().negate(), other, other.clone().negate()]) {
      this.add(to, base.clone().add(side), color);
    }
  }

  end(): void {
    const { geometry } = this.object;
    const present = geometry.getAttribute('instanceStart') as { data?: { array: Float32Array; needsUpdate: boolean } } | undefined;
    if (present?.data && present.data.array.length === this.points.length) {
      present.data.array.set(this.points);
      present.data.needsUpdate = true;
      const colors = (geometry.getAttribute('instanceColorStart') as unknown as { data: { array: Float32Array; needsUpdate: boolean } }).data;
      colors.array.set(this.colors);
      colors.needsUpdate = true;
    } else {
      geometry.dispose();
      this.object.geometry = new LineSegmentsGeometry();
      if (this.points.length > 0) {
        this.object.geometry.setPositions(this.points);
        this.object.geometry.setColors(this.colors);
      }
    }
    this.object.visible = this.points.length > 0;
  }
}

/** Round marks of a fixed size on the screen. */
class Dots {
  readonly object: Points;

  constructor(size: number, texture: CanvasTexture) {
    const material = new PointsMaterial({ size: size * devicePixelRatio, sizeAttenuation: false, map: texture, transparent: true, alphaTest: 0.3, depthTest: false });
    this.object = new Points(new BufferGeometry(), material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 4;
    this.object.visible = false;
  }

  set(points: number[]): void {
    const old = this.object.geometry.getAttribute('position') as BufferAttribute | undefined;
    if (old && old.array.length === points.length) {
      (old.array as Float32Array).set(points);
      old.needsUpdate = true;
    } else {
      this.object.geometry.dispose();
      this.object.geometry = new BufferGeometry();
      this.object.geometry.setAttribute('position', new BufferAttribute(new Float32Array(points), 3));
    }
    this.object.visible = points.length > 0;
  }
}

function disc(draw: (pen: CanvasRenderingContext2D) => void): CanvasTexture {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 64;
  const pen = canvas.getContext('2d')!;
  pen.translate(32, 32);
  draw(pen);
  return new CanvasTexture(canvas);
}

/** The sign of a centre of mass: two dark and two light quarters. */
function massSign(pen: CanvasRenderingContext2D): void {
  for (let quarter = 0; quarter < 4; quarter++) {
    pen.fillStyle = quarter % 2 === 0 ? '#1d2530' : '#f7f8fa';
    pen.beginPath();
    pen.moveTo(0, 0);
    pen.arc(0, 0, 28, (quarter * Math.PI) / 2, ((quarter + 1) * Math.PI) / 2);
    pen.fill();
  }
  pen.strokeStyle = '#1d2530';
  pen.lineWidth = 4;
  pen.beginPath();
  pen.arc(0, 0, 27, 0, 2 * Math.PI);
  pen.stroke();
}

function contactSign(pen: CanvasRenderingContext2D): void {
  pen.fillStyle = '#e5484d';
  pen.strokeStyle = '#ffffff';
  pen.lineWidth = 6;
  pen.beginPath();
  pen.arc(0, 0, 24, 0, 2 * Math.PI);
  pen.fill();
  pen.stroke();
}

export interface MarkColors {
  axis: Color;
  chosen: Color;
  limit: Color;
  force: Color;
}

export class Marks {
  readonly group = new Group();
  readonly shown = new Set<Mark>();
  chosen = new Set<string>(); // names of the chosen joints
  colors: MarkColors = { axis: new Color(0x4a7dd8), chosen: new Color(0xf28c28), limit: new Color(0x8b98a8), force: new Color(0xe5484d) };
  /** m per N. */
  forceScale = 0;
  private readonly lines: Record<'axes' | 'limits' | 'contacts' | 'frames', Lines> = {
    axes: new Lines(2.5), limits: new Lines(2), contacts: new Lines(2.5), frames: new Lines(2),
  };
  private readonly dots = { contacts: new Dots(9, disc(contactSign)), masses: new Dots(15, disc(massSign)) };

  /** @param sizes  the sizes of the marks at each body [m] */
  constructor(private readonly scene: Scene, private readonly sizes: number[]) {
    const objects: Object3D[] = [...Object.values(this.lines), ...Object.values(this.dots)].map((each) => each.object);
    this.group.add(...objects);
  }

  update(moment: Moment): void {
    for (const lines of Object.values(this.lines)) lines.begin();
    if (this.shown.has('axes') || this.shown.has('limits')) {
      this.scene.joints.forEach((joint, i) => this.joint(joint, moment.joint(i, 'position'), moment.poses));
    }
    if (this.shown.has('frames')) {
      this.scene.bodies.forEach((body, i) => {
        if (body.moves) this.frame(matrixOf(moment.poses, 7 * i), 0.7 * this.sizes[i]!);
      });
    }
    const points: number[] = [];
    if (this.shown.has('contacts') && moment.frame.scene === this.scene) {
      for (let i = 0; i < moment.frame.contactCount; i++) {
        const { point, force, bodies } = moment.frame.contact(i);
        if (!point.every(Number.isFinite)) continue;
        points.push(...point);
        if (!force.every(Number.isFinite)) continue; // the force is unknown
        const from = new Vector3(...point);
        // The arrow starts at what moves: a floor under pressure says less than what it carries.
        const scale = this.scene.bodies[bodies[0]]?.moves || !this.scene.bodies[bodies[1]]?.moves ? this.forceScale : -this.forceScale;
        this.lines.contacts.arrow(from, from.clone().addScaledVector(new Vector3(...force), scale), this.colors.force);
      }
    }
    this.dots.contacts.set(points);
    const masses: number[] = [];
    if (this.shown.has('masses')) {
      this.scene.bodies.forEach((body, i) => {
        if (body.centerOfMass && body.mass) {
          masses.push(...new Vector3(...body.centerOfMass).applyMatrix4(matrixOf(moment.poses, 7 * i)).toArray());
        }
      });
    }
    this.dots.masses.set(masses);
    for (const lines of Object.values(this.lines)) lines.end();
  }

  private joint(joint: Joint, position: number, poses: Float64Array): void {
    const parent = joint.parent < 0 ? new Matrix4() : matrixOf(poses, 7 * joint.parent);
    const anchor = new Vector3(...joint.anchor).applyMatrix4(parent);
    const axis = new Vector3(...joint.axis).transformDirection(parent);
    const size = joint.body >= 0 ? this.sizes[joint.body]! : 0.1;
    const chosen = this.chosen.has(joint.name);
    if (this.shown.has('axes')) {
      const reach = axis.clone().multiplyScalar(0.6 * size);
      this.lines.axes.arrow(anchor.clone().sub(reach), anchor.clone().add(reach), chosen ? this.colors.chosen : this.colors.axis);
    }
    if (!this.shown.has('limits') || (joint.min === null && joint.max === null)) return;
    const color = chosen ? this.colors.chosen : this.colors.limit;
    if (joint.unit === 'm') this.slide(joint, anchor, axis, 0.12 * size, color);
    else if (joint.zero) this.arc(joint, anchor, axis, new Vector3(...joint.zero).transformDirection(parent), 0.55 * size, position, color);
  }

  // Draws a slider: its way, and a bar at each limit.
  private slide(joint: Joint, anchor: Vector3, axis: Vector3, width: number, color: Color): void {
    const across = new Vector3(1, 0, 0).cross(axis);
    if (across.length() < 0.1) across.set(0, 1, 0).cross(axis);
    across.setLength(width);
    const ends = [joint.min ?? 0, joint.max ?? 0].map((at) => anchor.clone().addScaledVector(axis, at));
    this.lines.limits.add(ends[0]!, ends[1]!, color);
    for (const end of ends) this.lines.limits.add(end.clone().sub(across), end.clone().add(across), color);
  }

  // Draws a hinge: the arc from one limit to the other, and a hand at the present position.
  private arc(joint: Joint, anchor: Vector3, axis: Vector3, zero: Vector3, radius: number, position: number, color: Color): void {
    const at = (angle: number, r: number) => anchor.clone().addScaledVector(zero.clone().applyAxisAngle(axis, angle), r);
    const open = Math.PI; // angle to which the arc goes on a side without a limit
    const from = joint.min ?? (joint.max ?? 0) - open;
    const to = joint.max ?? (joint.min ?? 0) + open;
    for (let step = 0; step < kArcSteps; step++) {
      const angle = (k: number) => from + ((to - from) * k) / kArcSteps;
      this.lines.limits.add(at(angle(step), radius), at(angle(step + 1), radius), color);
    }
    if (joint.min !== null) this.lines.limits.add(anchor, at(from, radius), color);
    if (joint.max !== null) this.lines.limits.add(anchor, at(to, radius), color);
    if (Number.isFinite(position)) this.lines.limits.add(anchor, at(position, 1.12 * radius), this.colors.chosen);
  }

  private frame(pose: Matrix4, size: number): void {
    const origin = new Vector3().setFromMatrixPosition(pose);
    [0xd9484d, 0x3f9a5a, 0x3d73d6].forEach((hex, i) => {
      const axis = new Vector3().setFromMatrixColumn(pose, i).multiplyScalar(size);
      this.lines.frames.add(origin, origin.clone().add(axis), new Color(hex));
    });
  }

  dispose(): void {
    for (const { object } of [...Object.values(this.lines), ...Object.values(this.dots)]) object.geometry.dispose();
  }
}
