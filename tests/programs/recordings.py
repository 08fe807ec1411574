# SPDX-License-Identifier: Apache-2.0
"""Reads what `servosim run --record` writes, by docs/reference/recordings.md alone.

Usage: recordings.py SERVOSIM WORLDS ARM
ARM is the controller of worlds/arm.wbt, built like SERVOSIM: both are sanitized or neither is.
Poses and joints are compared with a trace of the same run. Runs that are killed leave whole frames.
"""

import csv
import json
import math
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib

SERVOSIM, WORLDS, ARM = sys.argv[1:4]

# Before R2022a the axis of forms is y. Gravity acts along -y here, too.
Y_UP = """#VRML_SIM R2020a utf8
WorldInfo { basicTimeStep 8 }
Solid { name "floor" boundingObject Plane { size 9 9 } children [ Shape { geometry Plane { size 9 9 } } ] }
Robot { name "tower" controller "<none>" translation 0 0.31 0
  children [
    DEF BODY Shape { appearance PBRAppearance { baseColor 0.25 0.5 0.75 } geometry Cylinder { radius 0.1 height 0.6 } }
    HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0 0.4 0 }
      device [ RotationalMotor { name "turn" maxTorque 3 } ]
      endPoint Solid { name "head" translation 0.05 0.4 0 rotation 0 0 1 0.3 children [ Shape { geometry Box { size 0.1 0.1 0.1 } } ]
        boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } } }
  ]
  boundingObject USE BODY physics Physics { } linearVelocity 0.2 0 0 }
"""


def records_of(path):
    """Returns the complete records of a file, and whether its stream has ended."""
    with open(path, "rb") as file:
        assert file.read(8) == b"SVTREC1\n"
        stream = zlib.decompressobj()
        data = stream.decompress(file.read())
    records = []
    at = 0
    while at + 5 <= len(data):
        kind, length = struct.unpack_from("<cI", data, at)
        if at + 5 + length > len(data):
            break
        records.append((kind, data[at + 5 : at + 5 + length]))
        at += 5 + length
    return records, stream.eof


def frame_of(content, scene):
    """Returns a frame as time, poses by body, joints by name and contacts."""
    moving = [body["name"] for body in scene["bodies"] if body["moves"]]
    (moment,) = struct.unpack_from("<d", content)
    at = 8
    poses = {}
    for name in moving:
        *place, x, y, z, w = struct.unpack_from("<3f4h", content, at)
        poses[name] = place + [part / 32767 for part in (x, y, z, w)]
        at += 20
    joints = {}
    for joint in scene["joints"]:
        joints[joint["name"]] = struct.unpack_from("<5f", content, at)
        at += 20
    servos = {}
    for joint in scene["joints"]:
        if "servo" in joint:
            servos[joint["name"]] = struct.unpack_from("<5f", content, at)
            at += 20
    (count,) = struct.unpack_from("<I", content, at)
    at += 4
    contacts = [struct.unpack_from("<6f2H", content, at + 28 * i) for i in range(count)]
    assert at + 28 * count == len(content), "a frame ends where its contacts do"
    return moment, poses, joints, contacts, servos


def frames_of(records):
    scene = None
    frames = []
    for kind, content in records:
        if kind == b"S":
            scene = json.loads(content)
            assert scene["format"] == (2 if any("servo" in joint for joint in scene["joints"]) else 1)
        elif kind == b"F":
            frames.append(frame_of(content, scene))
    return scene, frames


def run(*arguments):
    done = subprocess.run([SERVOSIM, "run", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def hash_in(text):
    return next(line for line in text.splitlines() if line.startswith("state_hash: ")).split()[1]


def near(a, b, tolerance):
    assert abs(a - b) <= tolerance, f"{a} is not {b}"


def check_against_trace(world, folder, seconds, *options):
    name = os.path.splitext(os.path.basename(world))[0]
    recording = os.path.join(folder, name + ".svt")
    trace = os.path.join(folder, name + ".csv")
    plain = run(world, "--duration", str(seconds), *options)
    text = run(world, "--duration", str(seconds), *options, "--record", recording,
               "--trace", trace, "--watch", "*", "--watch", "*.pose")
    assert hash_in(plain) == hash_in(text), "a recording changes no state"
    assert f"recording: {recording}\n" in text

    records, whole = records_of(recording)
    assert whole and records[0][0] == b"S" and records[-1][0] == b"E"
    end = json.loads(records[-1][1])
    assert end["state_hash"] == hash_in(text) and end["reason"] == "the run is over"
    near(end["time"], seconds, 1e-9)
    scene, frames = frames_of(records)
    assert frames[0][0] == 0.0 and frames[-1][0] == end["time"]
    assert abs(len(frames) - 25 * seconds - 1) <= 1, len(frames)

    with open(trace, encoding="utf-8", newline="") as file:  # strict CSV: no option is needed
        rows = {round(float(row["time [s]"]), 6): row for row in csv.DictReader(file)}
    assert all(None not in row for row in rows.values())
    compared = 0
    for moment, poses, joints, contacts, servos in frames[1:]:
        row = rows[round(moment, 6)]
        for body, pose in poses.items():
            if f"{body}.pose x [m]" not in row:
                continue
            for axis, value in zip("xyz", pose):
                near(value, float(row[f"{body}.pose {axis} [m]"]), 1e-6 + 1e-6 * abs(value))
            for part, value in zip(("qx", "qy", "qz", "qw"), pose[3:]):
                near(value, float(row[f"{body}.pose {part}"]), 0.6 / 32767)
            near(sum(q * q for q in pose[3:]), 1.0, 1e-4)
            assert pose[6] >= 0
            compared += 1
        for joint in scene["joints"]:
            position, velocity, effort, target, _ = joints[joint["name"]]
            unit = joint["unit"]
            near(position, float(row[f"{joint['name']} position [{unit}]"]), 1e-5)
            near(velocity, float(row[f"{joint['name']} velocity [{unit}/s]"]), 1e-4)
            wanted = row.get(f"{joint['name']} target [{unit}]", "")
            assert math.isnan(target) == (wanted == "")
        for name, (current, voltage, duty, max_duty, temperature) in servos.items():
            near(current, float(row[f"{name} current [A]"]), 1e-5)
            near(voltage, float(row[f"{name} voltage [V]"]), 1e-5)
            near(duty, float(row[f"{name} duty"]), 1e-5)
            assert abs(duty) <= max_duty + 1e-6
            near(temperature, float(row[f"{name} temperature [°C]"]), 1e-4)
        for contact in contacts:
            assert all(index == 65535 or index < len(scene["bodies"]) for index in contact[6:])
    assert compared > 0
    return scene, frames, os.path.getsize(recording)


def check_y_up(folder):
    world = os.path.join(folder, "tower.wbt")
    with open(world, "w", encoding="utf-8") as file:
        file.write(Y_UP)
    scene, frames, _ = check_against_trace(world, folder, 1)
    assert scene["up"] == [0, 1, 0]
    tower = next(body for body in scene["bodies"] if body["name"] == "tower")
    seen, bounding = sorted(tower["shapes"], key=lambda shape: shape["bounding"])
    assert seen["color"] == [0.25, 0.5, 0.75]
    for shape in (seen, bounding):
        assert shape["geometry"] == {"type": "cylinder", "radius": 0.1, "height": 0.6}
        x, y, z, w = shape["pose"][3:]
        axis = (2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y))
        for value, wanted in zip(axis, (0, 1, 0)):
            near(value, wanted, 1e-9)
    # The tower is upright: the floor carries its weight.
    number = scene["bodies"].index(tower)
    weight = 9.81 * sum(body.get("mass", 0) for body in scene["bodies"])
    carried = sum(c[4] * (1 if c[6] == number else -1) for c in frames[-1][3] if number in c[6:])
    near(carried, weight, 0.05 * weight)


def check_killed(folder):
    path = os.path.join(folder, "killed.svt")
    world = os.path.join(WORLDS, "arm.wbt")
    with subprocess.Popen([SERVOSIM, "run", world, "--controller", "arm=<none>", "--duration", "1e9",
                           "--quiet", "--record", path],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 30
        while (not os.path.exists(path) or os.path.getsize(path) < 20000) and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    records, whole = records_of(path)
    assert not whole and records[-1][0] == b"F"
    _, frames = frames_of(records)
    assert len(frames) > 10
    for one, next_one in zip(frames, frames[1:]):
        near(next_one[0] - one[0], 0.04, 1e-9)


def check_several(folder):
    worlds = [os.path.join(WORLDS, name) for name in ("arm.wbt", "pendulum.wbt")]
    out = os.path.join(folder, "several", "")
    run(*worlds, "--controller", f"arm={ARM}", "--steps", "50", "--record", out,
        "--record-rate", "50")
    for name in ("arm", "pendulum"):
        scene, frames = frames_of(records_of(os.path.join(out, name + ".svt"))[0])
        near(scene["frame_interval"], 0.02, 1e-12)
        assert len(frames) > 2
    refused = subprocess.run([SERVOSIM, "run", *worlds, "--steps", "1", "--record", out + "arm.svt"],
                             capture_output=True, text=True, check=False)
    assert refused.returncode == 2 and "several worlds cannot share the recording" in refused.stderr
    note = os.path.join(folder, "note.svt")
    with open(note, "w", encoding="utf-8") as file:
        file.write("mine")
    refused = subprocess.run([SERVOSIM, "run", worlds[1], "--steps", "1", "--record", note],
                             capture_output=True, text=True, check=False)
    assert refused.returncode == 2 and "is no recording, so it is not overwritten" in refused.stderr
    full = subprocess.run(["sh", "-c", 'ulimit -f 1; exec "$@"', "sh", SERVOSIM, "run", worlds[1],
                           "--duration", "60", "--quiet", "--record", os.path.join(folder, "full.svt")],
                          capture_output=True, text=True, check=False)
    assert full.returncode == 1 and "cannot write the recording" in full.stderr, (full.returncode, full.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_against_trace(os.path.join(WORLDS, "arm.wbt"), folder, 2, "--controller", f"arm={ARM}")
        scene, frames, size = check_against_trace(os.path.join(WORLDS, "humanoid.wbt"), folder, 2)
        moving = sum(body["moves"] for body in scene["bodies"])
        print(f"humanoid: {moving} bodies, {len(scene['joints'])} joints, {len(frames)} frames, {size} bytes")
        scene, frames, _ = check_against_trace(os.path.join(WORLDS, "so101.wbt"), folder, 1,
                                               "--controller", "so101=<none>")
        assert len(frames[-1][4]) == len(scene["joints"]) == 6
        check_y_up(folder)
        check_killed(folder)
        check_several(folder)


main()
