// SPDX-License-Identifier: Apache-2.0
// Rotations {x, y, z, a}: an axis and an angle about it.
import * as wbmatrix3 from 'wbmatrix3.js';
import * as wbquaternion from 'wbquaternion.js';

export function equal(a, b) {
  return a.x === b.x && a.y === b.y && a.z === b.z && a.a === b.a;
}

/// Returns the rotation that applies the second one first, then the first.
export function combine(a, b) {
  return wbquaternion.toRotation(
    wbquaternion.multiply(wbquaternion.fromRotation(a), wbquaternion.fromRotation(b)));
}

export function inverse(rotation) {
  return {x: rotation.x, y: rotation.y, z: rotation.z, a: -rotation.a};
}

/// Returns the rotated vector.
export function rotateVector(rotation, vector) {
  return wbquaternion.rotateVector(wbquaternion.fromRotation(rotation), vector);
}

export function isIdentity(rotation) {
  return Math.abs(Math.sin(0.5 * rotation.a)) < 1e-9 ||
    (rotation.x === 0 && rotation.y === 0 && rotation.z === 0);
}

/// Returns the rotation with an axis of length 1.
export function normalize(rotation) {
  const n = Math.hypot(rotation.x, rotation.y, rotation.z);
  return n > 0 ?
    {x: rotation.x / n, y: rotation.y / n, z: rotation.z / n, a: rotation.a} :
    {x: 0, y: 0, z: 1, a: 0};
}

// Puts the vector before its rotation; the arguments may have either order.
const inOrder = (first, second, isTurn) => isTurn(first) ? [second, first] : [first, second];

export function rotateVector3ByRotation(first, second) {
  const [vector, rotation] = inOrder(first, second, (value) => 'a' in value);
  return rotateVector(rotation, vector);
}

export function rotateVector3ByQuaternion(first, second) {
  const [vector, quaternion] = inOrder(first, second, (value) => 'w' in value);
  return wbquaternion.rotateVector(quaternion, vector);
}

export function rotateVector3ByMatrix3(first, second) {
  const [vector, matrix] = inOrder(first, second, Array.isArray);
  return wbmatrix3.multiplyVector(matrix.flat(), vector);
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
