// SPDX-License-Identifier: Apache-2.0
// The scene in 3D: camera, light and ground; the bodies of one or two recordings; picking.
import {
  Box3, BufferAttribute, BufferGeometry, Color, DirectionalLight, HemisphereLight, InstancedMesh, LineBasicMaterial, LineSegments, Matrix4,
  PCFShadowMap, PerspectiveCamera, Quaternion, Raycaster, Scene as World, Vector2, Vector3, WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { type Mark, Marks } from './marks.ts';
import { Moment } from './pose.ts';
import type { Recording } from './recording.ts';
import type { Scene } from './scene.ts';
import { Shapes } from './shapes.ts';

const kOverlayColor = 0xe08a2e;
const kMostShadows = 400; // more instances cost more to draw twice than their shadows show

const kFarAway = 5; // a multiple of the size of what moves
const kSlow = 0.06; // time of a frame [s]; without a graphics card shadows take half of it

interface Colors {
  background: string;
  grid: string;
  accent: string;
}

/** Extent of the body's shapes, in its own frame. */
function bodyBoxes(scene: Scene): Box3[] {
  const boxes = scene.bodies.map(() => new Box3());
  const shapes = new Shapes(scene, { kind: 'normal' }, () => {});
  for (const [mesh, owners] of shapes.owners) {
    mesh.geometry.computeBoundingBox();
    for (const owner of owners) boxes[owner.body]!.union(mesh.geometry.boundingBox!.clone().applyMatrix4(owner.local));
  }
  shapes.dispose();
  return boxes;
}

/** The size of a cell of the grid, 0.1, 1, 10 …, of which about a dozen fit. */
function cellFor(size: number): number {
  return 10 ** Math.round(Math.log10(size / 12));
}

/** The bodies of a recording, as they are in its present scene. */
class Actors {
  readonly moment: Moment;
  shapes!: Shapes;
  bounding: Shapes | null = null;
  private scene: Scene | null = null;

  constructor(recording: Recording, private readonly world: World, private readonly overlay: boolean, private readonly changed: () => void) {
    this.moment = new Moment(recording);
  }

  /** Returns whether the scene is another one. */
  moveTo(time: number, showBounding: boolean): boolean {
    this.moment.moveTo(time);
    const { scene } = this.moment.frame;
    const other = scene !== this.scene;
    if (other) {
      this.remove();
      this.scene = scene;
      this.shapes = new Shapes(scene, this.overlay ? { kind: 'overlay', color: kOverlayColor } : { kind: 'normal' }, this.changed);
      this.world.add(this.shapes.group);
    }
    if (showBounding && !this.bounding) {
      this.bounding = new Shapes(scene, { kind: 'bounding', color: 0x2f9e8f }, this.changed);
      this.bounding.update(this.moment, true);
      this.world.add(this.bounding.group);
    }
    this.shapes.update(this.moment, other);
    if (this.bounding) {
      this.bounding.group.visible = showBounding;
      if (showBounding) this.bounding.update(this.moment, other);
    }
    return other;
  }

  private remove(): void {
    for (const shapes of [this.shapes as Shapes | undefined, this.bounding]) {
      if (!shapes) continue;
      this.world.remove(shapes.group);
      shapes.dispose();
    }
    this.bounding = null;
  }
}

export class View {
  readonly shown = new Set<Mark | 'bounding' | 'grid' | 'background'>(['grid']);
  /** The index of the body that the camera follows; -1: none. */
  followed = -1;
  /** Is called when the camera was moved by hand. */
  onCamera: () => void = () => {};
  /** The number of times that the scene was drawn. */
  drawn = 0;
  private readonly renderer: WebGLRenderer;
  private readonly world = new World();
  private readonly camera = new PerspectiveCamera(40, 1, 0.01, 100);
  private controls!: OrbitControls;
  private readonly sun = new DirectionalLight(0xffffff, 2.1);
  private readonly first: Actors;
  private readonly second: Actors | null;
  private marks!: Marks;
  private grid: LineSegments | null = null;
  private colors: Colors = { background: '#fff', grid: '#ccc', accent: '#f80' };
  private stale = true;
  private time = 0;
  private seconds = 0; // mean time of a frame
  private highlighted = -1;
  private chosen = new Set<string>();
  private readonly sky = new HemisphereLight(0xffffff, 0x8d8779, 1.5);
  private up = new Vector3();
  private around = new Box3();
  private settled: Scene | null = null; // scene for whose world the camera is set up
  private clear: Vector3 | null = null;
  private places: Vector3[] = []; // samples of the places of bodies
  /** Whether the moving bodies leave what the first camera sees. */
  travels = false;
  private readonly lastPlace = new Vector3();
  /** The length of a cell of the ground grid [m]. */
  cell = 1;
  forceOfCell = 0; // force that an arrow of the length of a cell means [N]

  /** @throws Error if the browser has no WebGL */
  constructor(private readonly canvas: HTMLCanvasElement, private readonly recording: Recording, second: Recording | null) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: 'high-performance' });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.first = new Actors(recording, this.world, false, () => this.touch());
    this.second = second ? new Actors(second, this.world, true, () => this.touch()) : null;
    this.world.add(this.sky, this.sun, this.sun.target);
    this.show(recording.start);
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
    this.resize();
  }

  // Takes from a world its up direction, its size, and the place of the camera.
  private settle(): void {
    const { recording, scene } = this;
    this.settled = scene;
    this.up = new Vector3(...scene.up);
    this.camera.up.copy(this.up);
    this.controls?.dispose();
    // They have one up direction for ever.
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('change', () => this.touch());
    this.controls.addEventListener('end', () => this.onCamera());
    this.places = [];
    this.clear = null;
    this.travels = false;
    this.around = this.extent(recording);
    const size = Math.max(1e-3, this.around.getSize(new Vector3()).length());
    this.cell = cellFor(size);
    this.forceOfCell = 0;
    this.light(size);
    if (this.grid) this.makeGrid();
    this.followed = -1;
  }

  /** Gives the arrows of contact forces a fitting length; returns whether it has changed. */
  scaleForces(): boolean {
    const largest = largestForce(this.recording);
    const scale = largest > 0 ? (0.35 * Math.max(1e-3, this.around.getSize(new Vector3()).length())) / largest : 0;
    const ratio = (scale * this.forceOfCell) / this.cell; // it is 0 at first
    if (scale === 0 || (ratio > 1 / 3 && ratio < 3)) return false;
    this.forceOfCell = this.cell / scale;
    this.marks.forceScale = scale;
    return true;
  }

  /** Whether what moves first has gone far away from its first place. */
  get hasLeft(): boolean {
    const body = this.scene.bodies.findIndex((each) => each.moves);
    return body >= 0 && this.around.distanceToPoint(this.placeOf(body)) > 2 * this.around.getSize(new Vector3()).length();
  }

  get scene(): Scene {
    return this.first.moment.frame.scene;
  }

  get moment(): Moment {
    return this.first.moment;
  }

  touch(): void {
    this.stale = true;
  }

  // The region of the moving bodies: of all their places, or of the first ones if they go far away.
  private extent(recording: Recording): Box3 {
    const moment = new Moment(recording);
    const { scene } = this;
    const boxes = bodyBoxes(scene);
    const at = (time: number): Box3 => {
      moment.moveTo(time);
      const all = new Box3();
      if (moment.frame.scene !== scene) return all;
      scene.bodies.forEach((body, i) => {
        if (!body.moves && scene.movingCount > 0) return;
        if (body.shapes.length === 0) all.expandByPoint(new Vector3(...moment.poses.subarray(7 * i, 7 * i + 3)));
        else {
          const pose = new Matrix4().compose(new Vector3(...moment.poses.subarray(7 * i, 7 * i + 3)), new Quaternion(...moment.poses.subarray(7 * i + 3, 7 * i + 7)), new Vector3(1, 1, 1));
          all.union(boxes[i]!.clone().applyMatrix4(pose));
        }
      });
      return all;
    };
    const box = at(this.time);
    const moving = scene.bodies.flatMap((body, i) => (body.moves ? [i] : []));
    const some = moving.filter((_, i) => i % Math.ceil(moving.length / 12) === 0);
    if (box.isEmpty()) box.set(new Vector3(-0.5, -0.5, -0.5), new Vector3(0.5, 0.5, 0.5));
    const size = box.getSize(new Vector3()).length();
    const whole = box.clone();
    for (let k = 0; k <= 20; k++) {
      whole.union(at(this.time + ((recording.duration - this.time) * k) / 20));
      if (k % 5 === 0 && moment.frame.scene === scene) {
        for (const i of some) this.places.push(new Vector3(...moment.poses.subarray(7 * i, 7 * i + 3)));
      }
    }
    if (whole.getSize(new Vector3()).length() < kFarAway * size) return whole;
    this.travels = true;
    return box;
  }

  private light(size: number): void {
    this.sky.position.copy(this.up);
    const [right, near] = this.basis();
    const center = this.around.getCenter(new Vector3());
    this.sun.position.copy(center).addScaledVector(this.up, 2.2 * size).addScaledVector(right, 0.9 * size).addScaledVector(near, 1.2 * size);
    this.sun.target.position.copy(center);
    const { camera } = this.sun.shadow;
    camera.left = camera.bottom = -1.3 * size;
    camera.right = camera.top = 1.3 * size;
    camera.near = 0.05 * size;
    camera.far = 6 * size;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -5e-4;
    this.sun.shadow.normalBias = 0.004 * size;
    this.sun.shadow.radius = 3;
    camera.updateProjectionMatrix();
  }

  /** The directions to the right and towards the viewer for somebody on the ground. */
  private basis(): [Vector3, Vector3] {
    const right = Math.abs(this.up.x) > 0.9 ? new Vector3(0, 1, 0) : new Vector3(1, 0, 0);
    right.addScaledVector(this.up, -right.dot(this.up)).normalize();
    return [right, right.clone().cross(this.up)];
  }

  /** Looks along an axis from where the world begins, or from a position to a target. */
  look(from: string | number[]): void {
    if (typeof from !== 'string') {
      this.camera.position.set(from[0]!, from[1]!, from[2]!);
      this.controls.target.set(from[3]!, from[4]!, from[5]!);
    } else {
      const [, near] = this.basis();
      const axis = new Vector3(Number(from.endsWith('x')), Number(from.endsWith('y')), Number(from.endsWith('z')));
      if (from.startsWith('-')) axis.negate();
      const direction = from === 'start' ? this.clearDirection() : axis;
      // Keeps the up direction defined.
      if (from !== 'start' && Math.abs(direction.dot(this.up)) > 0.99) direction.addScaledVector(near, 1e-3);
      const center = this.around.getCenter(new Vector3());
      if (this.followed >= 0) center.copy(this.placeOf(this.followed));
      const radius = Math.max(1e-3, 0.5 * this.around.getSize(new Vector3()).length());
      const half = (this.camera.fov * Math.PI) / 360;
      const distance = radius / Math.sin(Math.min(half, Math.atan(Math.tan(half) * Math.max(0.3, this.camera.aspect))));
      this.camera.position.copy(center).addScaledVector(direction.normalize(), distance);
      this.controls.target.copy(center);
    }
    this.controls.update();
    this.touch();
  }

  /** A direction from the front right, or from where less of what moves is hidden by what does not. */
  private clearDirection(): Vector3 {
    if (this.clear) return this.clear.clone();
    const [right, near] = this.basis();
    const fixed = [...this.first.shapes.owners.keys()].filter((mesh) => !mesh.userData['moves']);
    const reach = 3 * this.around.getSize(new Vector3()).length();
    const caster = new Raycaster();
    let least = Infinity;
    for (const height of [0.75, 1.8]) {
      for (const turn of [0, 45, -45, 90, -90, 135, -135, 180]) {
        const direction = near.clone().multiplyScalar(1.5).addScaledVector(right, 0.95)
          .applyAxisAngle(this.up, (turn * Math.PI) / 180).addScaledVector(this.up, height).normalize();
        let hidden = 0;
        for (const place of this.places) {
          caster.set(place, direction);
          caster.far = reach;
          if (caster.intersectObjects(fixed, false).length > 0) hidden++;
        }
        if (hidden < least) {
          least = hidden;
          this.clear = direction;
        }
        if (least === 0) return direction;
      }
    }
    return this.clear!.clone();
  }

  /** The position and target of the camera. */
  get place(): number[] {
    return [...this.camera.position.toArray(), ...this.controls.target.toArray()];
  }

  private placeOf(body: number): Vector3 {
    return new Vector3(...this.first.moment.poses.subarray(7 * body, 7 * body + 3));
  }

  follow(body: number): void {
    this.followed = body;
    if (body >= 0) this.lastPlace.copy(this.placeOf(body));
  }

  show(time: number): void {
    this.time = time;
    const showBounding = this.shown.has('bounding');
    if (this.first.moveTo(time, showBounding)) this.enter();
    this.second?.moveTo(time, false);
    if (this.followed >= 0 && this.followed < this.scene.bodies.length) {
      const place = this.placeOf(this.followed);
      const way = place.clone().sub(this.lastPlace);
      this.camera.position.add(way);
      this.controls.target.add(way);
      this.sun.position.add(way);
      this.sun.target.position.add(way);
      this.lastPlace.copy(place);
      this.controls.update();
    }
    this.touch();
  }

  // Takes the bodies of another scene.
  private enter(): void {
    const { scene } = this;
    const other = this.settled?.world !== scene.world || this.settled.up.some((c, i) => c !== scene.up[i]);
    if (other) this.settle();
    const extent = this.around.getSize(new Vector3()).length();
    const sizes = bodyBoxes(scene).map((box) =>
      Math.min(0.5 * extent, Math.max(0.02 * extent / Math.sqrt(Math.max(1, scene.movingCount / 4)), box.isEmpty() ? 0 : 0.75 * box.getSize(new Vector3()).length())));
    const colors = this.marks?.colors;
    if (this.marks) {
      this.world.remove(this.marks.group);
      this.marks.dispose();
    }
    this.marks = new Marks(scene, sizes);
    if (colors) this.marks.colors = colors;
    this.marks.forceScale = this.forceOfCell > 0 ? this.cell / this.forceOfCell : 0;
    this.marks.chosen = this.chosen;
    this.world.add(this.marks.group);
    const shadows = this.first.shapes.instances <= kMostShadows;
    this.renderer.shadowMap.enabled = shadows;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.sun.castShadow = shadows;
    if (!other) return;
    this.scaleForces();
    this.look('start');
  }

  setColors(colors: Colors): void {
    this.colors = colors;
    this.marks.colors.chosen = new Color(colors.accent);
    this.makeGrid();
    this.touch();
  }

  choose(joints: Set<string>, body: number): void {
    this.chosen = joints;
    this.marks.chosen = joints;
    this.highlighted = body;
    this.first.shapes.highlight(body, new Color(this.colors.accent));
    this.touch();
  }

  // The grid is on the ground at 0, or below what is lower.
  private makeGrid(): void {
    if (this.grid) {
      this.world.remove(this.grid);
      this.grid.geometry.dispose();
      (this.grid.material as LineBasicMaterial).dispose();
    }
    const [right, near] = this.basis();
    const size = this.around.getSize(new Vector3()).length();
    const center = this.around.getCenter(new Vector3());
    const lowest = Math.min(...[this.around.min, this.around.max].map((corner) => corner.dot(this.up)));
    const height = (lowest < -0.15 * size ? lowest : 0) + 2e-3 * size; // a little above a floor
    const cells = Math.min(100, Math.ceil((3 * size) / this.cell));
    const snap = (value: number) => Math.round(value / this.cell) * this.cell;
    const origin = right.clone().multiplyScalar(snap(center.dot(right))).addScaledVector(near, snap(center.dot(near))).addScaledVector(this.up, height);
    const points: number[] = [];
    const colors: number[] = [];
    const ink = new Color(this.colors.grid);
    // The lines are transparent, so that they show on a floor of any colour, and fade out towards the rim in pieces.
    const line = (a: Vector3, b: Vector3, opacity: number) => {
      const pieces = 16;
      for (let i = 0; i < pieces; i++) {
        for (const k of [i, i + 1]) {
          const p = a.clone().lerp(b, k / pieces);
          const far = Math.min(1, p.distanceTo(origin) / (cells * this.cell));
          points.push(p.x, p.y, p.z);
          colors.push(ink.r, ink.g, ink.b, opacity * (1 - far * far));
        }
      }
    };
    const reach = cells * this.cell;
    for (let i = -cells; i <= cells; i++) {
      const opacity = i % 10 === 0 ? 0.5 : 0.22;
      const along = (u: Vector3, v: Vector3) => line(origin.clone().addScaledVector(u, i * this.cell).addScaledVector(v, -reach),
        origin.clone().addScaledVector(u, i * this.cell).addScaledVector(v, reach), opacity);
      along(right, near);
      along(near, right);
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(points), 3));
    geometry.setAttribute('color', new BufferAttribute(new Float32Array(colors), 4));
    this.grid = new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }));
    this.world.add(this.grid);
  }

  /** The body at a point of the canvas [pixels]; -1: none. */
  pick(x: number, y: number): number {
    const caster = new Raycaster();
    caster.setFromCamera(new Vector2((2 * x) / this.canvas.clientWidth - 1, 1 - (2 * y) / this.canvas.clientHeight), this.camera);
    const hit = caster.intersectObjects(this.first.shapes.group.children, false)[0];
    if (!hit || hit.instanceId === undefined) return -1;
    return this.first.shapes.owners.get(hit.object as InstancedMesh)![hit.instanceId]!.body;
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement!;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.touch();
    this.draw();
  }

  /** Draws the scene if anything has changed. */
  draw(): void {
    if (!this.stale) return;
    this.stale = false;
    this.marks.shown.clear();
    for (const mark of this.shown) if (mark !== 'bounding' && mark !== 'grid' && mark !== 'background') this.marks.shown.add(mark);
    this.marks.update(this.first.moment);
    if (this.grid) this.grid.visible = this.shown.has('grid');
    const sky = this.scene.background;
    this.world.background = this.shown.has('background') && sky ? new Color().setRGB(...sky, 'srgb') : new Color(this.colors.background);
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = distance / 200;
    this.camera.far = distance * 200;
    this.camera.updateProjectionMatrix();
    this.renderer.render(this.world, this.camera);
    this.drawn++;
  }

  /** Gets the time of frames while the recording plays. Where frames are slow, shadows are left out. */
  pace(seconds: number): void {
    this.seconds += (seconds - this.seconds) * 0.08;
    if (this.seconds < kSlow || !this.sun.castShadow) return;
    this.sun.castShadow = false;
    this.touch();
  }

  /** Computes the present moment again, after a change of switches. */
  refresh(): void {
    this.show(this.time);
  }

  get selected(): number {
    return this.highlighted;
  }
}

/** The 95th percentile of the contact forces [N], of at most a few thousand of them. */
function largestForce(recording: Recording): number {
  const forces: number[] = [];
  const step = Math.max(1, Math.floor(recording.frames.length / 200));
  for (let i = 0; i < recording.frames.length; i += step) {
    const frame = recording.frames[i]!;
    for (let k = 0; k < Math.min(100, frame.contactCount); k++) {
      const length = Math.hypot(...frame.contact(k).force);
      if (Number.isFinite(length)) forces.push(length);
    }
  }
  forces.sort((a, b) => a - b);
  return forces[Math.floor(0.95 * (forces.length - 1))] ?? 0;
}

