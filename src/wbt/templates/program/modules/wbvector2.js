// SPDX-License-Identifier: Apache-2.0
import {intersection2DLines} from 'wbgeometry.js';
import {vectorFunctions} from 'wbvector.js';

export const {equal, add, minus, multiply, divide, negate, dot, norm, normalize, distance, angle} =
  vectorFunctions(['x', 'y']);

/// Returns the intersection of the lines through a, b and c, d; undefined if they are parallel.
export function intersection(a, b, c, d) {
  return intersection2DLines(a, b, c, d);
}

/// Returns the z coordinate of the cross product in space.
export function cross(a, b) {
  return a.x * b.y - a.y * b.x;
}
