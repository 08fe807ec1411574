#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs worlds/so101_sort.wbt with one of its controllers, and looks where the cubes are in the end.

usage: sorting.py PROGRAM SOURCE CONTROLLER
"""
import csv
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

COLOURS = ("red", "green", "blue")
CUBE = 0.024  # m
FLOOR = 0.742  # m: the floor of a tray
INSIDE = (0.047 - CUBE / 2, 0.037 - CUBE / 2)  # m: from the middle of a tray, before its rim
SEEN = re.compile(r"(\w+) cube at x (-?[0-9.]+) m, y (-?[0-9.]+) m, turned by (-?[0-9]+) degrees")


def trays_of(world):
    """The position (x, y) and the direction of each tray."""
    trays = {}
    for x, y, turn, name in re.findall(r"translation (\S+) (\S+) 0\.74\n  rotation 0 0 1 (\S+)\n  name \"(\w+) tray\"",
                                       world.read_text()):
        trays[name] = tuple(map(float, (x, y, turn)))
    assert set(trays) == set(COLOURS), trays
    return trays


def poses_in(row):
    """The pose of each cube: x, y, z, and its turn about z and its tilt [rad], both of the nearest face."""
    poses = {}
    for name in sorted({column.partition(".pose ")[0] for column in row if ".pose " in column}):
        value = {quantity: float(row[f"{name}.pose {quantity}{unit}"]) for quantity, unit in
                 (("x", " [m]"), ("y", " [m]"), ("z", " [m]"), ("qx", ""), ("qy", ""), ("qz", ""), ("qw", ""))}
        x, y, z, w = (value[q] for q in ("qx", "qy", "qz", "qw"))
        axes = ((1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)),
                (2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)),
                (2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)))
        level = min(axes, key=lambda axis: abs(axis[2]))
        upright = max(abs(axis[2]) for axis in axes)
        poses[name] = (value["x"], value["y"], value["z"], math.atan2(level[1], level[0]), math.acos(min(1, upright)))
    assert len(poses) == 6, poses
    return poses


def is_in(pose, tray):
    dx, dy = pose[0] - tray[0], pose[1] - tray[1]
    along = dx * math.cos(tray[2]) + dy * math.sin(tray[2])
    across = dy * math.cos(tray[2]) - dx * math.sin(tray[2])
    return abs(along) < INSIDE[0] and abs(across) < INSIDE[1]


def check_seen(lines, start):
    """Checks what the controller saw against where the cubes were: a pixel is 1.5 mm wide, 4 degrees of an edge."""
    left = dict(start)
    for colour, x, y, turn in (SEEN.fullmatch(line).groups() for line in lines):
        x, y, turn = float(x), float(y), math.radians(float(turn))
        name = min((n for n in left if n.startswith(colour)), key=lambda n: math.hypot(left[n][0] - x, left[n][1] - y))
        pose = left.pop(name)
        assert math.hypot(pose[0] - x, pose[1] - y) < 0.002, f"{name} is at {pose[:2]}, and was seen at {x}, {y}"
        assert abs(math.remainder(pose[3] - turn, math.pi / 2)) < math.radians(4), f"{name}: {pose[3]}, seen: {turn}"
    assert not left, f"not seen: {left}"


def main():
    program, source, controller = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    world = source / "worlds/so101_sort.wbt"
    trays = trays_of(world)
    with tempfile.TemporaryDirectory(prefix="servosim_sorting_") as work:
        trace = pathlib.Path(work, "poses.csv")
        done = subprocess.run(
            [program, "run", str(world), "--controller", f"so101={controller}", "--duration", "30", "--quiet",
             "--trace", str(trace), "--watch", "*cube*.pose"],
            env=dict(os.environ, SERVOSIM_BUILD_IN_CACHE="1", XDG_CACHE_HOME=work), stdout=subprocess.PIPE, text=True)
        with trace.open(newline="") as file:
            rows = list(csv.DictReader(file))
    print(done.stdout)
    assert done.returncode == 0, done.returncode
    lines = [line for line in done.stdout.splitlines() if not line.startswith("state_hash")]
    assert lines and re.fullmatch(r"2 red, 2 green, 2 blue: sorted in [0-9.]+ s", lines[-1]), "it has not ended"
    start, end = poses_in(rows[0]), poses_in(rows[-1])
    check_seen(lines[:-1], start)
    for name, pose in start.items():
        assert not any(is_in(pose, tray) for tray in trays.values()), f"{name} begins in a tray"
    for name, pose in end.items():
        assert is_in(pose, trays[name.split()[0]]), f"{name} ends at {pose}"
        assert abs(pose[2] - FLOOR - CUBE / 2) < 0.001, f"{name} ends at the height {pose[2]}"
        assert pose[4] < 0.02, f"{name} ends tilted by {pose[4]} rad"
    print(f"{len(end)} cubes are in their trays")


if __name__ == "__main__":
    main()
