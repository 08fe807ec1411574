// SPDX-License-Identifier: Apache-2.0
import {vectorFunctions} from 'wbvector.js';

export const {equal, add, minus, multiply, divide, negate, dot, norm, normalize, distance, angle} =
  vectorFunctions(['x', 'y', 'z']);

export function cross(a, b) {
  return {x: a.y * b.z - a.z * b.y, y: a.z * b.x - a.x * b.z, z: a.x * b.y - a.y * b.x};
}
