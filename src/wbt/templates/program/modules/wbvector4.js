// SPDX-License-Identifier: Apache-2.0
import {vectorFunctions} from 'wbvector.js';

export const {equal, add, minus, multiply, divide, negate, dot, norm, normalize, distance, angle} =
  vectorFunctions(['x', 'y', 'z', 'w']);
