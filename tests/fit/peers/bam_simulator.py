#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the bench of `servosim fit` with the simulator of BAM 1.0.1, for the same parameters.

usage: bam_simulator.py PROGRAM

BAM simulates a pendulum with its published parameters of an XL330. Its steps are explicit and of first
order, so what both differ by has to go to 0 with BAM's step, in proportion to it.
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

from bam.model import load_model
from bam.simulate import Simulator

SECONDS = 1.5
HOLD = 0.008  # how long a goal stays, for all steps [s]
STEPS = [0.004, 0.002, 0.001, 0.0005]  # [s]
ORDERS = 0.9, 1.1  # of the difference in the step, between the longest and the shortest one
MOST_LEFT = 0.01  # what a straight line through the two shortest steps has at 0 [degrees]

# BAM's name, and ours. One of its coefficients may be two of ours.
FIELDS = {"kt": ["drive.torque_constant"], "R": ["drive.resistance"], "armature": ["drive.armature"],
          "friction_base": ["friction.coulomb"], "friction_viscous": ["friction.viscous"],
          "friction_stribeck": ["friction.stribeck"], "dtheta_stribeck": ["friction.stribeck_speed"],
          "alpha": ["friction.stribeck_exponent"],
          "load_friction_base": ["friction.motor", "friction.external"],
          "load_friction_stribeck": ["friction.motor_stribeck", "friction.external_stribeck"],
          "load_friction_motor": ["friction.motor"], "load_friction_external": ["friction.external"],
          "load_friction_motor_stribeck": ["friction.motor_stribeck"],
          "load_friction_external_stribeck": ["friction.external_stribeck"],
          "load_friction_motor_quad": ["friction.motor_quadratic"],
          "load_friction_external_quad": ["friction.external_quadratic"]}


def servo_file(model):
    values = {"friction.load": '"static"', "firmware.p_scale": model.actuator.error_gain,
              "firmware.max_duty": model.actuator.max_pwm}
    for name, parameter in model.get_parameters().items():
        if name == "q_offset":  # what it adds to a reading
            values["encoder.offset"] = -parameter.value
            continue
        for key in FIELDS[name]:
            values[key] = parameter.value
    tables = {}
    for key, value in values.items():
        table, field = key.split(".")
        tables.setdefault(table, []).append(f"{field} = {value}")
    return "".join(f"[{table}]\n" + "\n".join(lines) + "\n" for table, lines in tables.items())


def goal_at(step, h):
    time = round(step * h / HOLD - 0.5 + 1e-6) * HOLD
    return 0.9 * math.sin(3.0 * time) + 0.4 * math.sin(10.0 * time)


def log_of(model, h):
    """A log as BAM's simulator with this step would have recorded it."""
    log = {"kp": 400, "vin": 7.4, "mass": 0.49, "length": 0.1, "arm_mass": 0.0, "dt": h}
    log["entries"] = [{"timestamp": i * h, "goal_position": goal_at(i, h), "position": 0.2, "speed": 0.0,
                       "torque_enable": i * h < 1.2} for i in range(round(SECONDS / h))]
    positions, _, _ = Simulator(model).rollout_log(log, simulate_control=True)
    for entry, position in zip(log["entries"], positions):
        entry["position"] = float(position)
    return log


def difference(program, folder, model, h):
    (folder / "servo.toml").write_text(servo_file(model), encoding="utf-8")
    (folder / "log.json").write_text(json.dumps(log_of(model, h)), encoding="utf-8")
    done = subprocess.run([program, "fit", "--check", folder / "servo.toml", folder / "log.json", "--json"],
                          check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["mean_error_deg"]


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as temporary:
        for law in "m1", "m6":
            model = load_model(motor_name="xl330", model=law)
            errors = [difference(sys.argv[1], pathlib.Path(temporary), model, h) for h in STEPS]
            order = math.log(errors[0] / errors[-1]) / math.log(STEPS[0] / STEPS[-1])
            left = errors[-1] - (errors[-2] - errors[-1])
            print(f"XL330 {law}:", ", ".join(f"{error:.4f}° at {1000 * h:g} ms"
                                             for error, h in zip(errors, STEPS)),
                  f"order {order:.2f}, {left:.4f}° at 0")
            failures += not ORDERS[0] < order < ORDERS[1] or abs(left) > MOST_LEFT
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
