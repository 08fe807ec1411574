// SPDX-License-Identifier: Apache-2.0
import * as wbmatrix from 'wbmatrix.js';
import * as wbmatrix3 from 'wbmatrix3.js';

export {determinant, inverse, multiply, transpose} from 'wbmatrix.js';

export function identity() {
  return wbmatrix.identity(4);
}

/// Returns the matrix of a Pose.
export function fromPose(translation, rotation) {
  const m = wbmatrix3.fromRotation(rotation);
  return [m[0], m[1], m[2], translation.x, m[3], m[4], m[5], translation.y, m[6], m[7], m[8],
    translation.z, 0, 0, 0, 1];
}

/// Transforms a point.
export function multiplyVector(m, v) {
  return {
    x: m[0] * v.x + m[1] * v.y + m[2] * v.z + m[3],
    y: m[4] * v.x + m[5] * v.y + m[6] * v.z + m[7],
    z: m[8] * v.x + m[9] * v.y + m[10] * v.z + m[11]
  };
}
