#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the stand-ins with what is known of the PROTOs that they stand in for.

usage: facts.py PROGRAM FACTS

FACTS is standard-protos.json. Each field, joint, motor, device, mass and inertia in it is compared with the
interface of the stand-in and with what `servosim info --json` says of an instance of it. Where they
differ on purpose, fact_exceptions.py gives the reason; an exception that nothing needs is a fault.
"""
import json
import math
import pathlib
import re
import sys
import tempfile

from fact_exceptions import ANY, EXCEPTIONS, MORE_DEVICES, MORE_LINKS, NAMES, SAME_AS, VARIANTS, WORDS
from support import Faults, Program, fields, names, tokens

TOLERANCE = 1e-3  # relative: facts have four digits or more

# What `info` calls a device that a fact names otherwise.
KINDS = {"Thymio2LED": "LED", "Thymio2DistanceSensor": "DistanceSensor",
         "Khepera4InfraredSensor": "DistanceSensor", "Pioneer3DistanceSensor": "DistanceSensor",
         "InteriorWheel": "RotationalMotor", "ExteriorWheel": "RotationalMotor",
         "Propeller": "RotationalMotor", "RobotisLds01": "Lidar"}


# Keys of a link that are numbers, unless a fact says more in words.
NUMBERS = {"min", "max", "vel", "torque", "force", "acc", "maxVel", "maxTorque", "limits", "min2", "max2",
           "vel2", "torque2", "minStop", "maxStop", "minStop_maxStop", "mass", "density", "position",
           "dampingConstant", "staticFriction", "springConstant", "sensor_resolution",
           "suspensionSpringConstant", "suspensionDampingConstant"}


class Comparison:
    """Facts of one PROTO against its stand-in."""

    def __init__(self, name, faults, needed):
        self.name = name
        self.faults = faults
        self.needed = needed  # exceptions that differ indeed

    def compare(self, what, fact, value, equal):
        right = equal(fact, value)
        if not right and (self.name, what) in EXCEPTIONS:
            self.needed.add((self.name, what))
            fact, _ = EXCEPTIONS[self.name, what]
            right = fact is ANY or equal(fact, value)
        self.faults.check(right, f"{self.name}: {what} is {value}, and should be {fact}")

    def number(self, what, fact, value):
        self.compare(what, fact, value, close)

    def same(self, what, fact, value):
        self.compare(what, fact, value, lambda a, b: a == b)


def all_close(facts, values):
    near = TOLERANCE * max(map(abs, facts)) or 1e-9
    return all(abs(a - b) <= near for a, b in zip(facts, values, strict=True))


def close(fact, value):
    if not all(isinstance(number, (int, float)) for number in (fact, value)):
        return fact == value
    return math.isclose(fact, value, rel_tol=TOLERANCE, abs_tol=1e-9)


# --- fields

def facts_of_fields(proto):
    """(type, name, default) of each field; some facts name several fields, or say more in brackets."""
    for entry in proto["fields"]:
        kind, listed, default = entry
        if "{" in kind and "}" not in kind:  # values with blanks, which were read as ends
            kind, listed, default = re.fullmatch(r"(\w+\{.*\}) (\w+) (.*)", " ".join(entry)).groups()
        for name in re.findall(r"\w+", re.sub(r"\(.*?\)", "", listed)):
            yield re.match(r"\w+", kind).group(), name, re.sub(r" \([^()]*\)$", "", str(default))


def compare_fields(comparison, proto):
    known = fields(comparison.name)
    for kind, name, default in facts_of_fields(proto):
        if name not in known:
            comparison.same(f"field {name}", "there", "not there")
            continue
        comparison.same(f"type of {name}", kind, known[name][0])
        comparison.compare(f"default of {name}", default, known[name][1],
                           lambda a, b: tokens(a) == tokens(b))


# --- the instance

def is_robot(proto):
    return re.search(r"\bRobot\b", proto["base"]) is not None


def is_part(proto):
    return "devices" in proto or "joints" in proto or proto["base"] == "HingeJoint"


def world_of(name, proto, more, header):
    """An instance of the PROTO, in a Robot if it is a part of one."""
    if is_robot(proto):
        instance = f'{name} {{ controller "<none>" {more} }}'
    else:
        instance = f"{name} {{ {more} }}"
        if is_part(proto):
            instance = f'Robot {{ name "carrier" controller "<none>" children [ {instance} ] }}'
    return f"{header}\n{instance}\n"


class Instance:
    """What `info` says of it."""

    def __init__(self, program, folder, name, proto, more, header="#VRML_SIM R2025a utf8\nWorldInfo { }"):
        path = pathlib.Path(folder) / "world.wbt"
        path.write_text(world_of(name, proto, more, header), encoding="utf-8")
        code, self.document = program("info", "--json", path)
        wrong = [d for d in self.document["diagnostics"]
                 if d["severity"] != "info" and not d["message"].startswith("the stand-in for ")]
        if code != 0 or wrong:
            raise RuntimeError(f"{name} {{ {more} }}: {wrong}")
        robots = self.document["robots"]
        self.robot = robots[0] if robots else None
        self.devices = {d["name"]: d for d in self.robot["devices"]} if robots else {}
        self.joints = self.document["joints"]
        self.solids = self.document["solids"]
        self.bodies = self.document["bodies"]

    def joint_of_motor(self, name):
        device = self.devices.get(name)
        return None if device is None or device["joint"] is None else self.joints[device["joint"]]

    def joint_of_child(self, name):
        found = [j for j in self.joints if j["child"] is not None and self.solids[j["child"]]["name"] == name]
        return found[0] if found else None

    def mass_of(self, solid):
        """Of the body that it is part of, with those that are fixed to it; None if it has none."""
        body = self.solids[solid]["body"]
        if body is None:
            return None
        fixed = [b["solids"][0] for b in self.bodies if b["hold"] == "parent"]
        return self.bodies[body]["mass"] + sum(
            self.mass_of(part) for part in fixed if self.solids[self.solids[part]["parent"]]["body"] == body)


# --- joints

def number_of(text):
    return float(text if text[0] != "." else f"0{text}")


def volume(shape):
    """Of a bounding shape in words: 'box .1 .2 .3 @ ...', 'cylinder r .1 h .2 axis z'."""
    kind = shape.split(" ")[0].split("(")[0]
    if kind == "box":
        x, y, z = map(number_of, re.match(r"box (\S+) (\S+) (\S+)", shape).groups())
        return x * y * z
    radius = number_of(re.search(r"\br (\S+)", shape).group(1))
    if kind == "sphere":
        return 4 / 3 * math.pi * radius ** 3
    height = number_of(re.search(r"\bh (\S+)", shape).group(1))
    ends = 4 / 3 * math.pi * radius ** 3 if kind == "capsule" else 0
    return math.pi * radius ** 2 * height + ends


def mass_of(link):
    if isinstance(link.get("density"), (int, float)) and "mass" not in link:
        return link["density"] * sum(map(volume, link["bo"])) if "bo" in link else None
    mass = link.get("mass")
    return mass if isinstance(mass, (int, float)) else None


def in_words(name, link):
    """The link, with numbers for what a fact says in words. Words that are not known are an error."""
    link = dict(link)
    for key, value in list(link.items()):
        words = WORDS.get((name, key, value)) if isinstance(value, str) else None
        if words is not None:
            del link[key]
            link.update(words)
        elif isinstance(value, str) and key in NUMBERS:
            raise ValueError(f"{name}: {key} is {value!r}, which fact_exceptions.py has no numbers for")
    return link


def links_of(name, proto):
    links = [in_words(name, link) for link in proto.get("joints", []) + MORE_LINKS.get(name, [])]
    by_end = {link["end"]: link for link in links}
    for link in links:
        if "same_as" in link:
            like = by_end[link["same_as"].split(" mirrored")[0]]
            link.update({key: value for key, value in like.items() if key not in link})
    for link in links:
        link.update({key: value for key, value in proto.get("all_joints", {}).items() if key not in link})
    return links


def mass_with_parts(proto, links, end, mass):
    """With what is fixed to it: Solids and devices that have a mass."""
    for link in links:
        if link.get("t") == "fixed Solid" and link["parent"] == end:
            mass += mass_with_parts(proto, links, link["end"], link["mass"])
    for device in proto.get("devices", []):
        if device.get("in", "root") == end and isinstance(device.get("mass"), (int, float)):
            mass += device["mass"] * len(device.get("list_name_at_dir", [0]))
    return mass


def limits(low, high):
    """Of a motor: one that is absent is 0, and there are none if both are."""
    return (None, None) if low is None and high is None else (low or 0, high or 0)


def compare_motor(comparison, instance, proto, link, number):
    name = link["motor" + number]
    device = instance.devices.get(name)
    comparison.same(f"motor {name}", "there", "there" if device and device["motor"] else "not there")
    if not device or not device["motor"]:
        return
    motor = device["motor"]
    low, high = limits(link.get("min" + number), link.get("max" + number))
    comparison.number(f"minPosition of {name}", low, motor["min_position"])
    comparison.number(f"maxPosition of {name}", high, motor["max_position"])
    comparison.number(f"maxVelocity of {name}", link.get("vel" + number, 10), motor["max_velocity"])
    effort = link.get("torque" + number, link.get("force", 10))
    comparison.number(f"maxTorque of {name}", effort, motor["max_effort"])
    factor = proto.get("robot_fields", {}).get("motor consumptionFactor", 10)
    comparison.number(f"consumptionFactor of {name}", factor, motor["consumption_factor"])
    comparison.number(f"acceleration of {name}", link.get("acc"), motor["acceleration"])


def compare_sensor(comparison, instance, link, number):
    name = link["sensor" + number]
    device = instance.devices.get(name)
    comparison.same(f"sensor {name}", "there", "there" if device and device["sensor"] else "not there")
    if device and device["sensor"]:
        comparison.number(f"resolution of {name}", link.get("sensor_resolution"),
                          device["sensor"]["resolution"])


def compare_stops(comparison, link, joint):
    end = link["end"]
    comparison.number(f"minStop of {end}", link.get("minStop"), joint["min_stop"])
    comparison.number(f"maxStop of {end}", link.get("maxStop"), joint["max_stop"])
    comparison.number(f"dampingConstant of {end}", link.get("dampingConstant", 0), joint["damping"])
    comparison.number(f"staticFriction of {end}", link.get("staticFriction", 0), joint["friction"])
    comparison.number(f"springConstant of {end}", link.get("springConstant", 0), joint["spring"])
    comparison.number(f"position of {end}", link.get("position", 0), joint["position"])
    suspension = joint["suspension"] or {"spring": 0, "damping": 0}
    comparison.number(f"suspension spring of {end}", link.get("suspensionSpringConstant", 0),
                      suspension["spring"])
    comparison.number(f"suspension damping of {end}", link.get("suspensionDampingConstant", 0),
                      suspension["damping"])


def in_todays_axes(proto, link):
    """The link, with its vectors in the axes of R2022a and later: x was z, y was x, z was y."""
    if not str(proto.get("frame", "")).startswith("old"):
        return link
    link = dict(link)
    for key in ("axis", "anchor", "com"):
        if isinstance(link.get(key), list):
            x, y, z = link[key]
            link[key] = [z, x, y]
    if isinstance(link.get("inertia"), list):
        xx, yy, zz, xy, xz, yz = link["inertia"]
        link["inertia"] = [zz, xx, yy, xz, yz, xy]
    return link


def compare_vectors(comparison, instance, link, joint):
    """Axis and anchor of the joint; centre of mass and inertia of a body that is this link only."""
    end = link["end"]
    if isinstance(link.get("axis"), list):
        length = math.hypot(*link["axis"])
        comparison.compare(f"axis of {end}", [part / length for part in link["axis"]], joint["axis"], all_close)
    if isinstance(link.get("anchor"), list) and joint["anchor"] is not None:
        comparison.compare(f"anchor of {end}", link["anchor"], joint["anchor"], all_close)
    index = instance.solids[joint["child"]]["body"]
    if index is None or instance.bodies[index]["solids"] != [joint["child"]]:
        return
    body = instance.bodies[index]
    if isinstance(link.get("com"), list):
        comparison.compare(f"centerOfMass of {end}", link["com"], body["center_of_mass"], all_close)
    if isinstance(link.get("inertia"), list):
        i = body["inertia"]
        comparison.compare(f"inertia of {end}", link["inertia"],
                           [i[0][0], i[1][1], i[2][2], i[0][1], i[0][2], i[1][2]], all_close)


def compare_joint(comparison, instance, proto, links, link):
    for number in ("", "2"):
        if "motor" + number in link:
            compare_motor(comparison, instance, proto, link, number)
        if "sensor" + number in link:
            compare_sensor(comparison, instance, link, number)
    end = link["end"]
    child = NAMES.get((comparison.name, end), end)
    joint = instance.joint_of_motor(link["motor"]) if "motor" in link else instance.joint_of_child(child)
    comparison.same(f"joint of {end}", "there", "there" if joint else "not there")
    if not joint:
        return
    kind = {"Hinge2Joint": "hinge2", "SliderJoint": "slider", "BallJoint": "ball"}
    comparison.same(f"kind of the joint of {end}", kind.get(link.get("t"), "hinge"), joint["kind"])
    compare_stops(comparison, link, joint)
    mass = mass_of(link)
    if mass is not None:
        comparison.number(f"mass of {end}", mass_with_parts(proto, links, end, mass),
                          instance.mass_of(joint["child"]))
    compare_vectors(comparison, instance, in_todays_axes(proto, link), joint)


def compare_root(comparison, instance, proto, links, changes):
    root = in_words(comparison.name, {**proto.get("root_solid", proto), **changes})
    mass = mass_of(root)
    if mass is not None and len(instance.solids) > 0:
        carried = instance.robot is not None and instance.robot["name"] == "carrier"
        comparison.number("mass of root", mass_with_parts(proto, links, "root", mass),
                          instance.mass_of(1 if carried else 0))


# --- devices

def expanded(names_in_words):
    """'leds.a0..2, leds.top, leds.bottom.left/right' as single names."""
    for text in names_in_words.split(", "):
        counted = re.fullmatch(r"(.*?)(\d+)\.\.(?:.*?)(\d+)", text)
        stem, _, last = text.rpartition(".")
        if counted:
            for number in range(int(counted.group(2)), int(counted.group(3)) + 1):
                yield f"{counted.group(1)}{number}"
        elif "/" in last:
            yield from (f"{stem}.{one}" for one in last.split("/"))
        else:
            yield text


def names_of_devices(stand_in, device):
    """Also of one that is named by the field `name`, or after it."""
    if "list_name_at_dir" in device:
        return [entry[0] for entry in device["list_name_at_dir"]]
    if "names" in device:
        return list(expanded(device["names"]))
    own = fields(stand_in).get("name", ("", ""))[1].strip('"')
    if "name field" in device.get("n", "name field"):
        return [own]
    return list(expanded(device["n"])) if ".." in device["n"] else [
        device["n"].replace("<name>", own)]


def compare_devices(comparison, instance, proto, links, version):
    """Those in the facts are there, and no others."""
    expected = dict(MORE_DEVICES.get(comparison.name, {}))
    for device in proto.get("devices", []):
        if device.get("when", version) != version:
            continue
        kind = device["t"].split(" ")[0]
        for name in names_of_devices(comparison.name, device):
            expected[name] = KINDS.get(kind, kind)
    for name, kind in expected.items():
        found = instance.devices.get(name)
        comparison.same(f"device {name}", kind, found["node_type"] if found else "not there")
    listed = set(expected) | {link[key] for link in links for key in ("motor", "motor2", "sensor", "sensor2")
                              if key in link}
    for name in instance.devices.keys() - listed:
        comparison.same(f"device {name}", "not there", instance.devices[name]["node_type"])


# --- masses of objects

def compare_object(comparison, instance, proto):
    """Facts about the mass that are words: 'static', 'mass field, ...', 'physics field ...'."""
    words = proto.get("mass")
    if not isinstance(words, str) or not instance.solids:
        return
    mass = instance.mass_of(0)
    default = dict((name, value) for name, (_, value) in fields(comparison.name).items())
    if re.match(r"(none: )?static|physics field|mass<=0", words):
        comparison.same("mass of the object", None, mass)
    elif re.match(r"[\d.]+ kg", words):
        comparison.number("mass of the object", float(words.split(" ")[0]), mass)
    elif words.startswith("mass field"):
        field = float(default["mass"])
        comparison.number("mass of the object", field if field > 0 else None, mass)


def compare_old_place(comparison, program, folder, proto):
    """Where an instance stands by default in a world before R2022a, in which y points up."""
    old = [field[2] for field in proto.get("fields_R2019a_diff", []) if field[1] == "translation"]
    if not old:
        return
    header = '#VRML_SIM R2021b utf8\nWorldInfo { coordinateSystem "NUE" }'
    instance = Instance(program, folder, comparison.name, proto, "", header)
    found = instance.solids[0]["pose"]["translation"]
    comparison.compare("translation before R2022a", tokens(old[0]), found,
                       lambda a, b: all(map(close, a, b)))


def compare_variant(comparison, instance, proto, variant):
    changes = variant.get("changes", {})
    links = [{**link, **changes.get(link["end"], {})} for link in links_of(comparison.name, proto)]
    for link in links:
        if link.get("t") != "fixed Solid":
            compare_joint(comparison, instance, proto, links, link)
    compare_root(comparison, instance, proto, links, changes.get("root", {}))
    compare_devices(comparison, instance, proto, links, variant.get("version"))


def compare(program, folder, name, proto, faults, needed):
    comparison = Comparison(name, faults, needed)
    compare_fields(comparison, proto)
    compare_old_place(comparison, program, folder, proto)
    for variant in VARIANTS.get(name, [{}]):
        instance = Instance(program, folder, name, proto, variant.get("fields", ""))
        if is_robot(proto) or is_part(proto):
            compare_variant(comparison, instance, proto, variant)
        else:
            compare_object(comparison, instance, proto)


def main():
    program, faults, needed = Program(sys.argv[1]), Faults(), set()
    protos = json.loads(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"))["protos"]
    known = [name for name in protos if name in names()]
    with tempfile.TemporaryDirectory() as folder:
        for name in known:
            like = protos[SAME_AS[name]] if name in SAME_AS else {}
            taken = {key: like[key] for key in ("base", "frame", "joints", "devices", "root_solid") if key in like}
            compare(program, folder, name, {**protos[name], **taken}, faults, needed)
    for exception in EXCEPTIONS.keys() - needed:
        faults.check(False, f"{exception[0]}: the exception '{exception[1]}' is needed no more")
    print(f"{len(known)} PROTOs compared, {len(EXCEPTIONS)} exceptions")
    return faults.report("stand-ins and facts")


if __name__ == "__main__":
    sys.exit(main())
