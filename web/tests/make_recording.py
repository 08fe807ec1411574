#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes recordings for the tests of the page, after the description of the format and independent of
the program that records: an error of both would have to be the same one.

usage: make_recording.py FOLDER [KIND]...    FOLDER/KIND.svt, by default of every kind
"""
import base64
import json
import math
import struct
import sys
import zlib


def turn(axis, angle):
    """The quaternion x, y, z, w of a turn."""
    s = math.sin(angle / 2)
    return (axis[0] * s, axis[1] * s, axis[2] * s, math.cos(angle / 2))


def times(p, q):
    """The quaternion of the rotation p after q."""
    px, py, pz, pw = p
    qx, qy, qz, qw = q
    return (pw * qx + px * qw + py * qz - pz * qy, pw * qy - px * qz + py * qw + pz * qx,
            pw * qz + px * qy - py * qx + pz * qw, pw * qw - px * qx - py * qy - pz * qz)


def rotated(q, v):
    x, y, z, _ = times(times(q, (*v, 0)), (-q[0], -q[1], -q[2], q[3]))
    return (x, y, z)


def plus(a, b):
    return tuple(x + y for x, y in zip(a, b))


def record(kind, data):
    return kind.encode() + struct.pack("<I", len(data)) + data


def json_record(kind, value):
    return record(kind, json.dumps(value, ensure_ascii=False).encode())


def body_bytes(place, q):
    if q[3] < 0:
        q = tuple(-c for c in q)
    return struct.pack("<3f4h", *place, *(round(c * 32767) for c in q))


def frame(time, bodies, joints, contacts=()):
    data = struct.pack("<d", time) + b"".join(body_bytes(*body) for body in bodies)
    data += b"".join(struct.pack("<5f", *joint) for joint in joints)
    data += struct.pack("<I", len(contacts))
    return record("F", data + b"".join(struct.pack("<6f2H", *contact) for contact in contacts))


def write(path, records):
    packer = zlib.compressobj(6)
    with open(path, "wb") as out:
        out.write(b"SVTREC1\n")
        for each in records:
            out.write(packer.compress(each) + packer.flush(zlib.Z_SYNC_FLUSH))
        out.write(packer.flush())


def shape(kind, pose=(0, 0, 0, 0, 0, 0, 1), color=None, bounding=False, **geometry):
    result = {"geometry": {"type": kind, **geometry}, "pose": list(pose)}
    if color:
        result["color"] = color
    if bounding:
        result["bounding"] = True
    return result


def scene(bodies, joints, **more):
    return {"format": 1, "servosim": "0.2.0", "world": "arm.wbt", "title": "An arm", "up": [0, 0, 1],
            "gravity": [0, 0, -9.81], "time_step": 0.008, "frame_interval": 0.04, "background": [0.4, 0.7, 1],
            "meshes": [], "textures": [], "bodies": bodies, "joints": joints, "missing": [], **more}


FLOOR = {"name": "floor", "parent": -1, "moves": False, "pose": [0, 0, 0, 0, 0, 0, 1],
         "shapes": [shape("plane", size=[4, 4], color=[0.85, 0.86, 0.88])]}


def png(width, height, kind, pixel):
    """A PNG of the colours or greys pixel(x, y)."""
    rows = b"".join(b"\0" + b"".join(bytes(pixel(x, y)) for x in range(width)) for y in range(height))
    chunk = lambda name, data: (struct.pack(">I", len(data)) + name + data +
                                struct.pack(">I", zlib.crc32(name + data)))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", width, height, 8, kind, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def picture():
    """A PNG of 8 x 8 squares."""
    return png(64, 64, 2, lambda x, y: (210, 90, 60) if (x // 8 + y // 8) % 2 else (240, 225, 200))


def sight(time, name, size, columns, rows, file, nearest=0.0, farthest=0.0):
    """The record of what a sensor has seen."""
    name = name.encode()
    return record("P", struct.pack("<d2f4HI", time, nearest, farthest, *size, columns, rows, len(name)) + name + file)


def floats(values):
    return base64.b64encode(struct.pack(f"<{len(values)}f", *values)).decode()


def numbers(values):
    return base64.b64encode(struct.pack(f"<{len(values)}I", *values)).decode()


def octahedron(r):
    points = [(r, 0, 0), (-r, 0, 0), (0, r, 0), (0, -r, 0), (0, 0, r), (0, 0, -r)]
    faces = [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)]
    return {"positions": floats([c for p in points for c in p]), "indices": numbers([i for f in faces for i in f])}


def arm_scene(name="arm", **more):
    """A column that turns, an arm, a gripper that slides, and a ball that falls."""
    up = lambda h: (0, 0, h, 0, 0, 0, 1)
    bodies = [
        FLOOR,
        {"name": f"{name}", "parent": -1, "moves": False, "pose": [0, 0, 0, 0, 0, 0, 1],
         "shapes": [shape("cylinder", up(0.05), [0.25, 0.27, 0.3], radius=0.14, height=0.1)]},
        {"name": f"{name}/column", "parent": 1, "moves": True, "pose": [0, 0, 0.1, 0, 0, 0, 1], "mass": 2,
         "center_of_mass": [0, 0, 0.15],
         "shapes": [shape("cylinder", up(0.15), radius=0.06, height=0.3),
                    shape("box", up(0.15), bounding=True, size=[0.14, 0.14, 0.32])]},
        {"name": f"{name}/upper", "parent": 2, "moves": True, "pose": [0, 0, 0.4, 0, 0, 0, 1], "mass": 1.5,
         "center_of_mass": [0, 0, 0.2], "shapes": [shape("capsule", up(0.2), radius=0.045, height=0.4)]},
        {"name": f"{name}/hand", "parent": 3, "moves": True, "pose": [0, 0, 0.8, 0, 0, 0, 1], "mass": 0.4,
         "center_of_mass": [0, 0, 0.05],
         "shapes": [{**shape("box", up(0.06), size=[0.09, 0.09, 0.12]), "texture": 0},
                    shape("mesh", up(0.16), [0.9, 0.75, 0.2], mesh=0)]},
        {"name": "ball", "parent": -1, "moves": True, "pose": [0.5, 0.2, 0.6, 0, 0, 0, 1], "mass": 0.2,
         "center_of_mass": [0, 0, 0], "shapes": [shape("sphere", bounding=True, radius=0.08)]},
    ]
    joints = [
        {"name": f"{name}/base", "type": "hinge", "unit": "rad", "parent": 1, "body": 2, "anchor": [0, 0, 0.1],
         "axis": [0, 0, 1], "zero": [1, 0, 0], "max_effort": 10, "max_velocity": 5},
        {"name": f"{name}/shoulder", "type": "hinge", "unit": "rad", "parent": 2, "body": 3, "anchor": [0, 0, 0.3],
         "axis": [0, 1, 0], "zero": [0, 0, 1], "min": -0.3, "max": 1.4, "max_effort": 4},
        {"name": f"{name}/reach", "type": "slider", "unit": "m", "parent": 3, "body": 4, "anchor": [0, 0, 0.4],
         "axis": [0, 0, 1], "min": 0, "max": 0.15},
    ]
    return {**scene(bodies, joints, meshes=[octahedron(0.05)],
                    textures=[{"type": "image/png", "data": base64.b64encode(picture()).decode()}]), **more}


def arm_frame(t, amount=1.0):
    nan = math.nan
    base, shoulder, reach = 0.9 * math.sin(t) * amount, 0.6 - 0.6 * math.cos(1.7 * t) * amount, 0.06 - 0.06 * math.cos(2 * t)
    column = turn((0, 0, 1), base)
    upper = times(column, turn((0, 1, 0), shoulder))
    at = (0, 0, 0.4)
    hand = plus(at, rotated(upper, (0, 0, 0.4 + reach)))
    height = max(0.08, 0.6 - 4.905 * t * t)
    contacts = [] if height > 0.08 else [(0.5, 0.2, 0, 0, 0.3, 1.96, 5, 0), (0.5, 0.25, 0, math.nan, math.nan, math.nan, 0, 5)]
    return frame(t, [((0, 0, 0.1), column), (at, upper), (hand, upper), ((0.5, 0.2, height), turn((0, 1, 0), 3 * t))],
                 [(base, 0.9 * math.cos(t), 0.4 * math.sin(3 * t), 0.9 * math.sin(t), nan),
                  (shoulder, 1.02 * math.sin(1.7 * t), 2.4 * math.sin(shoulder), 0.9 if t < 2 else 0.2, nan),
                  (reach, 0.12 * math.sin(2 * t), -3.9, nan, nan)], contacts)


def arm(duration=5.0, amount=1.0, end=True, **more):
    steps = round(duration * 25)
    records = [json_record("S", arm_scene(**more))] + [arm_frame(k / 25, amount) for k in range(steps + 1)]
    if end:
        records.append(json_record("E", {"reason": "its duration is over", "time": duration, "state_hash": "8c1f"}))
    return records


def y_up():
    """The arm in a world with y up: it is turned by a quarter turn about x."""
    quarter = turn((1, 0, 0), -math.pi / 2)
    world = arm_scene(up=[0, 1, 0], world="old.wbt", title="")
    for body in world["bodies"]:
        place, q = rotated(quarter, body["pose"][:3]), times(quarter, body["pose"][3:])
        body["pose"] = [*place, *q]
    records = [json_record("S", world)]
    for k in range(26):
        data = arm_frame(k / 25)[5:]
        out = data[:8]
        for i in range(4):
            values = struct.unpack_from("<3f4h", data, 8 + 20 * i)
            q = tuple(c / 32767 for c in values[3:])
            out += body_bytes(rotated(quarter, values[:3]), times(quarter, q))
        records.append(record("F", out + data[88:]))
    return records


def grid(count, duration=4.0):
    """Many robots of two joints each."""
    bodies, joints = [FLOOR], []
    side = math.ceil(math.sqrt(count))
    for r in range(count):
        x, y = (r % side) * 0.8, (r // side) * 0.8
        for k, part in enumerate(("lower", "upper")):
            bodies.append({"name": f"robot {r}/{part}", "parent": len(bodies) - 1 if k else -1, "moves": True,
                           "pose": [x, y, 0.3 * k, 0, 0, 0, 1], "mass": 1, "center_of_mass": [0, 0, 0.15],
                           "shapes": [shape("box", (0, 0, 0.15, 0, 0, 0, 1), size=[0.1, 0.1, 0.28]),
                                      shape("sphere", radius=0.07)]})
            joints.append({"name": f"robot {r}/{part}", "type": "hinge", "unit": "rad", "parent": len(bodies) - 2 if k else -1,
                           "body": len(bodies) - 1, "anchor": [0, 0, 0.3] if k else [x, y, 0], "axis": [0, 1, 0],
                           "zero": [0, 0, 1], "min": -1, "max": 1})
    records = [json_record("S", scene(bodies, joints, world="many.wbt", title="Many robots"))]
    for step in range(round(duration * 25) + 1):
        t = step / 25
        poses, states = [], []
        for r in range(count):
            a, b = 0.5 * math.sin(t + 0.1 * r), 0.7 * math.sin(2 * t + 0.2 * r)
            lower, base = turn((0, 1, 0), a), ((r % side) * 0.8, (r // side) * 0.8, 0)
            poses += [(base, lower), (plus(base, rotated(lower, (0, 0, 0.3))), times(lower, turn((0, 1, 0), b)))]
            states += [(a, 0.5 * math.cos(t + 0.1 * r), 0.1, math.nan, math.nan), (b, 1.4 * math.cos(2 * t), 0.05, math.nan, math.nan)]
        records.append(frame(t, poses, states))
    return records


def humanoid(duration=60.0):
    """A trunk, and four limbs and a head of 20 joints in all."""
    bodies, joints, tree = [FLOOR], [], []

    def add(name, parent, offset, size, axis, phase):
        tree.append((parent, offset, axis, phase))
        bodies.append({"name": f"h/{name}", "parent": parent + 1 if parent >= 0 else -1, "moves": True,
                       "pose": [0, 0, 1, 0, 0, 0, 1], "mass": 2, "center_of_mass": [0, 0, -size[2] / 2],
                       "shapes": [shape("box", (0, 0, -size[2] / 2, 0, 0, 0, 1), size=list(size)),
                                  shape("sphere", radius=0.6 * max(size[0], size[1]))]})
        if axis:
            joints.append({"name": f"h/{name}", "type": "hinge", "unit": "rad", "parent": parent + 1, "body": len(bodies) - 1,
                           "anchor": list(offset), "axis": list(axis), "zero": [0, 0, -1] if not axis[2] else [1, 0, 0],
                           "min": -0.9, "max": 0.9, "max_effort": 60})
        return len(tree) - 1

    trunk = add("trunk", -1, (0, 0, 0), (0.2, 0.3, 0.5), None, 0)
    neck = add("neck", trunk, (0, 0, 0.12), (0.08, 0.08, 0.1), (0, 0, 1), 0)
    add("head", neck, (0, 0, 0.22), (0.16, 0.16, 0.2), (0, 1, 0), 1)
    for side, y in (("left", 1), ("right", -1)):
        phase = 0 if y > 0 else math.pi
        a = add(f"{side} hip yaw", trunk, (0, 0.1 * y, -0.5), (0.1, 0.1, 0.05), (0, 0, 1), phase)
        b = add(f"{side} hip", a, (0, 0, -0.05), (0.11, 0.11, 0.32), (0, 1, 0), phase)
        c = add(f"{side} knee", b, (0, 0, -0.34), (0.09, 0.09, 0.32), (0, 1, 0), phase + 0.5)
        d = add(f"{side} ankle", c, (0, 0, -0.34), (0.08, 0.08, 0.03), (0, 1, 0), phase + 1)
        add(f"{side} foot", d, (0.03, 0, -0.03), (0.2, 0.09, 0.03), (1, 0, 0), phase)
        e = add(f"{side} shoulder", trunk, (0, 0.2 * y, -0.03), (0.08, 0.08, 0.05), (0, 1, 0), phase + math.pi)
        f = add(f"{side} arm", e, (0, 0.03 * y, -0.05), (0.07, 0.07, 0.24), (1, 0, 0), phase)
        g = add(f"{side} elbow", f, (0, 0, -0.26), (0.06, 0.06, 0.22), (0, 1, 0), phase)
        add(f"{side} wrist", g, (0, 0, -0.24), (0.05, 0.08, 0.12), (0, 0, 1), phase)
    assert len(joints) == 20
    records = [json_record("S", scene(bodies, joints, world="humanoid.wbt", title="A humanoid"))]
    for step in range(round(duration * 25) + 1):
        t = step / 25
        poses, states = [], []
        for parent, offset, axis, phase in tree:
            if parent < 0:
                poses.append(((0.1 * t, 0, 1.25 + 0.02 * math.sin(6 * t)), turn((0, 0, 1), 0.1 * math.sin(t))))
                continue
            angle = 0.45 * math.sin(3 * t + phase)
            place, q = poses[parent]
            poses.append((plus(place, rotated(q, offset)), times(q, turn(axis, angle))))
            states.append((angle, 1.35 * math.cos(3 * t + phase), 20 * math.sin(3 * t + phase), angle, math.nan))
        records.append(frame(t, poses, states, [(0.1 * t, 0.1, 0, 10, 0, 300, 9, 0), (0.1 * t + 0.1, -0.1, 0, 0, 0, 180, 18, 0)]))
    return records


def strange():
    """Names that look like markup, and parts that an old reader does not know."""
    records = arm(1, name='<script>window.broken=1</script><img src=x onerror="window.broken=1">',
                  title="<b>bold</b>", missing=["<i>Foo</i>: no PROTO of that name", "Bar"])
    return records[:5] + [record("X", b"of another time")] + records[5:]


def nan_place():
    records = arm(1)
    broken = bytearray(records[11])
    struct.pack_into("<f", broken, 5 + 8 + 4, math.nan)
    return records[:11] + [bytes(broken)] + records[12:]


def edited():
    """After a second a supervisor removes the ball, and the time of the world begins again at 0."""
    world = arm_scene()
    world["bodies"].pop()
    records = arm(1, end=False) + [json_record("S", world)]
    for k in range(26):
        data = arm_frame(k / 25)[5:]
        records.append(record("F", data[:8 + 60] + data[88:88 + 60] + struct.pack("<I", 0)))
    return records


def servo(duration=4.0):
    """The arm, with a servo at its shoulder whose PWM is at its limit for 0.8 s, and one at its reach that goes."""
    world = arm_scene(format=2)
    world["joints"][1]["servo"] = {"model": "STS3215"}
    world["joints"][2]["servo"] = {"model": "SG90"}
    records = [json_record("S", world)]
    for k in range(round(duration * 25) + 1):
        t = k / 25
        data = arm_frame(t)[5:]
        duty = max(-0.97, min(0.97, 1.2 * math.sin(1.7 * t)))
        servos = struct.pack("<5f", 1.9 * math.sin(1.7 * t), 7.4 - 0.3 * abs(duty), duty, 0.97, 25 + 3 * t)
        servos += struct.pack("<5f", *((0.2, 4.8, 0.1, 1, 25) if t < 2 else (math.nan,) * 5))
        joints = 8 + 20 * 4 + 20 * 3
        records.append(record("F", data[:joints] + servos + data[joints:]))
    return records


def sights():
    """The arm with a camera whose picture gets redder, and a range finder that starts after 0.4 s."""
    records = arm(2, end=False)
    out = records[:1]
    for k, each in enumerate(records[1:]):
        out.append(each)
        t = k / 25
        if k % 5 == 0:
            red = round(255 * t / 2)
            out.append(sight(t, "arm/eye", (8, 6), 16, 12, png(8, 6, 2, lambda x, y: (red, 20 * x, 40 * y))))
        if k % 5 == 0 and t >= 0.4:
            out.append(sight(t, "arm/<b>depth</b>", (4, 4), 640, 640, png(4, 4, 0, lambda x, y: (60 * x + y,)), 0.25, 1.5 + t))
    return out


KINDS = {
    "arm": arm, "other": lambda: arm(4, 0.8), "y_up": y_up, "strange": strange, "nan": nan_place, "edited": edited,
    "servo": servo, "sights": sights,
    "open": lambda: arm(2, end=False), "many": lambda: grid(1000, 1.0), "humanoid": lambda: humanoid(6),
    "long": humanoid,
    "short": lambda: arm(0.4), "only_scene": lambda: [json_record("S", arm_scene())],
    "wrong_size": lambda: arm(0.4)[:5] + [record("F", b"\0" * 44)],
    "no_scene": lambda: arm(0.4)[1:], "format_3": lambda: [json_record("S", {"format": 3})],
    "wrong_scene": lambda: [json_record("S", arm_scene(bodies=[{"name": "a", "parent": 7, "pose": [0] * 6 + [1]}]))],
}

if __name__ == "__main__":
    for kind in sys.argv[2:] or [each for each in KINDS if each != "long"]:
        write(f"{sys.argv[1]}/{kind}.svt", KINDS[kind]())
