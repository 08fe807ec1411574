# SPDX-License-Identifier: Apache-2.0
"""Looks for the square marker of a number among several, and drives to it.

A marker is a black square of 6 x 6 cells on white. The 4 x 4 inner cells are the bits of its number, one
after the other from the upper left corner.
"""
import math
import sys

import numpy as np
from controller import Robot

WANTED = int(sys.argv[1])


def squares(dark):
    """The bounding boxes (left, top, right, bottom) of connected dark pixels that look like a square."""
    left = dark.copy()
    found = []
    while left.any():
        y, x = np.argwhere(left)[0]
        part = np.zeros_like(left)
        part[y, x] = True
        while True:  # grows by one pixel in each direction until it stays
            grown = part.copy()
            grown[1:] |= part[:-1]
            grown[:-1] |= part[1:]
            grown[:, 1:] |= part[:, :-1]
            grown[:, :-1] |= part[:, 1:]
            grown &= left
            if (grown == part).all():
                break
            part = grown
        left &= ~part
        rows, columns = np.flatnonzero(part.any(axis=1)), np.flatnonzero(part.any(axis=0))
        box = columns[0], rows[0], columns[-1] + 1, rows[-1] + 1
        width, height = box[2] - box[0], box[3] - box[1]
        if height >= 12 and 0.7 < width / height < 1.4:
            found.append(box)
    return found


def number_of(grey, box):
    """The number of a marker; None if its border is not black."""
    left, top, right, bottom = box
    x = left + (np.arange(6) + 0.5) * (right - left) / 6
    y = top + (np.arange(6) + 0.5) * (bottom - top) / 6
    cells = grey[np.ix_(y.astype(int), x.astype(int))] > 100
    if cells[[0, -1]].any() or cells[:, [0, -1]].any():
        return None
    return int(''.join(str(int(bit)) for bit in cells[1:-1, 1:-1].flat), 2)


robot = Robot()
step = 4 * int(robot.getBasicTimeStep())
camera = robot.getDevice('camera')
camera.enable(step)
wheels = [robot.getDevice(f'{side} wheel motor') for side in ('left', 'right')]
for wheel in wheels:
    wheel.setPosition(math.inf)
    wheel.setVelocity(0.0)
width, height = camera.getWidth(), camera.getHeight()
seen = set()
while robot.step(step) != -1:
    picture = np.frombuffer(camera.getImage(), np.uint8).reshape(height, width, 4)
    grey = picture[:, :, :3].mean(axis=2)
    forward, turn = 0.0, 2.0
    for box in squares(grey < 60):
        number = number_of(grey, box)
        if number is not None and number not in seen:
            seen.add(number)
            print('saw', number)
        if number == WANTED:
            turn = 6.0 * (0.5 - (box[0] + box[2]) / 2 / width)
            # It is 0.3 m high; the focal length in pixels gives the distance.
            away = 0.3 * width / (2 * math.tan(camera.getFov() / 2)) / (box[3] - box[1])
            forward = 8.0 if away > 0.6 else 0.0
    wheels[0].setVelocity(forward - turn)
    wheels[1].setVelocity(forward + turn)
