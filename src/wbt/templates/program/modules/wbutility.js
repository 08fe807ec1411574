// SPDX-License-Identifier: Apache-2.0
export function info(text) {
  console.info(text);
}

export function warning(text) {
  console.warn(text);
}

export function error(text) {
  console.error(text);
}

/// Ends the template with `text` if the condition is false.
export function assert(condition, text = 'an assertion of the template does not hold') {
  if (!condition)
    throw new Error(text);
}

/// Also copies lists and objects inside; a list may contain itself.
export function deepCopy(value, copies = new Map()) {
  if (typeof value !== 'object' || value === null)
    return value;
  if (!copies.has(value)) {
    const copy = Array.isArray(value) ? [] : {};
    copies.set(value, copy);
    for (const key of Object.keys(value))
      copy[key] = deepCopy(value[key], copies);
  }
  return copies.get(value);
}

export function degreesToRadians(angle) {
  return angle * Math.PI / 180;
}

export function radiansToDegrees(angle) {
  return angle * 180 / Math.PI;
}

export function isScalar(value) {
  return typeof value === 'number' && !Number.isNaN(value);
}

// Returns whether it has these members, all numbers, and no other of x, y, z, w, a.
const hasOnly = (value, names) => typeof value === 'object' && value !== null &&
  ['x', 'y', 'z', 'w', 'a'].every((name) => names.includes(name) ? isScalar(value[name]) :
    !(name in value));

export function isVector2(value) {
  return hasOnly(value, 'xy');
}

export function isVector3(value) {
  return hasOnly(value, 'xyz');
}

export function isAxisAngle(value) {
  return hasOnly(value, 'xyza');
}

export function isQuaternion(value) {
  return hasOnly(value, 'wxyz');
}

/// Accepts nine numbers, row by row, like those of wbmatrix3, or three rows of three.
export function isMatrix3(value) {
  const areNumbers = (list, count) => Array.isArray(list) && list.length === count &&
    list.every(isScalar);
  return areNumbers(value, 9) ||
    (Array.isArray(value) && value.length === 3 && value.every((row) => areNumbers(row, 3)));
}

/// Accepts a list of points {x, y} or {x, y, z}; only those of `dimension` 2 or 3 if it is given.
export function isArrayOfPoints(value, dimension) {
  return Array.isArray(value) && ((dimension !== 3 && value.every(isVector2)) ||
    (dimension !== 2 && value.every(isVector3)));
}

/// Shuffles the list in place with Math.random() and returns it.
export function shuffleList(list) {
  for (let i = list.length - 1; i > 0; --i) {
    const j = Math.floor(Math.random() * (i + 1));
    [list[i], list[j]] = [list[j], list[i]];
  }
  return list;
}

/// Converts '#ff8000' to {r: 1, g: 0.5, b: 0}.
export function colorHexadecimalToRGB(text) {
  const number = parseInt(text.replace('#', ''), 16);
  return {r: (number >> 16 & 255) / 255, g: (number >> 8 & 255) / 255, b: (number & 255) / 255};
}
