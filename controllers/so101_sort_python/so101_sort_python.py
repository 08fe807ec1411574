# SPDX-License-Identifier: Apache-2.0
"""Sorts cubes by colour: looks at the table, takes the nearest cube, puts it into the tray of its colour, and looks
again until no cube is left. so101_sort.c and so101_sort_cpp.cpp do the same in C and C++.

Lengths are in m and angles in rad, in the frame of the arm: x points forward, z up, and the table is z = 0."""
from math import acos, atan2, cos, degrees, pi, radians, remainder, sin, sqrt, tan

from controller import Robot

JOINTS = ('shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll', 'gripper')
# The arm: height of the shoulder, lengths of its links, and how far below the wrist it holds a cube.
SHOULDER, UPPER_ARM, FOREARM, HAND = 0.1166, 0.1126, 0.1349, 0.1551
FINGER = 0.006  # from the axis of the wrist's roll to the face of the finger that does not move
WIDE, OPEN, SHUT = 0.3, 0.2, -0.12  # goals of the jaw; what it holds stops it earlier
CUBE = 0.024  # the edge of a cube
CLEAR = 0.052  # the height at which a cube passes above the others
COLOURS = ('red', 'green', 'blue')
TRAYS = [radians(angle) for angle in (-24, -60, -96)]  # the directions of their trays from the arm's axis
SLOTS = (0.165, 0.205)  # distances of the cubes in a tray from the arm's axis
CAMERA_X, CAMERA_Y, CAMERA_Z = 0.1, 0.105, 0.45  # it looks down; up in its picture is x, left is y

robot = Robot()
step = int(robot.getBasicTimeStep())
camera = robot.getDevice('camera')
camera.enable(25 * step)
motors = [robot.getDevice(name) for name in JOINTS]
sensors = [motor.getPositionSensor() for motor in motors]
for sensor in sensors:
    sensor.enable(step)

place = [0.0, 0.2, CLEAR, 0.0]  # of the hand: its direction, its distance from the arm's axis, height, roll
jaw = WIDE
trims = [0.0] * 5  # what the goals of joints need more, since a servo stops short of its goal by what it carries


def advance():
    """Takes one step towards the place. Returns how far the first five joints are from it."""
    direction, distance, height, roll = place
    up = height + HAND - SHOULDER  # of the wrist, which is above what the hand holds
    reach = sqrt(distance * distance + up * up)
    lift = atan2(up, distance) + acos(
        (UPPER_ARM * UPPER_ARM + reach * reach - FOREARM * FOREARM) / (2 * UPPER_ARM * reach))
    dip = atan2(UPPER_ARM * sin(lift) - up, distance - UPPER_ARM * cos(lift))
    goals = (direction, pi / 2 - lift, dip + lift - pi / 2, pi / 2 - dip, roll)
    for motor, goal, trim in zip(motors, goals, trims):
        motor.setPosition(goal + trim)
    motors[5].setPosition(jaw)
    if robot.step(step) == -1:
        raise SystemExit
    return [goal - sensor.getValue() for goal, sensor in zip(goals, sensors)]


def wait(steps):
    for _ in range(steps):
        advance()


def move(target, steps):
    """Moves the hand there, without jerks, lets the servos catch up, and trims the joints that carry the arm."""
    start = list(place)
    for k in range(1, steps + 1):
        s = k / steps
        for i in range(4):
            place[i] = start[i] + s * s * s * (10 + s * (6 * s - 15)) * (target[i] - start[i])
        advance()
    wait(10)
    for _ in range(10):
        missing = advance()
        for j in (1, 2, 3):
            trims[j] += 0.1 * missing[j]


def around(x, y, turn, gap):
    """The place of the hand above a cube, `gap` away from the finger that does not move."""
    direction = atan2(y, x)
    side = direction + pi / 2 - remainder(direction - turn, pi / 2)  # from this finger to the jaw
    shift = CUBE / 2 - FINGER + gap
    x -= shift * cos(side)
    y -= shift * sin(side)
    return [atan2(y, x), sqrt(x * x + y * y), CLEAR, atan2(y, x) + pi / 2 - side]


def lower(above, height):
    return [above[0], above[1], height, above[3]]


def colour_of(channels):
    """The number of the colour of a pixel (red, green, blue), or -1 if it has none."""
    _, second, most = sorted(channels)
    return channels.index(most) if most >= 100 and second < 0.6 * most else -1


def look():
    """The nearest cube on the table: the number of its colour, x, y and its turn, or None."""
    width, height, image = camera.getWidth(), camera.getHeight(), camera.getImage()
    pixel = 2 * tan(camera.getFov() / 2) / width * (CAMERA_Z - CUBE)  # its size on top of a cube
    seen = []  # pixels with a colour: its number, brightness, x, y
    for v in range(height):
        for u in range(width):
            b, g, r = image[4 * (v * width + u):4 * (v * width + u) + 3]
            colour = colour_of((r, g, b))
            if colour >= 0:
                seen.append((colour, max(r, g, b), CAMERA_X + (height / 2 - v - 0.5) * pixel,
                             CAMERA_Y + (width / 2 - u - 0.5) * pixel))
    if not seen:
        return None
    colour, _, x, y = min(seen, key=lambda p: p[2] * p[2] + p[3] * p[3])
    for _ in range(5):  # from its nearest corner to its middle
        cube = [p for p in seen if p[0] == colour and (p[2] - x) * (p[2] - x) + (p[3] - y) * (p[3] - y) < 0.0004]
        brightest = max(p[1] for p in cube)
        top = [p for p in cube if p[1] > 0.9 * brightest]  # its sides are darker
        x, y = sum(p[2] for p in top) / len(top), sum(p[3] for p in top) / len(top)
    # Over a square that is turned by t, the sum of (dx + i dy)^4 has the argument 4 t + pi.
    real = imaginary = 0.0
    for _, _, px, py in top:
        dx, dy = px - x, py - y
        real += dx * dx * dx * dx - 6 * dx * dx * dy * dy + dy * dy * dy * dy
        imaginary += 4 * dx * dy * (dx * dx - dy * dy)
    return colour, x, y, atan2(-imaginary, -real) / 4


sorted_cubes = [0, 0, 0]
wait(1)
move([TRAYS[1], 0.19, CLEAR, 0.0], 150)
while cube := look():
    colour, x, y, turn = cube
    name = COLOURS[colour]
    print(f'{name} cube at x {x:.3f} m, y {y:.3f} m, turned by {degrees(turn):.0f} degrees')
    if sorted_cubes[colour] == len(SLOTS):
        raise SystemExit(f'The {name} tray is full.')
    above = around(x, y, turn, 0.005)
    jaw = WIDE
    move(above, 112)
    move(lower(above, CUBE / 2), 44)
    jaw = SHUT
    wait(31)
    move(above, 38)
    distance = SLOTS[sorted_cubes[colour]]
    above = around(distance * cos(TRAYS[colour]), distance * sin(TRAYS[colour]), TRAYS[colour], 0.0)
    move(above, 112)
    move(lower(above, CUBE / 2 + 0.003), 44)
    jaw = OPEN
    wait(25)
    move(above, 38)
    sorted_cubes[colour] += 1
print(', '.join(f'{n} {name}' for n, name in zip(sorted_cubes, COLOURS)) + f': sorted in {robot.getTime():.1f} s')
