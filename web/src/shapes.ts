// SPDX-License-Identifier: Apache-2.0
// The shapes of a scene as instances. Equal geometries with equal surfaces are one draw call, so that a thousand
// robots cost as much as one.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, Color, ConeGeometry, CylinderGeometry, DoubleSide,
  DynamicDrawUsage, Group, InstancedMesh, Material, Matrix4, MeshBasicMaterial, MeshLambertMaterial, PlaneGeometry,
  Quaternion, RepeatWrapping, SphereGeometry, SRGBColorSpace, Texture, Vector3,
} from 'three';
import type { Moment } from './pose.ts';
import type { Geometry, MeshData, Pose, Scene, Shape, Wheel } from './scene.ts';

// Muted colours for bodies without a colour in their world, one for each robot; grey for what never moves.
const kPalette = [0x7d9cc4, 0xc7a46c, 0x86b090, 0xb88c9d, 0x9090bd, 0x72adad, 0xc29177, 0xa2a874];
const kFixed = 0x9aa0a8;
const kManyShapes = 500; // more shapes are small, and get fewer triangles

/** The colours of bodies to which their world gives none. The parts of a robot are shades of one hue. */
function bodyColors(scene: Scene): Color[] {
  const hues = new Map<number, number>();
  const colors: Color[] = [];
  scene.bodies.forEach((body, i) => {
    let root = i;
    let depth = 0;
    // A wrong scene could have a cycle.
    for (; scene.bodies[root]!.parent >= 0 && depth < scene.bodies.length; depth++) root = scene.bodies[root]!.parent;
    if (body.moves && !hues.has(root)) hues.set(root, hues.size);
    const color = new Color(body.moves ? kPalette[hues.get(root)! % kPalette.length]! : kFixed);
    colors.push(body.moves ? color.offsetHSL(0, 0, [0, 0.07, -0.05][depth % 3]!) : color);
  });
  return colors;
}

export interface Look {
  kind: 'normal' | 'overlay' | 'bounding';
  color?: number; // for an overlay or for bounding shapes
}

/** The body to which an instance belongs. */
export interface Owner {
  body: number;
  local: Matrix4;
  color: Color;
  wheel: Wheel | null;
}

// The axis is y in three and z here.
const turned = (geometry: BufferGeometry): BufferGeometry => geometry.rotateX(Math.PI / 2);

function meshGeometry(data: MeshData): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(data.positions, 3));
  geometry.setIndex(new BufferAttribute(data.indices, 1));
  if (data.uvs) geometry.setAttribute('uv', new BufferAttribute(data.uvs, 2));
  if (data.normals) {
    geometry.setAttribute('normal', new BufferAttribute(data.normals, 3));
    return geometry;
  }
  const flat = geometry.toNonIndexed(); // without normals there is nothing to smooth by
  flat.computeVertexNormals();
  return flat;
}

/** A geometry that instances share, by its name, and the scale of one instance. */
function shared(geometry: Geometry, around: number, meshes: MeshData[]): { key: string; scale: Vector3; make: () => BufferGeometry } {
  switch (geometry.type) {
    case 'box':
      return { key: 'box', scale: new Vector3(...geometry.size), make: () => new BoxGeometry(1, 1, 1) };
    case 'sphere':
      return { key: 'sphere', scale: new Vector3().setScalar(geometry.radius), make: () => turned(new SphereGeometry(1, around, around / 2)) };
    case 'cylinder':
      return { key: 'cylinder', scale: new Vector3(geometry.radius, geometry.radius, geometry.height), make: () => turned(new CylinderGeometry(1, 1, 1, around)) };
    case 'cone':
      return { key: 'cone', scale: new Vector3(geometry.radius, geometry.radius, geometry.height), make: () => turned(new ConeGeometry(1, 1, around)) };
    case 'capsule': {
      const { radius, height } = geometry;
      return { key: `capsule ${radius} ${height}`, scale: new Vector3(1, 1, 1), make: () => turned(new CapsuleGeometry(radius, height, Math.ceil(around / 3), around)) };
    }
    case 'plane':
      return { key: 'plane', scale: new Vector3(geometry.size[0], geometry.size[1], 1), make: () => new PlaneGeometry(1, 1) };
    case 'mesh':
      return { key: `mesh ${geometry.mesh}`, scale: new Vector3(1, 1, 1), make: () => meshGeometry(meshes[geometry.mesh]!) };
  }
}

export function matrixOf(pose: Pose | Float64Array, at = 0, out = new Matrix4()): Matrix4 {
  const one = new Vector3(1, 1, 1);
  return out.compose(new Vector3(pose[at], pose[at + 1], pose[at + 2]), new Quaternion(pose[at + 3], pose[at + 4], pose[at + 5], pose[at + 6]), one);
}

/** Turns a part of a wheel of a Track by the way of the belt. */
function turnWheel(wheel: Wheel, position: number, out: Matrix4): Matrix4 {
  const angle = Number.isFinite(position) ? position / wheel.radius : 0;
  const [x, y, z] = wheel.center;
  return out.makeTranslation(x, y, z).multiply(new Matrix4().makeRotationAxis(new Vector3(...wheel.axis), angle))
    .multiply(new Matrix4().makeTranslation(-x, -y, -z));
}

/** Whether the page draws a shape of the body by default. */
export function isDrawn(shape: Shape, shapes: Shape[]): boolean {
  return !shape.bounding || shapes.every((each) => each.bounding);
}

export class Shapes {
  readonly group = new Group();
  /** The instances of each mesh, in their order. */
  readonly owners = new Map<InstancedMesh, Owner[]>();
  readonly instances: number;
  private readonly textures = new Map<number, Texture>();
  private readonly world = new Matrix4();

  /** @param onTexture  is called when a picture is ready */
  constructor(readonly scene: Scene, readonly look: Look, private readonly onTexture: () => void) {
    const groups = new Map<string, { make: () => BufferGeometry; material: () => Material; moves: boolean; owners: Owner[] }>();
    const colors = bodyColors(scene);
    const many = scene.bodies.reduce((sum, body) => sum + body.shapes.length, 0) > kManyShapes;
    const around = look.kind === 'bounding' ? 12 : many ? 16 : 32;
    let instances = 0;
    scene.bodies.forEach((body, index) => {
      // It is at the same place as that of the first recording.
      if (look.kind === 'overlay' && !body.moves) return;
      for (const shape of body.shapes) {
        const drawn = look.kind === 'bounding' ? shape.bounding : isDrawn(shape, body.shapes);
        if (!drawn) continue;
        const { key, scale, make } = shared(shape.geometry, around, scene.meshes);
        const local = matrixOf(shape.pose).scale(new Vector3(...shape.scale)).scale(scale);
        const opacity = shape.opacity;
        const textured = look.kind === 'normal' ? shape.texture : null;
        const moves = body.moves || shape.wheel !== null;
        const name = `${key}|${opacity}|${textured}|${moves}`;
        let group = groups.get(name);
        if (!group) {
          const twoSided = shape.geometry.type === 'mesh' || shape.geometry.type === 'plane';
          group = { make, material: () => this.material(opacity, textured, twoSided), moves, owners: [] };
          groups.set(name, group);
        }
        const color = look.color !== undefined ? new Color(look.color)
          : shape.color ? new Color().setRGB(...shape.color, SRGBColorSpace) : textured !== null ? new Color(0xffffff) : colors[index]!;
        group.owners.push({ body: index, local, color, wheel: shape.wheel });
        instances++;
      }
    });
    this.instances = instances;
    for (const { make, material, moves, owners } of groups.values()) {
      const mesh = new InstancedMesh(make(), material(), owners.length);
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.frustumCulled = false; // its bounds change with each frame
      mesh.userData['moves'] = moves;
      owners.forEach((owner, i) => mesh.setColorAt(i, owner.color));
      if (look.kind === 'normal') {
        mesh.castShadow = moves;
        mesh.receiveShadow = true;
      } else {
        mesh.renderOrder = 1;
      }
      this.owners.set(mesh, owners);
      this.group.add(mesh);
    }
  }

  private material(opacity: number, texture: number | null, twoSided: boolean): Material {
    if (this.look.kind === 'bounding') {
      return new MeshBasicMaterial({ wireframe: true, transparent: true, opacity: 0.5, depthWrite: false, depthTest: false });
    }
    const overlay = this.look.kind === 'overlay';
    const material = new MeshLambertMaterial({
      transparent: overlay || opacity < 1, opacity: overlay ? 0.45 : opacity, depthWrite: !overlay && opacity >= 1,
    });
    if (overlay) { // where both are at the same place, the first one is seen
      material.polygonOffset = true;
      material.polygonOffsetFactor = 1;
      material.polygonOffsetUnits = 8;
    }
    if (twoSided) material.side = DoubleSide;
    if (texture !== null) this.load(texture, material);
    return material;
  }

  // It uses an ImageBitmap, since a data: address would count as a request.
  private load(index: number, material: MeshLambertMaterial): void {
    let texture = this.textures.get(index);
    if (!texture) {
      texture = new Texture();
      texture.colorSpace = SRGBColorSpace;
      texture.wrapS = texture.wrapT = RepeatWrapping;
      texture.flipY = false; // it is turned while it is decoded
      this.textures.set(index, texture);
      const { type, data } = this.scene.textures[index]!;
      const ready = texture;
      createImageBitmap(new Blob([data as Uint8Array<ArrayBuffer>], { type }), { imageOrientation: 'flipY' }).then((picture) => {
        ready.image = picture;
        ready.needsUpdate = true;
        this.onTexture();
      }, () => {
        material.map = null; // the picture cannot be decoded
        material.needsUpdate = true;
        this.onTexture();
      });
    }
    material.map = texture;
  }

  /** Moves the instances to the poses of the bodies; with `all` also those that never move. */
  update(moment: Moment, all: boolean): void {
    const turn = new Matrix4();
    for (const [mesh, owners] of this.owners) {
      if (!all && !mesh.userData['moves']) continue;
      let last = -1;
      const out = new Matrix4();
      owners.forEach((owner, i) => {
        if (owner.body !== last) matrixOf(moment.poses, 7 * owner.body, this.world);
        last = owner.body;
        if (owner.wheel) {
          turnWheel(owner.wheel, moment.joint(owner.wheel.joint, 'position'), turn).multiply(owner.local);
        }
        mesh.setMatrixAt(i, out.multiplyMatrices(this.world, owner.wheel ? turn : owner.local));
      });
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null; // it is of the former places; the ray caster makes a new one
    }
  }

  /** Tints a body; -1: none. */
  highlight(body: number, tint: Color): void {
    const color = new Color();
    for (const [mesh, owners] of this.owners) {
      owners.forEach((owner, i) => mesh.setColorAt(i, owner.body === body ? color.copy(owner.color).lerp(tint, 0.55) : owner.color));
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  dispose(): void {
    for (const mesh of this.owners.keys()) {
      mesh.geometry.dispose();
      (mesh.material as Material).dispose();
      mesh.dispose();
    }
    for (const texture of this.textures.values()) texture.dispose();
  }
}
