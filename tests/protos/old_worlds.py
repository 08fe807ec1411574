#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stand-ins in worlds before R2022a, where y points up, behave as in worlds of R2025a.

usage: old_worlds.py [--no-controllers] PROGRAM

Each case has two worlds and states where things are in both: the axes that an instance had of its own
before R2022a are those of 'axes before R2022a' in its header. --no-controllers leaves out what needs a
controller in Python.
"""
import pathlib
import sys
import tempfile

from support import Faults, Program

OLD = '#VRML_SIM R2021b utf8\nWorldInfo {{ basicTimeStep 8 coordinateSystem "NUE" }}\nFloor {{ }}\n{}\n'
NEW = "#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep 8 }}\nFloor {{ }}\n{}\n"
BALL = """Robot {{
  translation {} {} {}
  name "{}"
  controller "<none>"
  boundingObject Sphere {{ radius 0.05 }}
  physics Physics {{ density -1 mass 0.5 }}
}}"""
RADIUS = 0.05
SINK = 1e-3  # m: a ball sinks in by up to this, and robots at rest differ by up to this

CONTROLLER = """from controller import Robot
robot = Robot()
for name in ("left wheel motor", "right wheel motor"):
    motor = robot.getDevice(name)
    motor.setPosition(float("inf"))
    motor.setVelocity(3)
while robot.step(8) != -1:
    pass
"""


class Place:
    """Runs worlds in a temporary folder."""

    def __init__(self, program, folder, faults):
        self.program = program
        self.folder = pathlib.Path(folder)
        self.faults = faults

    def world(self, text):
        path = self.folder / "worlds/world.wbt"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def run(self, text, seconds=1, options=()):
        """Returns the motion of each robot."""
        code, document = self.program("run", "--duration", seconds, "--json", *options, self.world(text))
        run = document["runs"][0]
        self.faults.check(code == 0 and run["complete"], f"exit code {code}, {run['missing']} of\n{text}")
        return {robot["name"]: robot["motion"] for robot in run["robots"]}

    def info(self, text):
        code, document = self.program("info", "--json", self.world(text))
        self.faults.check(code == 0 and not document["diagnostics"] or
                          all(d["severity"] == "info" for d in document["diagnostics"]),
                          f"{document['diagnostics']} of\n{text}")
        return document

    def near(self, what, expected, found, tolerance=SINK):
        self.faults.check(all(abs(a - b) <= tolerance for a, b in zip(expected, found, strict=True)),
                          f"{what} is at {found}, and should be at {expected}")


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def place_of(document, name):
    """Returns the position of a Solid in the world."""
    solids = document["solids"]
    index = [solid["name"] for solid in solids].index(name)
    point = [0, 0, 0]
    while index is not None:
        pose = solids[index]["pose"]
        point = [a + b for a, b in zip(times(pose["rotation"], point), pose["translation"], strict=True)]
        index = solids[index]["parent"]
    return point


# Balls fall onto the object. `points` maps (right, up, forward) to their height at rest. In R2025a an
# object's x axis is the former forward axis z, and its y axis is the former right axis x.
def balls(points, old):
    order = (lambda r, u, f: (r, u, f)) if old else (lambda r, u, f: (f, r, u))
    return "\n".join(BALL.format(*order(*point), f"ball {number}") for number, point in enumerate(points))


def check_rest(place, instances, heights):
    """The object under the balls has the right height at the given points and not elsewhere."""
    for old, world, instance, up in ((True, OLD, instances[0], 1), (False, NEW, instances[1], 2)):
        motions = place.run(world.format(instance + "\n" + balls(list(heights), old)), 2)
        for number, (point, height) in enumerate(heights.items()):
            found = motions[f"ball {number}"]["position"][up]
            place.near(f"{instance}: the height of ball {number}, from {point}", [height + RADIUS], [found])


def check_table(place):
    on, off = (0.85, 0.81, 0.45), (0.45, 0.81, 0.85)  # its long side extends to the right
    check_rest(place, ("Table { }", "Table { }"), {on: 0.74, off: 0})
    check_rest(place, ("Table { size 0.6 0.5 1.6 }", "Table { size 1.6 0.6 0.5 }"),
               {(0.25, 0.6, 0.75): 0.5, (0.75, 0.6, 0.25): 0})


def check_box(place):
    check_rest(place, ("CardboardBox { translation 0 0.2 0 size 0.6 0.4 0.2 }",
                       "CardboardBox { translation 0 0 0.2 size 0.2 0.6 0.4 }"),
               {(0.28, 0.5, 0.05): 0.4, (0.05, 0.5, 0.28): 0})
    # By default the box is 0.3 m above the floor in both.
    check_rest(place, ("CardboardBox { }", "CardboardBox { }"), {(0.2, 0.7, -0.2): 0.6})


def check_arm(place):
    """By default the arm is upright: the upper arm is at the side of the shoulder, not in the floor."""
    new = place.info(NEW.format('UR5e { translation 1 2 0.5 controller "<none>" }'))
    for rotation in ("", "rotation 1 0 0 -1.5707963"):
        old = place.info(OLD.format(f'UR5e {{ translation 1 0.5 -2 {rotation} controller "<none>" }}'))
        for name, point in (("shoulder_link", (1, 2, 0.663)), ("upper_arm_link", (1, 2.138, 0.663))):
            place.near(f"{name} in R2025a", point, place_of(new, name), 1e-6)
        for solid in ("shoulder_link", "upper_arm_link", "forearm_link", "wrist_3_link"):
            x, y, z = place_of(new, solid)
            place.near(f"{solid} of UR5e {{ {rotation} }} in R2021b", (x, z, -y), place_of(old, solid), 1e-6)


def check_slots(place):
    """A node in a slot has the axes that the robot had when the world was made."""
    solid = 'Solid {{ translation {} name "load" }}'
    cases = [
        # Before R2022a an e-puck had x to the right and z backward.
        ('E-puck {{ controller "<none>" turretSlot {} }}', (0.01, 0.02, 0.03), (0.01, 0.0686, 0.0395),
         (-0.03, -0.01, 0.02), (-0.0395, -0.01, 0.0686)),
        # A DARwIn-OP had x to the left and z forward.
        ('Darwin-op {{ controller "<none>" bodySlot {} }}', (0.01, 0.02, 0.03), None,
         (0.03, 0.01, 0.02), None),
        # An arm had the same axes. Its rotation put it on the floor.
        ('UR5e {{ controller "<none>" toolSlot {} }}', (0.01, 0.02, 0.03), None, (0.01, 0.02, 0.03), None),
    ]
    for instance, old_load, old_place, new_load, new_place in cases:
        found = {}
        for world, load in ((OLD, old_load), (NEW, new_load)):
            text = world.format(instance.format(solid.format(" ".join(map(str, load)))))
            found[world] = place_of(place.info(text), "load")
        if old_place:
            place.near(f"the load of {instance} in R2021b", old_place, found[OLD], 1e-6)
            place.near(f"the load of {instance} in R2025a", new_place, found[NEW], 1e-6)
        # The vertical axis is the same, and so is the height.
        place.near(f"the height of the load of {instance}", [found[NEW][2]], [found[OLD][1]], 1e-6)
        place.faults.check(found[NEW][2] > 0.01, f"the load of {instance} lies at {found[NEW]}")


# Robots that are on the floor, and the coordinates in their old worlds of a point (x, y, z) of R2025a.
STANDING = {
    "E-puck": lambda x, y, z: (-y, z, -x),
    "Pioneer3dx": lambda x, y, z: (-y, z, -x),
    "Pioneer3at": lambda x, y, z: (-y, z, -x),
    "Khepera4": lambda x, y, z: (-y, z, -x),
    "TurtleBot3Burger": lambda x, y, z: (-y, z, -x),
    "Thymio2": lambda x, y, z: (-y, z, -x),
    "Nao": lambda x, y, z: (x, z, -y),
    "Irb4600-40": lambda x, y, z: (x, z, -y),
}


def check_robots(place):
    """By default they are on the floor, upright, at the same height, and at the same place in their axes."""
    for name, turn in STANDING.items():
        motion = {}
        for world in (OLD, NEW):
            motions = place.run(world.format(f'{name} {{ controller "<none>" }}'))
            motion[world] = next(iter(motions.values()))
            tilt = motion[world]["tilt"]
            place.faults.check(tilt < 0.17, f"{name} leans by {tilt} rad in\n{world}")
        place.near(f"{name} in R2021b", turn(*motion[NEW]["position"]), motion[OLD]["position"])


def check_hidden(place):
    """Saved turns of wheels refer to the old axes: an e-puck is upright on its wheels."""
    saved = ("hidden translation_1 -0.026 0.02 0 hidden rotation_1 -1 0 0 4.99 "
             "hidden translation_2 0.026 0.02 0 hidden rotation_2 1 0 0 4.82")
    tilt = place.run(OLD.format(f'E-puck {{ {saved} controller "<none>" }}'))["e-puck"]["tilt"]
    place.faults.check(tilt < 0.02, f"an e-puck with saved wheels leans by {tilt} rad")


def check_arguments(place):
    """Before R2020b the arguments were one string."""
    text = 'Pioneer3dx {{ controllerArgs {} }}'
    for version, args, expected in (("R2019a", '"-v  7 slow"', ["-v", "7", "slow"]),
                                    ("R2021b", '[ "-v 7" "slow" ]', ["-v 7", "slow"])):
        world = OLD.format(text.format(args)).replace("R2021b", version)
        if version < "R2020b":
            world = world.replace('coordinateSystem "NUE"', "")
        found = place.info(world)["robots"][0]["controller_args"]
        place.faults.check(found == expected, f"arguments {args} are {found} in {version}")


def check_drive(place):
    """Wheels that turn forward drive an e-puck along x in R2025a, and along -z before."""
    controller = place.folder / "drive.py"
    controller.write_text(CONTROLLER, encoding="utf-8")
    distance = 3 * 0.02 * 2  # rad/s, m, s
    for world, expected in ((OLD, (0, 0, -distance)), (NEW, (distance, 0, 0))):
        motions = place.run(world.format("E-puck { }"), 2, ["--controller", f"e-puck={controller}"])
        place.near("an e-puck that drives", expected, motions["e-puck"]["position"], 0.05 * distance)


def main():
    arguments = sys.argv[1:]
    checks = [check_table, check_box, check_arm, check_slots, check_robots, check_hidden, check_arguments]
    if arguments[0] == "--no-controllers":
        arguments.pop(0)
    else:
        checks.append(check_drive)
    faults = Faults()
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Program(arguments[0]), folder, faults)
        for check in checks:
            check(place)
    return faults.report("stand-ins in worlds before R2022a")


if __name__ == "__main__":
    sys.exit(main())
