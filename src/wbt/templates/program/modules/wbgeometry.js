// SPDX-License-Identifier: Apache-2.0
// Points {x, y} and {x, y, z}; a polygon is a list of points.
const axesOf = (point) => 'z' in point ? ['x', 'y', 'z'] : ['x', 'y'];

const between = (p, q, names, t) =>
  Object.fromEntries(names.map((name) => [name, p[name] + t * (q[name] - p[name])]));

// The manuals of some releases of Webots have these names.
export {
  findClosest2DPointInArray as findClosestPoint2InArray,
  findClosest3DPointInArray as findClosestPoint3InArray,
  isPolygonClockwise as isPoint2ArrayClockwise
};

/// Returns twice the area; it is positive if the points are in counter-clockwise order.
function signedArea(polygon) {
  return polygon.reduce((sum, p, i) => {
    const q = polygon[(i + 1) % polygon.length];
    return sum + p.x * q.y - q.x * p.y;
  }, 0);
}

export function distance2D(a, b) {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

export function distance3D(a, b) {
  return Math.hypot(a.x - b.x, a.y - b.y, a.z - b.z);
}

export function isPolygonClockwise(polygon) {
  return signedArea(polygon) < 0;
}

export function polygonArea(polygon) {
  return 0.5 * Math.abs(signedArea(polygon));
}

export function isPoint2InPolygon(point, polygon) {
  let inside = false;
  polygon.forEach((p, i) => {
    const q = polygon[(i + 1) % polygon.length];
    if ((p.y > point.y) !== (q.y > point.y) &&
        point.x < p.x + (q.x - p.x) * (point.y - p.y) / (q.y - p.y))
      inside = !inside;
  });
  return inside;
}

/// Returns the index of the nearest point; -1 if the list is empty.
export function findClosest2DPointInArray(point, points) {
  return closest(points, (p) => distance2D(p, point));
}

export function findClosest3DPointInArray(point, points) {
  return closest(points, (p) => distance3D(p, point));
}

function closest(points, distance) {
  let best = -1;
  points.forEach((p, i) => {
    if (best < 0 || distance(p) < distance(points[best]))
      best = i;
  });
  return best;
}

/// Returns the intersection of the lines through a, b and c, d; undefined if they are parallel.
export function intersection2DLines(a, b, c, d) {
  const cross = (b.x - a.x) * (d.y - c.y) - (b.y - a.y) * (d.x - c.x);
  if (cross === 0)
    return undefined;
  const t = ((c.x - a.x) * (d.y - c.y) - (c.y - a.y) * (d.x - c.x)) / cross;
  return between(a, b, ['x', 'y'], t);
}

/// Returns `subdivision` points around `center`, counter-clockwise from the direction `shift` [rad]
/// on. The point with which Webots begins is unknown.
export function circle(radius, subdivision, center = {x: 0, y: 0}, shift = 0) {
  return Array.from({length: subdivision}, (_, i) => {
    const angle = 2 * Math.PI * i / subdivision + shift;
    return {x: center.x + radius * Math.cos(angle), y: center.y + radius * Math.sin(angle)};
  });
}

/// Returns a cubic B-spline from the first to the last point with `subdivision` points per segment.
function bSpline(points, subdivision) {
  if (points.length < 2 || !(subdivision >= 1))
    return points.slice();
  const names = axesOf(points[0]);
  const first = points[0];
  const last = points[points.length - 1];
  const all = [between(points[1], first, names, 2), ...points,
    between(points[points.length - 2], last, names, 2)];
  const line = [];
  for (let i = 0; i + 3 < all.length; ++i) {
    for (let k = 0; k < subdivision; ++k)
      line.push(pointOfSpline(all.slice(i, i + 4), names, k / subdivision));
  }
  line.push(last);
  return line;
}

function pointOfSpline(points, names, t) {
  const weights = [(1 - t) ** 3, 3 * t ** 3 - 6 * t ** 2 + 4,
    -3 * t ** 3 + 3 * t ** 2 + 3 * t + 1, t ** 3].map((weight) => weight / 6);
  return Object.fromEntries(names.map((name) =>
    [name, points.reduce((sum, point, i) => sum + weights[i] * point[name], 0)]));
}

export {
  bSpline as bSpline2, bSpline as bSpline3, bSpline as bSpline2D, bSpline as bSpline3D
};
