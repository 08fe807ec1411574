// SPDX-License-Identifier: Apache-2.0
// Quaternions {w, x, y, z}.
export function multiply(p, q) {
  return {
    w: p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z,
    x: p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
    y: p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
    z: p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w
  };
}

export function conjugate(q) {
  return {w: q.w, x: -q.x, y: -q.y, z: -q.z};
}

export function norm(q) {
  return Math.hypot(q.w, q.x, q.y, q.z);
}

export function normalize(q) {
  const n = norm(q);
  return n > 0 ? {w: q.w / n, x: q.x / n, y: q.y / n, z: q.z / n} : {w: 1, x: 0, y: 0, z: 0};
}

/// Returns the rotated vector.
export function rotateVector(q, v) {
  const {x, y, z} = multiply(multiply(q, {w: 0, x: v.x, y: v.y, z: v.z}), conjugate(q));
  return {x, y, z};
}

export function fromRotation(rotation) {
  const n = Math.hypot(rotation.x, rotation.y, rotation.z);
  const s = n > 0 ? Math.sin(0.5 * rotation.a) / n : 0;
  return {
    w: n > 0 ? Math.cos(0.5 * rotation.a) : 1,
    x: s * rotation.x,
    y: s * rotation.y,
    z: s * rotation.z
  };
}

export function toRotation(quaternion) {
  const q = normalize(quaternion);
  const s = Math.hypot(q.x, q.y, q.z);
  return s > 0 ? {x: q.x / s, y: q.y / s, z: q.z / s, a: 2 * Math.atan2(s, q.w)} :
                 {x: 0, y: 0, z: 1, a: 0};
}
