#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the stand-ins with the known facts about the PROTOs that they replace.

usage: facts.py PROGRAM FACTS

FACTS is tests/data/webots/standard_protos.json, whose README.md describes it. Each field, joint, motor,
device, mass and inertia in it is compared with the interface of the stand-in, and with the output of
`servosim info --json` for an instance of it. For deliberate differences, fact_exceptions.py gives the
reason. An exception that nothing needs is a fault.
"""
import json
import math
import pathlib
import sys
import tempfile

from fact_exceptions import ANY, EXCEPTIONS, NAMES, VARIANTS
from support import Faults, Program, fields, tokens

TOLERANCE = 1e-3  # relative: facts have four digits or more


class Comparison:
    """Compares the facts of one PROTO with its stand-in."""

    def __init__(self, name, faults, needed):
        self.name = name
        self.faults = faults
        self.needed = needed  # exceptions that were needed

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

def compare_fields(comparison, proto):
    known = fields(comparison.name)
    for kind, name, default in proto["fields"]:
        if name not in known:
            comparison.same(f"field {name}", "there", "not there")
            continue
        comparison.same(f"type of {name}", kind, known[name][0])
        comparison.compare(f"default of {name}", default, known[name][1],
                           lambda a, b: tokens(a) == tokens(b))


# --- the instance

def world_of(name, proto, more, header):
    """Returns an instance of the PROTO, in a Robot if it is a part of one."""
    if proto["kind"] == "robot":
        instance = f'{name} {{ controller "<none>" {more} }}'
    else:
        instance = f"{name} {{ {more} }}"
        if proto["kind"] == "part":
            instance = f'Robot {{ name "carrier" controller "<none>" children [ {instance} ] }}'
    return f"{header}\n{instance}\n"


class Instance:
    """Reads the output of `info` for an instance."""

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
        """Returns the mass of its body with all bodies that are fixed to it, or None if it has no body."""
        body = self.solids[solid]["body"]
        if body is None:
            return None
        fixed = [b["solids"][0] for b in self.bodies if b["hold"] == "parent"]
        return self.bodies[body]["mass"] + sum(
            self.mass_of(part) for part in fixed if self.solids[self.solids[part]["parent"]]["body"] == body)


# --- joints

def mass_with_parts(proto, links, end, mass):
    """Adds the mass of what is fixed to the link: Solids, and devices that have a mass."""
    for link in links:
        if link.get("kind") == "fixed" and link["parent"] == end:
            mass += mass_with_parts(proto, links, link["end"], link["mass"])
    for device in proto.get("devices", []):
        if device.get("in") == end:
            mass += device["mass"] * len(device["names"])
    return mass


def limits(low, high):
    """Returns the limits of a motor. A limit that is absent is 0. There are none if both are absent."""
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
    factor = proto.get("consumption_factor", 10)
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


def compare_vectors(comparison, instance, link, joint):
    """Compares axis and anchor of the joint, and centre of mass and inertia of a body that is this link only."""
    end = link["end"]
    if "axis" in link:
        length = math.hypot(*link["axis"])
        comparison.compare(f"axis of {end}", [part / length for part in link["axis"]], joint["axis"], all_close)
    if "anchor" in link and joint["anchor"] is not None:
        comparison.compare(f"anchor of {end}", link["anchor"], joint["anchor"], all_close)
    index = instance.solids[joint["child"]]["body"]
    if index is None or instance.bodies[index]["solids"] != [joint["child"]]:
        return
    body = instance.bodies[index]
    if "com" in link:
        comparison.compare(f"centerOfMass of {end}", link["com"], body["center_of_mass"], all_close)
    if "inertia" in link:
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
    comparison.same(f"kind of the joint of {end}", link.get("kind", "hinge"), joint["kind"])
    compare_stops(comparison, link, joint)
    if "mass" in link:
        comparison.number(f"mass of {end}", mass_with_parts(proto, links, end, link["mass"]),
                          instance.mass_of(joint["child"]))
    compare_vectors(comparison, instance, link, joint)


def compare_root(comparison, instance, proto, links, changes):
    mass = changes.get("mass", proto.get("mass"))
    if mass is not None and len(instance.solids) > 0:
        carried = proto["kind"] == "part"
        comparison.number("mass of root", mass_with_parts(proto, links, "root", mass),
                          instance.mass_of(1 if carried else 0))


# --- devices

def compare_devices(comparison, instance, proto, links, version):
    """Devices in the facts exist, and there are no others."""
    own = fields(comparison.name).get("name", ("", ""))[1].strip('"')
    expected = {name.replace("<name>", own): device["kind"] for device in proto.get("devices", [])
                if device.get("when", version) == version for name in device["names"]}
    for name, kind in expected.items():
        found = instance.devices.get(name)
        comparison.same(f"device {name}", kind, found["node_type"] if found else "not there")
    listed = set(expected) | {link[key] for link in links for key in ("motor", "motor2", "sensor", "sensor2")
                              if key in link}
    for name in instance.devices.keys() - listed:
        comparison.same(f"device {name}", "not there", instance.devices[name]["node_type"])


# --- masses of objects

def compare_object(comparison, instance, proto):
    """Compares its mass: a number, null without Physics, or "field" for its field `mass` if that is above 0."""
    if "mass" not in proto or not instance.solids:
        return
    mass = proto["mass"]
    if mass == "field":
        default = float(fields(comparison.name)["mass"][1])
        mass = default if default > 0 else None
    comparison.number("mass of the object", mass, instance.mass_of(0))


def compare_old_place(comparison, program, folder, proto):
    """Compares the default pose in a world before R2022a, in which y points up."""
    if "translation_before_R2022a" not in proto:
        return
    header = '#VRML_SIM R2021b utf8\nWorldInfo { coordinateSystem "NUE" }'
    instance = Instance(program, folder, comparison.name, proto, "", header)
    found = instance.solids[0]["pose"]["translation"]
    comparison.compare("translation before R2022a", tokens(proto["translation_before_R2022a"]), found,
                       lambda a, b: all(map(close, a, b)))


def compare_variant(comparison, instance, proto, variant):
    changes = variant.get("changes", {})
    links = [{**link, **changes.get(link["end"], {})} for link in proto.get("links", [])]
    for link in links:
        if link.get("kind") != "fixed":
            compare_joint(comparison, instance, proto, links, link)
    compare_root(comparison, instance, proto, links, changes.get("root", {}))
    compare_devices(comparison, instance, proto, links, variant.get("version"))


def compare(program, folder, name, proto, faults, needed):
    comparison = Comparison(name, faults, needed)
    compare_fields(comparison, proto)
    compare_old_place(comparison, program, folder, proto)
    for variant in VARIANTS.get(name, [{}]):
        instance = Instance(program, folder, name, proto, variant.get("fields", ""))
        if proto["kind"] == "object":
            compare_object(comparison, instance, proto)
        else:
            compare_variant(comparison, instance, proto, variant)


def main():
    program, faults, needed = Program(sys.argv[1]), Faults(), set()
    protos = json.loads(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        for name, proto in protos.items():
            compare(program, folder, name, proto, faults, needed)
    for exception in EXCEPTIONS.keys() - needed:
        faults.check(False, f"{exception[0]}: the exception '{exception[1]}' is needed no more")
    print(f"{len(protos)} PROTOs compared, {len(EXCEPTIONS)} exceptions")
    return faults.report("stand-ins and facts")


if __name__ == "__main__":
    sys.exit(main())
