#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A stand-in is used after every file of its name, and not for appearances.

usage: lookup.py PROGRAM
"""
import pathlib
import sys
import tempfile

from support import Faults, Program

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { }
Can { translation 1 2 3 mass 0.25 }
"""
# The world has another PROTO of the same name.
OWN = """#VRML_SIM R2025a utf8
PROTO Can [ field SFVec3f translation 0 0 0 field SFFloat mass 1 ]
{ Solid { translation IS translation name "own can" } }
"""
GLASS = """#VRML_SIM R2025a utf8
WorldInfo { }
Solid {
  name "pane"
  children [ Shape { appearance Glass { } geometry Box { } } ]
}
"""


def check(program, faults, folder):
    world = folder / "worlds/world.wbt"
    other = folder / "elsewhere"
    for path in (world.parent, other, folder / "protos"):
        path.mkdir()
    world.write_text(WORLD, encoding="utf-8")

    def solids(*options):
        _, document = program("info", "--json", *options, world)
        return [solid["name"] for solid in document["solids"]]

    code, document = program("check", "--json", "--strict", world)
    result = document["worlds"][0]
    faults.check(code == 0 and result["complete"], f"a world with a stand-in: exit code {code}, {result}")
    texts = [d["message"] for d in result["diagnostics"] if d["severity"] == "info"]
    faults.check(any("PROTO 'Can' not found: the stand-in of servosim is used" in text for text in texts),
                 f"nothing says that the stand-in is used: {texts}")
    faults.check(solids() == ["can"], f"the stand-in is {solids()}")

    code, document = program("check", "--json", "--no-stand-ins", world)
    missing = [entry["subject"] for entry in document["worlds"][0]["missing"]]
    faults.check(code == 3 and missing == ["PROTO 'Can'"],
                 f"--no-stand-ins: exit code {code}, {missing}")

    (other / "Can.proto").write_text(OWN, encoding="utf-8")
    found = solids("--proto-path", other)
    faults.check(found == ["own can"], f"the file of --proto-path should win: {found}")
    (folder / "protos/Can.proto").write_text(OWN.replace("own can", "can of the project"), encoding="utf-8")
    found = solids()
    faults.check(found == ["can of the project"], f"the file of the project should win: {found}")

    world.write_text(GLASS, encoding="utf-8")
    _, document = program("check", "--json", world)
    texts = [d["message"] for d in document["worlds"][0]["diagnostics"]]
    faults.check(not any("stand-in" in text for text in texts), f"an appearance became an object: {texts}")


def main():
    faults = Faults()
    with tempfile.TemporaryDirectory() as folder:
        check(Program(sys.argv[1]), faults, pathlib.Path(folder))
    return faults.report("when stand-ins are used")


if __name__ == "__main__":
    sys.exit(main())
