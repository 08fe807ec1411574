#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the tables of docs/reference/stand-ins.md with the header comments of protos/*.proto.

usage: stand_in_table.py [--update] SOURCE

SOURCE is the folder of the repository. Each table is between <!-- table: GROUP --> and <!-- end
-->.
--update writes the tables again.
"""
import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "protos"))
from support import header, names  # noqa: E402  pylint: disable=wrong-import-position

ROBOTS = {"BB-8", "Crazyflie", "Khr3hv", "DARwInOP", "Darwin-op", "E-puck", "Irb4600-40", "Khepera4", "Mavic2Pro", "Moose", "Nao", "Panda",
          "Pioneer3at", "Pioneer3dx", "Puma560", "RobotisOp2", "Thymio2", "TurtleBot3Burger", "UR10e", "UR3e",
          "UR5e", "Youbot"}
PARTS = {"E-puckDistanceSensor", "E-puckGroundSensors", "Hinge2JointWithBacklash", "HingeJointWithBacklash", "MooseWheel", "PandaHand",
         "Pioneer3DistanceSensor", "Robotiq3fGripper", "RobotisLds01", "SickLms291", "VelodynePuck",
         "VelodyneVLP-16"}


def groups(source):
    """Returns the PROTO names of each table. Decor are those without a world of their own in the
    tests.
    """
    known = names()
    worlds = source / "tests/worlds/stand_ins"
    decor = {name for name in known if not (worlds / f"{name}.wbt").exists()}
    gone = (ROBOTS | PARTS) - set(known)
    if gone:
        sys.exit(f"there is no stand-in {', '.join(sorted(gone))}")
    return {"robots": sorted(ROBOTS), "parts": sorted(PARTS),
            "objects": [name for name in known if name not in ROBOTS | PARTS | decor],
            "decor": sorted(decor)}


def cell(text):
    return re.sub(r"([*|<])", r"\\\1", text)


def table(group):
    lines = ["| stand-in | keeps | lacks | certainty |", "|---|---|---|---|"]
    for name in group:
        values = header(name)
        gone = {"keeps", "lacks", "certainty"} - set(values)
        if gone:
            sys.exit(f"protos/{name}.proto has no line '# {gone.pop()}: ...'")
        cells = [f"`{name}`", *(cell(values[key]) for key in ("keeps", "lacks", "certainty"))]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main():
    arguments = sys.argv[1:]
    update = arguments[0] == "--update"
    source = pathlib.Path(arguments[-1])
    page = source / "docs/reference/stand-ins.md"
    text = page.read_text(encoding="utf-8")
    made = text
    for name, group in groups(source).items():
        made, count = re.subn(rf"(<!-- table: {name} -->\n\n).*?(\n\n<!-- end -->)",
                              lambda m, rows=table(group): m.group(1) + rows + m.group(2), made,
                              flags=re.DOTALL)
        if count != 1:
            sys.exit(f"{page} has {count} tables '{name}'")
    if made == text:
        print(f"the tables of {page.name} are those of {len(names())} headers")
    elif update:
        page.write_text(made, encoding="utf-8")
    else:
        old = set(text.splitlines())
        print("\n".join(line for line in made.splitlines() if line not in old))
        sys.exit("docs/reference/stand-ins.md differs from the headers of protos/*.proto, as above; renew it: "
                 "tests/docs/stand_in_table.py --update .")


if __name__ == "__main__":
    main()
