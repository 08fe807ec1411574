// SPDX-License-Identifier: Apache-2.0
import {vectorFunctions} from 'wbvector.js';

export const {equal, add, minus, multiply, divide, negate, dot, norm, normalize, distance, angle} =
  vectorFunctions(['x', 'y']);

/// The z coordinate of the product in space.
export function cross(a, b) {
  return a.x * b.y - a.y * b.x;
}
