// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings.h"
#include "simulation_object.h"

namespace servosim::python {

/// The mappings that have the elements of a simulation by name.
py::object joints_of(const SharedSimulation& owner);
py::object solids_of(const SharedSimulation& owner);
py::object sensors_of(const SharedSimulation& owner);
py::object fields_of(const SharedSimulation& owner);

}  // namespace servosim::python
