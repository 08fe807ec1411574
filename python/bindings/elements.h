// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings.h"
#include "simulation_object.h"

namespace servosim::python {

/// Mappings from names to the elements of a simulation.
py::object joints_of(SimulationObject& owner);
py::object solids_of(SimulationObject& owner);
py::object sensors_of(SimulationObject& owner);
py::object picture_sensors_of(SimulationObject& owner);
py::object fields_of(SimulationObject& owner);

}  // namespace servosim::python
