// SPDX-License-Identifier: Apache-2.0
import * as wbmatrix from 'wbmatrix.js';
import * as wbquaternion from 'wbquaternion.js';

export {determinant, inverse, multiply, transpose} from 'wbmatrix.js';

export function identity() {
  return wbmatrix.identity(3);
}

export function multiplyVector(m, v) {
  return {
    x: m[0] * v.x + m[1] * v.y + m[2] * v.z,
    y: m[3] * v.x + m[4] * v.y + m[5] * v.z,
    z: m[6] * v.x + m[7] * v.y + m[8] * v.z
  };
}

export function fromRotation(rotation) {
  const q = wbquaternion.fromRotation(rotation);
  const columns = [{x: 1, y: 0, z: 0}, {x: 0, y: 1, z: 0}, {x: 0, y: 0, z: 1}]
    .map((axis) => wbquaternion.rotateVector(q, axis));
  return ['x', 'y', 'z'].flatMap((row) => columns.map((column) => column[row]));
}

export function toRotation(m) {
  // The largest component comes from the diagonal, the others result from dividing by it.
  const squares = [1 + m[0] + m[4] + m[8], 1 + m[0] - m[4] - m[8], 1 - m[0] + m[4] - m[8],
    1 - m[0] - m[4] + m[8]];
  const products = [
    [squares[0], m[7] - m[5], m[2] - m[6], m[3] - m[1]],
    [m[7] - m[5], squares[1], m[1] + m[3], m[2] + m[6]],
    [m[2] - m[6], m[1] + m[3], squares[2], m[5] + m[7]],
    [m[3] - m[1], m[2] + m[6], m[5] + m[7], squares[3]]];
  const [w, x, y, z] = products[squares.indexOf(Math.max(...squares))];
  return wbquaternion.toRotation(w < 0 ? {w: -w, x: -x, y: -y, z: -z} : {w, x, y, z});
}
