// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <cstdint>

#include "servosim/math.h"

namespace servosim {

struct Grid;

/// The surface of a Track.
struct Belt {
  int joint = -1;      ///< whose velocity is that of the surface
  int solid = -1;      ///< the Track
  double speed = 0.0;  ///< that the contacts have [m/s]: of the step before them
  Vec3 axis;           ///< in the world: a surface with the outward normal n moves along axis × n
};

/// What collisions must know about a geom; kept as its user data.
struct GeomInfo {
  int robot = -1;    ///< outermost Robot, -1 for none
  int material = 0;  ///< index into the surface table
  int body = -1;     ///< index of its body, -1 for static or kinematic
  int carrier = -1;  ///< index of the body it moves with, its own or a parent's
  dBodyID carrier_id = nullptr;
  bool self_collision = true;  ///< of the robot
  const Grid* grid = nullptr;  ///< of an ElevationGrid
  bool feels = false;          ///< that Solid is a TouchSensor
  Mat3 plane_axes{};           ///< a Plane's frame in the world, which its geom does not know
  const Belt* belt = nullptr;  ///< of a Track with devices
  int solid = -1;              ///< the Solid it belongs to
  std::uint32_t index = 0;     ///< place in the order of creation; set by Contacts
};

inline GeomInfo& info_of(dGeomID geom) { return *static_cast<GeomInfo*>(dGeomGetData(geom)); }

}  // namespace servosim
