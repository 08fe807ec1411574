// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bindings.h"
#include "simulation_object.h"

namespace servosim {
class Camera;
class RangingSensor;
class Recognition;
struct DeviceNode;
}  // namespace servosim

namespace servosim::python {

/// The object behind servosim.PictureSensor. Its devices live as long as the simulation; those that
/// its node does not have are null.
struct PictureSensorHandle {
  PictureSensorHandle(const Owner& the_owner, std::string the_name, const DeviceNode& node);

  Owner owner;
  std::string name;
  std::string node_type;
  Camera* camera;
  RangingSensor* distances;
  Recognition* recognition;

  int traverse(visitproc visit, void* arg) const { return owner.traverse(visit, arg); }
};

void bind_picture_sensor(py::module_& module);

}  // namespace servosim::python
