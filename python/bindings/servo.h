// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings.h"
#include "simulation_object.h"

namespace servosim::python {

/// Returns the servo of the motor of a joint, or None if its motor is no real servo.
py::object servo_of(const Owner& owner, int joint);

void bind_servo(py::module_& module);

}  // namespace servosim::python
