#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs tests of pytest-webots 0.2, from the package index, with servosim's `webots`.

usage: pytest_webots.py PROGRAM FOLDER

FOLDER gets the virtual environment, which later runs use again. Ends with 77 if there is no
Python 3.12 or later, or if the package is not available.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
PACKAGE = "pytest-webots==0.2.0"

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 16 }
DEF CART Robot {
  name "cart"
  controller "<extern>"
  children [
    SliderJoint {
      jointParameters JointParameters { axis 1 0 0 }
      device [ LinearMotor { name "motor" maxVelocity 2 } PositionSensor { name "place" } ]
      endPoint DEF LOAD Solid { boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } }
    }
  ]
}
"""

DRIVE = """import sys
from controller import Robot
robot = Robot()
motor = robot.getDevice('motor')
motor.setPosition(float('inf'))
motor.setVelocity(float(sys.argv[1]) if len(sys.argv) > 1 else 0.5)
while robot.step(16) != -1:
    pass
"""

DRIVE_IN_C = """#include <math.h>
#include <webots/motor.h>
#include <webots/robot.h>
int main(void) {
  wb_robot_init();
  WbDeviceTag motor = wb_robot_get_device("motor");
  wb_motor_set_position(motor, INFINITY);
  wb_motor_set_velocity(motor, -0.5);
  while (wb_robot_step(16) != -1) {
  }
  wb_robot_cleanup();
}
"""

# The world goes on between the calls, as in Webots, so only lower bounds are certain.
TESTS = """import pytest

pytestmark = pytest.mark.webots_world('../worlds/cart.wbt')


def place(webots):
    return webots.supervisor.getFromDef('LOAD').getPosition()[0]


@pytest.mark.webots_controller('cart', '../controllers/drive')
def test_it_drives(webots):
    before = place(webots)
    webots.step(1600)
    assert place(webots) > before + 0.5
    assert webots.controllers['cart'].alive


# It would be on the other side without the reset between the tests.
@pytest.mark.webots_controller('cart', '../controllers/in_c', protocol='tcp')
def test_it_is_built_and_begins_anew_by_tcp(webots):
    webots.step(1600)
    assert place(webots) < -0.5


@pytest.mark.webots_controller('cart', '../controllers/drive', args=('1.5',))
def test_a_world_is_loaded_anew(webots):
    webots.step(320)
    webots.controllers['cart'].terminate()
    webots.reload()
    webots.launch_controller('cart', ROOT + '/controllers/drive/drive.py')
    before = place(webots)
    webots.step(1600)
    assert place(webots) > before + 0.5
"""


def pythons():
    for minor in range(20, 11, -1):
        found = shutil.which(f"python3.{minor}")
        if found:
            yield found
    roots = [os.environ.get("PYENV_ROOT"), pathlib.Path.home() / ".pyenv"]
    for root in roots:
        if root:
            yield from sorted(pathlib.Path(root).glob("versions/3.*/bin/python3"), reverse=True)


def is_new_enough(python):
    test = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 12))"
    return subprocess.run([python, "-c", test], stderr=subprocess.DEVNULL, check=False).returncode == 0


def environment(folder):
    """Returns the Python of a virtual environment with the package, or None."""
    python = folder / "bin" / "python3"
    if python.exists() and subprocess.run([python, "-c", "import pytest_webots"], check=False).returncode == 0:
        return python
    for candidate in pythons():
        if not is_new_enough(candidate):
            continue
        shutil.rmtree(folder, ignore_errors=True)
        # pip asks programs for their versions, and these write to the home folder.
        variables = {**os.environ, "HOME": str(folder), "PIP_NO_CACHE_DIR": "1"}
        for command in ([candidate, "-m", "venv", folder],
                        [python, "-m", "pip", "--quiet", "--retries", "1", "install", PACKAGE]):
            if subprocess.run(command, env=variables, check=False).returncode != 0:
                break
        else:
            return python
    return None


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    python = environment(folder)
    if python is None:
        print("skipped: there is no Python 3.12 or later, or pytest-webots cannot be installed")
        return SKIPPED
    home = subprocess.run([program, "webots-home"], check=True, capture_output=True, text=True).stdout.strip()
    with tempfile.TemporaryDirectory() as temporary:
        project = pathlib.Path(temporary)
        write(project / "worlds/cart.wbt", WORLD)
        write(project / "controllers/drive/drive.py", DRIVE)
        write(project / "controllers/in_c/in_c.c", DRIVE_IN_C)
        write(project / "controllers/in_c/Makefile", "include $(WEBOTS_HOME)/resources/Makefile.include\n")
        write(project / "tests/test_cart.py", f"ROOT = {str(project)!r}\n" + TESTS)
        write(project / "pytest.ini", "[pytest]\n")
        variables = {**os.environ, "WEBOTS_HOME": home, "TMPDIR": temporary}
        command = [python, "-m", "pytest", "-v", "-p", "no:cacheprovider", "--webots-port-base", "24000",
                   "--webots-startup-timeout", "120", "tests"]
        return subprocess.run(command, cwd=project, env=variables, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
