#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each stand-in has a complete header and a world that uses it. The world is complete and stays at rest.

usage: worlds.py [--no-controllers] PROGRAM

The world of NAME.proto is tests/worlds/stand_ins/NAME.wbt, or decor.wbt for what only decorates.
"""
import math
import re
import sys

from support import AXES, NEEDED_KEYS, WORLDS, Faults, Program, fields, header, names, text_of

SECONDS = 2
LARGEST_TILT = math.radians(10)
# These robots are expected to fall over, so the reports of a run about their tilt are not checked.
FALLING = {
    ("PandaHand", "hand"): "the hand falls onto the floor with the Robot that has it",
}


def check_header(name, faults):
    values = header(name)
    for key in NEEDED_KEYS:
        faults.check(values.get(key), f"protos/{name}.proto has no line '# {key}: ...'")
    faults.check(values.get("axes before R2022a") in AXES,
                 f"protos/{name}.proto: axes are one of {', '.join(AXES)}")
    text = text_of(name)
    faults.check(text.startswith("#VRML_SIM R2025a utf8\n# license: Apache License 2.0\n"),
                 f"protos/{name}.proto: first lines are those of a file of R2025a with our licence")
    faults.check(f"\nPROTO {name} [" in text, f"protos/{name}.proto is PROTO {name}")
    scripted = "# template language: javascript" in text
    faults.check(scripted == ("%<" in text), f"protos/{name}.proto names its language if it is a template")
    known = fields(name)
    for size in filter(None, values.get("sizes before R2022a", "").split(", ")):
        faults.check(known.get(size, ("",))[0] == "SFVec3f",
                     f"protos/{name}.proto: '{size}' of its sizes is no field of type SFVec3f")


def uses(world, name):
    return re.search(rf"(?m)(?:^|[\s\[])(?:DEF \S+ )?{re.escape(name)} \{{", world)


def check_use(name, faults):
    own = WORLDS / f"{name}.wbt"
    world = own if own.exists() else WORLDS / "decor.wbt"
    faults.check(uses(world.read_text(encoding="utf-8"), name), f"{world.name} uses no {name}")


def losses(world):
    """Returns, as subjects of a summary, the moving parts that the stand-ins of a world say they lack."""
    text = world.read_text(encoding="utf-8")
    lost = set()
    for name in names():
        kind, _, what = header(name).get("loses", "").partition(": ")
        condition = kind.split(" ", 2)[1:]
        holds = not condition or (condition[0] == "if" and any(f" {field} TRUE" in text
                                                               for field in condition[1].split(", ")))
        if what and holds and uses(text, name):
            lost.add(f"{what} of PROTO '{name}'")
    return lost


def lacks_as_expected(world, code, document):
    lost = losses(world)
    return code == (3 if lost else 0) and {part["subject"] for part in document["missing"]} == lost


def is_expected(warning):
    return "the stand-in for " in warning or warning.endswith("acts on no motion")


def check_diagnostics(world, program, faults):
    code, document = program("check", "--json", world)
    result = document["worlds"][0]
    faults.check(lacks_as_expected(world, code, result), f"{world.name} lacks: {result['missing']}")
    for diagnostic in result["diagnostics"]:
        faults.check(diagnostic["severity"] == "info" or is_expected(diagnostic["message"]),
                     f"{world.name}:{diagnostic['line']}: {diagnostic['severity']}: {diagnostic['message']}")


def finite(value):
    return isinstance(value, (int, float)) and math.isfinite(value)


def check_joints(world, run, faults):
    for joint in run["joints"]:
        for key in ("final", "min", "max", "max_velocity"):
            faults.check(finite(joint[key]), f"{world.name}: {key} of {joint['name']} is {joint[key]}")


def check_robots(world, run, faults, left_out):
    for robot in run["robots"]:
        motion = robot["motion"]
        if motion is None:  # the Solid has no body
            continue
        faults.check(all(map(finite, motion["position"])), f"{world.name}: {robot['name']} is nowhere")
        leans = not motion["tilt"] < LARGEST_TILT
        if (world.stem, robot["name"]) in FALLING:
            left_out.add((world.stem, robot["name"]))
            faults.check(leans, f"{world.name}: {robot['name']} is listed as falling, and stands")
        else:
            faults.check(not leans,
                         f"{world.name}: {robot['name']} leans by {math.degrees(motion['tilt']):.1f} degrees")


def check_notices(world, run, faults):
    for notice in run["notices"]:
        faults.check(is_expected(notice["message"]),
                     f"{world.name}: {notice['level']}: {notice['message']}")


NO_CONTROLLERS = sys.argv[1:2] == ["--no-controllers"]


def check_run(world, program, faults, left_out):
    # The only controller that servosim itself has is in Python.
    passive = ["--controller", "conveyor belt=<none>"] if NO_CONTROLLERS and world.stem == "ConveyorBelt" else []
    code, document = program("run", "--duration", SECONDS, "--json", *passive, world)
    run = document["runs"][0]
    faults.check(lacks_as_expected(world, code, run), f"{world.name}: the run lacks: {run['missing']}")
    faults.check(abs(run["simulated_time"] - SECONDS) <= run["time_step"],
                 f"{world.name}: the run ended at {run['simulated_time']} s")
    check_joints(world, run, faults)
    check_robots(world, run, faults, left_out)
    check_notices(world, run, faults)


def main():
    program, faults, left_out = Program(sys.argv[-1]), Faults(), set()
    for name in names():
        check_header(name, faults)
        check_use(name, faults)
    worlds = sorted(WORLDS.glob("*.wbt"))
    for world in worlds:
        check_diagnostics(world, program, faults)
        check_run(world, program, faults, left_out)
    for robot in FALLING.keys() - left_out:
        faults.check(False, f"{robot} is listed as falling, and is not there")
    print(f"{len(names())} stand-ins in {len(worlds)} worlds")
    return faults.report("stand-ins in their worlds")


if __name__ == "__main__":
    sys.exit(main())
