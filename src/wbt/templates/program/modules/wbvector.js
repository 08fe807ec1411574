// SPDX-License-Identifier: Apache-2.0
// The common functions of vectors of two, three and four coordinates.
export function vectorFunctions(names) {
  const make = (value) => Object.fromEntries(names.map((name) => [name, value(name)]));
  const sum = (value) => names.reduce((total, name) => total + value(name), 0);
  const f = {};
  f.equal = (a, b) => names.every((name) => a[name] === b[name]);
  f.add = (a, b) => make((name) => a[name] + b[name]);
  f.minus = (a, b) => make((name) => a[name] - b[name]);
  f.multiply = (v, scalar) => make((name) => v[name] * scalar);
  f.divide = (v, scalar) => make((name) => v[name] / scalar);
  f.negate = (v) => make((name) => -v[name]);
  f.dot = (a, b) => sum((name) => a[name] * b[name]);
  f.norm = (v) => Math.sqrt(f.dot(v, v));
  f.normalize = (v) => {
    const norm = f.norm(v);
    return norm > 0 ? f.divide(v, norm) : f.multiply(v, 1);
  };
  f.distance = (a, b) => f.norm(f.minus(a, b));
  f.angle = (a, b) =>
    Math.acos(Math.min(1, Math.max(-1, f.dot(a, b) / (f.norm(a) * f.norm(b)))));
  return f;
}
