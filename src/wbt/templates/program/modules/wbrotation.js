// SPDX-License-Identifier: Apache-2.0
// Rotations {x, y, z, a}: an axis and an angle about it.
import * as wbmatrix3 from 'wbmatrix3.js';
import * as wbquaternion from 'wbquaternion.js';

export function equal(a, b) {
  return a.x === b.x && a.y === b.y && a.z === b.z && a.a === b.a;
}

/// First the second one, then the first.
export function combine(a, b) {
  return wbquaternion.toRotation(
    wbquaternion.multiply(wbquaternion.fromRotation(a), wbquaternion.fromRotation(b)));
}

export function inverse(rotation) {
  return {x: rotation.x, y: rotation.y, z: rotation.z, a: -rotation.a};
}

/// The vector, turned.
export function rotateVector(rotation, vector) {
  return wbquaternion.rotateVector(wbquaternion.fromRotation(rotation), vector);
}

export function toQuaternion(rotation) {
  return wbquaternion.fromRotation(rotation);
}

export function fromQuaternion(quaternion) {
  return wbquaternion.toRotation(quaternion);
}

export function toMatrix3(rotation) {
  return wbmatrix3.fromRotation(rotation);
}

export function fromMatrix3(matrix) {
  return wbmatrix3.toRotation(matrix);
}
