# SPDX-License-Identifier: Apache-2.0
"""Simple pictures of a scene: bodies and joint axes, drawn with numpy alone and without a display.
"""
from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Tuple

import base64

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Array = NDArray[np.float64]

_SIDES = 20  # sides of a round shape
_BACKGROUND = np.array([0.94, 0.95, 0.96])
_AXIS = np.array([0.85, 0.25, 0.1])
_PALETTE = np.array([[0.36, 0.55, 0.75], [0.80, 0.55, 0.33], [0.45, 0.66, 0.45], [0.66, 0.50, 0.70],
                     [0.70, 0.68, 0.42], [0.45, 0.65, 0.68]])
_LIGHT = np.array([0.35, -0.5, 0.79])
# Shapes that are this many times larger than what moves are the ground or a wall, and are left out.
_HUGE = 6.0
_FIELD_OF_VIEW = 0.6  # [rad]


def _rotation(quaternion: ArrayLike) -> _Array:
    """The matrix (3, 3) of a unit quaternion x, y, z, w."""
    x, y, z, w = np.asarray(quaternion, dtype=np.float64)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])


def _placed(points: _Array, pose: ArrayLike) -> _Array:
    """Points (..., 3) of a frame in the frame around it. The frame has the pose x, y, z, qx, qy,
    qz, qw.
    """
    numbers = np.asarray(pose, dtype=np.float64)
    return points @ _rotation(numbers[3:]).T + numbers[:3]


def _box(size: ArrayLike) -> _Array:
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) / 2.0
    corners = corners * np.asarray(size, dtype=np.float64)
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return np.array([[corners[f[0]], corners[f[i]], corners[f[i + 1]]]
                     for f in faces for i in (1, 2)])


def _turned(profile: List[Tuple[float, float]]) -> _Array:
    """The surface of revolution about z of a profile of (radius, z) that begins below."""
    angles = np.linspace(0.0, 2.0 * np.pi, _SIDES + 1)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    triangles = []
    for (r0, z0), (r1, z1) in zip(profile[:-1], profile[1:]):
        for c0, c1 in zip(circle[:-1], circle[1:]):
            a, b = [*(r0 * c0), z0], [*(r0 * c1), z0]
            c, d = [*(r1 * c1), z1], [*(r1 * c0), z1]
            if r0 > 0.0:
                triangles.append([a, b, c])
            if r1 > 0.0:
                triangles.append([a, c, d])
    return np.array(triangles)


def _arc(radius: float, z: float, begin: float, end: float) -> List[Tuple[float, float]]:
    angles = np.linspace(begin, end, _SIDES // 4 + 1)
    return [(max(0.0, float(radius * np.cos(a))), float(z + radius * np.sin(a))) for a in angles]


def _triangles(geometry: Mapping[str, Any], meshes: List[_Array]) -> Optional[_Array]:
    """The triangles (n, 3, 3) of a geometry of a scene, in its own frame; None for a plane."""
    kind = geometry['type']
    quarter = np.pi / 2.0
    if kind == 'box':
        return _box(geometry['size'])
    if kind == 'sphere':
        radius = geometry['radius']
        return _turned(_arc(radius, 0.0, -quarter, 0.0)[:-1] + _arc(radius, 0.0, 0.0, quarter))
    if kind in ('cylinder', 'capsule', 'cone'):
        radius, half = geometry['radius'], geometry['height'] / 2.0
        if kind == 'cylinder':
            return _turned([(0.0, -half), (radius, -half), (radius, half), (0.0, half)])
        if kind == 'cone':
            return _turned([(0.0, -half), (radius, -half), (0.0, half)])
        return _turned(_arc(radius, -half, -quarter, 0.0) + _arc(radius, half, 0.0, quarter))
    if kind == 'mesh':
        return meshes[geometry['mesh']]
    return None


def _mesh(mesh: Mapping[str, str]) -> _Array:
    positions = np.frombuffer(base64.b64decode(mesh['positions']), dtype='<f4').reshape(-1, 3)
    indices = np.frombuffer(base64.b64decode(mesh['indices']), dtype='<u4').reshape(-1, 3)
    return positions.astype(np.float64)[indices]


class Picture:
    """Draws a scene of `Simulation.scene()`, with its bodies at their present places.

    The camera looks from the front right at what moves; `width` and `height` are in pixels.
    """

    def __init__(self, scene: Mapping[str, Any], width: int = 480, height: int = 360) -> None:
        if width < 1 or height < 1:
            raise ValueError(f'a picture of {width} x {height} pixels is empty')
        self.width = width
        self.height = height
        self._bodies: List[Dict[str, Any]] = list(scene['bodies'])
        self._joints: List[Dict[str, Any]] = list(scene['joints'])
        self._start: _Array = np.array([body['pose'] for body in self._bodies],
                                       dtype=np.float64).reshape(-1, 7)
        self._shapes = self._shapes_of(scene)
        self._aim(np.asarray(scene['up'], dtype=np.float64))

    def __repr__(self) -> str:
        return f'<Picture of {len(self._bodies)} bodies, {self.width} x {self.height} pixels>'

    @property
    def names(self) -> List[str]:
        """The names of the bodies, in the order of the poses."""
        return [str(body['name']) for body in self._bodies]

    def _shapes_of(self, scene: Mapping[str, Any]) -> List[Tuple[int, _Array, _Array]]:
        meshes = [_mesh(mesh) for mesh in scene['meshes']]
        shapes = []
        for index, body in enumerate(self._bodies):
            drawn = [shape for shape in body['shapes'] if not shape['bounding']] or body['shapes']
            for shape in drawn:
                triangles = _triangles(shape['geometry'], meshes)
                if triangles is None or len(triangles) == 0:
                    continue
                triangles = triangles * np.asarray(shape.get('scale', (1, 1, 1)), dtype=np.float64)
                color = shape.get('color', _PALETTE[index % len(_PALETTE)])
                shapes.append((index, _placed(triangles, shape['pose']),
                               np.asarray(color, dtype=np.float64)))
        return shapes

    def _aim(self, up: _Array) -> None:
        """Puts the camera where it sees everything that moves, and leaves out what is much larger.
        """
        up = up / np.linalg.norm(up)
        moving = [i for i, body in enumerate(self._bodies) if body['moves']]
        chosen = [shape for shape in self._shapes if shape[0] in moving] or self._shapes
        points = [_placed(t, self._start[i]).reshape(-1, 3) for i, t, _ in chosen]
        points = points or [np.zeros((1, 3))]
        cloud = np.concatenate(points)
        low, high = cloud.min(axis=0), cloud.max(axis=0)
        radius = max(0.05, float(np.linalg.norm(high - low)) / 2.0)
        self._shapes = [shape for shape in self._shapes if shape[0] in moving or
                        np.ptp(shape[1].reshape(-1, 3), axis=0).max() < _HUGE * radius]
        self._length = radius / 6.0  # length of an axis that is drawn
        aside = np.array([1.0, 0.0, 0.0]) if abs(up[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
        right = np.cross(up, np.cross(aside, up))
        right /= np.linalg.norm(right)
        front = np.cross(right, up)
        back = right * 0.55 + front * 0.9 + up * 0.45
        back /= np.linalg.norm(back)
        x = np.cross(up, back)
        x /= np.linalg.norm(x)
        self._camera = np.stack([x, np.cross(back, x), back])  # rows: right, up, backwards
        self._light = _LIGHT @ np.stack([right, front, up])
        distance = 1.15 * radius / np.sin(_FIELD_OF_VIEW / 2.0)
        self._eye = (low + high) / 2.0 + back * distance
        self._focus = min(self.width, self.height) / 2.0 / np.tan(_FIELD_OF_VIEW / 2.0)
        self._near = 0.05 * distance

    def _project(self, points: _Array) -> _Array:
        """The columns, rows and depths in the picture of points (..., 3) of the world."""
        seen = (points - self._eye) @ self._camera.T
        depth = -seen[..., 2]
        scale = self._focus / np.maximum(depth, self._near)
        return np.stack([self.width / 2.0 + seen[..., 0] * scale,
                         self.height / 2.0 - seen[..., 1] * scale, depth], axis=-1)

    def draw(self, poses: Optional[ArrayLike] = None) -> NDArray[np.uint8]:
        """A picture (height, width, 3) of red, green and blue from 0 to 255.

        poses: (Solids, 7) of x, y, z in m and the quaternion qx, qy, qz, qw, as in
            Simulation.solid_poses; without them, the poses at the start.
        """
        placed = self._start.copy()
        if poses is not None:
            given = np.asarray(poses, dtype=np.float64)
            solids = len(self._start) - (1 if self.names[-1:] == ['world'] else 0)
            if given.shape not in ((solids, 7), self._start.shape):
                raise ValueError(f'poses have the shape {given.shape}, not {(solids, 7)}: one row of '
                                 'x, y, z, qx, qy, qz, qw for each Solid')
            placed[:len(given)] = given
        picture = np.empty((self.height, self.width, 3))
        picture[:] = _BACKGROUND
        depths = np.full((self.height, self.width), np.inf)
        for index, triangles, color in self._shapes:
            if np.isfinite(placed[index]).all():
                self._draw_triangles(_placed(triangles, placed[index]), color, picture, depths)
        for joint in self._joints:
            self._draw_axis(joint, placed, picture)
        return np.asarray(np.clip(picture * 255.0 + 0.5, 0, 255), dtype=np.uint8)

    def _draw_triangles(self, triangles: _Array, color: _Array, picture: _Array,
                        depths: _Array) -> None:
        normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
        lengths = np.linalg.norm(normals, axis=1)
        front = np.einsum('ij,ij->i', normals, self._eye - triangles[:, 0]) > 0.0
        seen = self._project(triangles)
        front &= (lengths > 0.0) & (seen[..., 2] > self._near).all(axis=1)
        bright = 0.55 + 0.45 * np.clip((normals / np.maximum(lengths, 1e-300)[:, None]) @ self._light,
                                       0.0, 1.0)
        for corner, light in zip(seen[front], bright[front]):
            self._fill(corner, np.clip(color * light, 0.0, 1.0), picture, depths)

    def _fill(self, corner: _Array, color: _Array, picture: _Array, depths: _Array) -> None:
        left = max(0, int(np.ceil(corner[:, 0].min() - 0.5)))
        right = min(self.width, int(np.floor(corner[:, 0].max() + 0.5)) + 1)
        top = max(0, int(np.ceil(corner[:, 1].min() - 0.5)))
        bottom = min(self.height, int(np.floor(corner[:, 1].max() + 0.5)) + 1)
        if left >= right or top >= bottom:
            return
        (ax, ay, _), (bx, by, _), (cx, cy, _) = corner
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if area == 0.0:
            return
        x = np.arange(left, right)[None, :]
        y = np.arange(top, bottom)[:, None]
        b = ((x - ax) * (cy - ay) - (y - ay) * (cx - ax)) / area
        c = ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / area
        depth = corner[0, 2] + b * (corner[1, 2] - corner[0, 2]) + c * (corner[2, 2] - corner[0, 2])
        part = depths[top:bottom, left:right]
        inside = (b >= 0.0) & (c >= 0.0) & (b + c <= 1.0) & (depth < part)
        part[inside] = depth[inside]
        picture[top:bottom, left:right][inside] = color

    def _draw_axis(self, joint: Mapping[str, Any], placed: _Array, picture: _Array) -> None:
        """Draws the axis of a joint as a short line over everything else."""
        if joint['type'] == 'belt':
            return
        axis = np.asarray(joint['axis'], dtype=np.float64)
        ends = np.asarray(joint['anchor'], dtype=np.float64) + np.outer((-1.0, 1.0), axis) * self._length
        parent = int(joint['parent'])
        if parent >= 0:
            if not np.isfinite(placed[parent]).all():
                return
            ends = _placed(ends, placed[parent])
        seen = self._project(ends)
        if (seen[:, 2] <= self._near).any():
            return
        count = int(np.abs(seen[1, :2] - seen[0, :2]).max()) + 2
        line = seen[0, :2] + np.linspace(0.0, 1.0, count)[:, None] * (seen[1, :2] - seen[0, :2])
        columns, rows = np.rint(line).astype(int).T
        for shift in (0, 1):
            inside = ((columns + shift >= 0) & (columns + shift < self.width) &
                      (rows >= 0) & (rows < self.height))
            picture[rows[inside], columns[inside] + shift] = _AXIS
