# SPDX-License-Identifier: Apache-2.0
"""Reads what `servosim run --record` writes, by docs/reference/recordings.md alone.

Usage: recordings.py SERVOSIM WORLDS ARM EYE
ARM is the controller of worlds/arm.wbt, and EYE that of a robot with Cameras. They are built like
SERVOSIM: all are sanitized or none is. Poses and joints are compared with a trace of the same run.
Runs that are killed leave whole frames. Pictures are decoded here.
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

SERVOSIM, WORLDS, ARM, EYE = sys.argv[1:5]

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

# A red panel glows at the left, 2 m in front, and a green one at the right, 4 m in front.
SEEN = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 32 }
Pose { translation 2.1 1 0 children [ Shape { appearance Appearance { material Material {
  diffuseColor 0 0 0 ambientIntensity 0 emissiveColor 1 0 0 } } geometry Box { size 0.2 1.2 1.2 } } ] }
Pose { translation 4.1 -1.35 0 children [ Shape { appearance Appearance { material Material {
  diffuseColor 0 0 0 ambientIntensity 0 emissiveColor 0 1 0 } } geometry Box { size 0.2 3.3 2 } } ] }
Robot { name "eye" controller "eye" children [
  Camera { name "quick" width 64 height 48 fieldOfView 1.5 }
  Camera { name "slow" width 400 height 200 fieldOfView 1.5 }
  Camera { name "off" }
  RangeFinder { name "finder" width 32 height 16 fieldOfView 1.5 maxRange 9 }
] }
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


def picture_of(content):
    """Returns a picture as its time, depths, size, size for the sensor, name and file."""
    moment, nearest, farthest, width, height, columns, rows, length = struct.unpack_from("<dffHHHHI", content)
    name = content[28 : 28 + length].decode()
    return moment, (nearest, farthest), (width, height), (columns, rows), name, content[28 + length :]


def pixels_of(png):
    """Returns the size of a PNG file, and the bytes of its pixels: their number of parts and rows."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(png):
        length, name = struct.unpack_from(">I4s", png, at)
        data = png[at + 8 : at + 8 + length]
        assert struct.unpack_from(">I", png, at + 8 + length)[0] == zlib.crc32(name + data)
        chunks[name] = data
        at += 12 + length
    width, height, bits, kind, *others = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert bits == 8 and others == [0, 0, 0] and list(chunks) == [b"IHDR", b"IDAT", b"IEND"]
    parts = {0: 1, 2: 3}[kind]
    packed = zlib.decompress(chunks[b"IDAT"])
    step = 1 + parts * width
    assert len(packed) == step * height
    rows = []
    above = bytes(parts * width)
    for y in range(height):
        kind, row = packed[step * y], bytearray(packed[step * y + 1 : step * (y + 1)])
        assert kind in (0, 1, 2), "of the filters of PNG these are used"
        for x in range(len(row)):
            before = 0 if kind == 0 else above[x] if kind == 2 else row[x - parts] if x >= parts else 0
            row[x] = (row[x] + before) % 256
        rows.append(bytes(row))
        above = rows[-1]
    return width, height, parts, rows


def frame_of_jpeg(file):
    """Returns the size of a JPEG file, and how often each of its parts is sampled, across and down."""
    assert file[:2] == b"\xff\xd8" and file[-2:] == b"\xff\xd9"
    at = 2
    while file[at + 1] != 0xC0:  # the baseline frame
        assert file[at] == 0xFF
        at += 2 + struct.unpack_from(">H", file, at + 2)[0]
    height, width, parts = struct.unpack_from(">HHB", file, at + 5)
    return width, height, [file[at + 11 + 3 * part] for part in range(parts)]


def pictures_at(world, folder, *options):
    """Returns the pictures of 62 steps by name."""
    path = os.path.join(folder, "seen.svt")
    text = run(world, "--steps", "62", "--controller", f"eye={EYE}", "--record", path, *options)
    found = {}
    for kind, content in records_of(path)[0]:
        if kind == b"P":
            picture = picture_of(content)
            found.setdefault(picture[4], []).append(picture)
    return found, hash_in(text)


def recorded_times(rate, period):
    """When a sensor with a period [ms] is recorded: at the first step at or after each 1/rate s, if it has
    taken a picture since the last time."""
    times, number, seen = [], 0, 0
    for now in range(32, 32 * 62 + 1, 32):
        if now * rate // 1000 > number:
            number = now * rate // 1000
            if now // period > seen:
                seen = now // period
                times.append(now / 1000)
    return times


def check_pictures(folder):
    world = os.path.join(folder, "seen.wbt")
    with open(world, "w", encoding="utf-8") as file:
        file.write(SEEN)
    none, plain = pictures_at(world, folder)
    assert none == {}, "pictures are recorded on demand"
    for option, rate in (("", 5), ("=1", 1), ("=100", 100), ("=0x64", 100)):
        found, now = pictures_at(world, folder, "--record-images" + option)
        assert now == plain, "pictures change no state"
        assert sorted(found) == ["eye/finder", "eye/quick", "eye/slow"], sorted(found)
        for name, period in (("eye/quick", 32), ("eye/finder", 32), ("eye/slow", 640)):
            times = [picture[0] for picture in found[name]]
            expected = recorded_times(rate, period)
            assert len(times) == len(expected), (option, name, times, expected)
            for one, other in zip(times, expected):
                near(one, other, 1e-9)

    for _, depths, size, sensor, _, file in found["eye/quick"]:
        width, height, parts, rows = pixels_of(file)
        assert (width, height) == size == sensor == (64, 48) and depths == (0, 0) and parts == 3
        assert tuple(rows[24][60:63]) == (207, 0, 0), "red light of 1 is shown as 207"
        assert tuple(rows[24][132:135]) == (0, 207, 0)
        assert tuple(rows[0][60:63]) == (0, 0, 0)
    for _, depths, size, sensor, _, file in found["eye/slow"]:
        assert size == (200, 100) and sensor == (400, 200) and depths == (0, 0)
        assert frame_of_jpeg(file) == (200, 100, [0x11, 0x11, 0x11]), "colours have the whole resolution"
    for _, (nearest, farthest), size, sensor, _, file in found["eye/finder"]:
        width, height, parts, rows = pixels_of(file)
        assert (width, height) == size == sensor == (32, 16) and parts == 1
        near(nearest, 2, 1e-6)
        near(farthest, 4, 1e-6)
        assert (rows[8][10], rows[8][22], rows[0][10]) == (255, 1, 0), "near, far and nothing"

    for value in ("0", "-1", "nan", "inf", "1000001", "often"):
        refused = subprocess.run([SERVOSIM, "run", "no.wbt", "--record", "a.svt", f"--record-images={value}"],
                                 capture_output=True, text=True, check=False)
        wrong = f"--record-images: '{value}' is not a number > 0 and <= 1000000"
        assert refused.returncode == 2 and wrong in refused.stderr, refused.stderr
        assert "no.wbt" not in refused.stderr, "no world is looked for"
    refused = subprocess.run([SERVOSIM, "run", world, "--record-images"], capture_output=True, text=True, check=False)
    assert refused.returncode == 2 and "--record-images requires --record" in refused.stderr, refused.stderr


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
        check_pictures(folder)


main()
