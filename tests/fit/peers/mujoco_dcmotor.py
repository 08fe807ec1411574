#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the bench of `servosim fit` with `dcmotor` of MuJoCo 4: resistance and constant alone.

usage: mujoco_dcmotor.py PROGRAM

With `input="pos"` and these gains dcmotor's voltage is that of a firmware with a P gain. At the finest
step both have the same motion.
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import mujoco

SERVO = {"K": 0.4, "R": 3.3, "volts": 7.4, "p": 2.0}  # p: duty per radian
MASS, LENGTH = 0.3, 0.1
FINEST = 5e-5  # [s]
ROWS = 0.001  # [s]
SECONDS = 2.0
MOST = math.degrees(1e-4)

MODEL = """<mujoco>
  <option timestep="{h}" gravity="0 0 -9.80665" integrator="RK4"/>
  <worldbody>
    <body>
      <joint name="axis" type="hinge" axis="0 -1 0"/>
      <inertial pos="0 0 -{LENGTH}" mass="{MASS}" diaginertia="1e-12 1e-12 1e-12"/>
    </body>
  </worldbody>
  <actuator>
    <dcmotor joint="axis" motorconst="{K}" resistance="{R}" input="pos" controller="{kp} 0 {kd} 0 0 {volts}"/>
  </actuator>
</mujoco>
"""
SERVO_FILE = """[drive]
torque_constant = {K}
resistance = {R}
[firmware]
p = 1
p_scale = {p}
"""


def goal_at(time):
    held = round(time / 0.02 - 0.5 + 1e-6) * 0.02
    return 1.2 * math.sin(3.0 * held) + 0.4 * math.sin(11.0 * held)


def log_of(h):
    k, r = SERVO["K"], SERVO["R"]
    model = mujoco.MjModel.from_xml_string(
        MODEL.format(h=h, kp=SERVO["volts"] * SERVO["p"] * k / r, kd=k * k / r, MASS=MASS, LENGTH=LENGTH,
                     **SERVO))
    data = mujoco.MjData(model)
    entries = []
    for row in range(round(SECONDS / ROWS)):
        goal = goal_at(row * ROWS)
        entries.append({"timestamp": row * ROWS, "goal_position": goal, "position": float(data.qpos[0]),
                        "speed": 0.0, "torque_enable": True})
        data.ctrl[0] = goal
        for _ in range(round(ROWS / h)):
            mujoco.mj_step(model, data)
    return {"kp": 1, "vin": SERVO["volts"], "mass": MASS, "length": LENGTH, "arm_mass": 0, "entries": entries}


def main():
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "servo.toml").write_text(SERVO_FILE.format(**SERVO), encoding="utf-8")
        log = log_of(FINEST)
        swing = max(entry["position"] for entry in log["entries"])
        (folder / "log.json").write_text(json.dumps(log), encoding="utf-8")
        done = subprocess.run([sys.argv[1], "fit", "--check", folder / "servo.toml", folder / "log.json",
                               "--json"], check=True, capture_output=True, text=True)
        error = json.loads(done.stdout)["logs"][0]["max_error_deg"]
        print(f"MuJoCo {mujoco.__version__}: swings to {math.degrees(swing):.1f}°, differs by at most "
              f"{math.radians(error):.1e} rad")
        return 0 if error <= MOST and swing > 0.5 else 1


if __name__ == "__main__":
    sys.exit(main())
