# SPDX-License-Identifier: Apache-2.0
"""Webots worlds at joint level, from Python: load, step, read, command, save, edit.

    sim = servosim.Simulation('worlds/arm.wbt', seed=1)
    sim.joints['arm/shoulder'].target = 0.5
    sim.step(100)
    print(sim.time, sim.joint_positions)

All units are SI units. Messages go to the logger 'servosim'.
"""
from ._interpreter import refuse_subinterpreters

refuse_subinterpreters()  # must precede everything compiled, which would wait for ever or crash

from ._errors import (Diverged, EditError, InUseError, LoadError, StepFailed, UnknownName)
from ._notebook import Array, Replay
from ._pictures import Pictures
from ._servosim import (Batch, Diagnostic, Fields, Joint, Joints, MissingPart, PictureSensor, PictureSensors,
                        Recording, Sensor, Sensors, Servo, Simulation, Solid, Solids, Trace)
from ._servosim import version as __version__

__all__ = [
    'Array', 'Batch', 'Diagnostic', 'Diverged', 'EditError', 'Fields', 'InUseError', 'Joint', 'Joints',
    'LoadError', 'MissingPart', 'PictureSensor', 'PictureSensors', 'Pictures', 'Recording', 'Replay', 'Sensor',
    'Sensors', 'Servo', 'Simulation', 'Solid', 'Solids', 'StepFailed', 'Trace', 'UnknownName', '__version__',
]
