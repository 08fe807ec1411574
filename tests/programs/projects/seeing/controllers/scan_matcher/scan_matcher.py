# SPDX-License-Identifier: Apache-2.0
"""Finds its own motion by the scans of a lidar alone, and drives to places by that.

Each scan is matched with the points of earlier ones (ICP), which are the map.
"""
import math

import numpy as np
from controller import Robot

PLACES = [(0.9, 0.0), (0.9, 0.9), (-0.7, 0.8), (0.0, 0.0)]


def turned(angle):
    return np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])


def matched(points, known, pose):
    """The pose at which the points of a scan fit best on known ones."""
    for limit in np.linspace(0.3, 0.06, 6):
        moved = points @ turned(pose[2]).T + pose[:2]
        away = ((moved[:, None] - known[None]) ** 2).sum(axis=2)
        nearest = away.argmin(axis=1)
        fits = away[np.arange(len(moved)), nearest] < limit ** 2
        a, b = moved[fits], known[nearest[fits]]
        if len(a) < 10:
            break
        centred = (a - a.mean(axis=0)).T @ (b - b.mean(axis=0))
        turn = math.atan2(centred[0, 1] - centred[1, 0], centred[0, 0] + centred[1, 1])
        shift = b.mean(axis=0) - turned(turn) @ a.mean(axis=0)
        pose = np.array([*(turned(turn) @ pose[:2] + shift), pose[2] + turn])
    return pose


robot = Robot()
step = 10 * int(robot.getBasicTimeStep())
lidar = robot.getDevice('lidar')
lidar.enable(step)
wheels = [robot.getDevice(f'{side} wheel motor') for side in ('left', 'right')]
for wheel in wheels:
    wheel.setPosition(math.inf)
    wheel.setVelocity(0.0)
count = lidar.getHorizontalResolution()
angles = lidar.getFov() * (0.5 - (np.arange(count) + 0.5) / count)
beams = np.column_stack([np.cos(angles), np.sin(angles)])
pose, before = np.zeros(3), np.zeros(3)
known, inserted = None, pose
places = list(PLACES)
while robot.step(step) != -1:
    ranges = np.array(lidar.getRangeImage())
    points = (beams * ranges[:, None])[np.isfinite(ranges)]
    if known is None:
        known = points
    else:
        pose, before = matched(points, known, 2 * pose - before), pose
        if np.hypot(*(pose - inserted)[:2]) > 0.5:
            known = np.vstack([known, points @ turned(pose[2]).T + pose[:2]])
            inserted = pose
    robot.setCustomData(' '.join(f'{number:.4f}' for number in pose))
    forward = turn = 0.0
    if places:
        x, y = np.subtract(places[0], pose[:2])
        off = math.remainder(math.atan2(y, x) - pose[2], 2 * math.pi)
        turn = max(-2.5, min(2.5, 4.0 * off))
        forward = 8.0 * max(0.0, math.cos(2 * off)) if abs(off) < math.pi / 4 else 0.0
        if math.hypot(x, y) < 0.06:
            places.pop(0)
    wheels[0].setVelocity(forward - turn)
    wheels[1].setVelocity(forward + turn)
