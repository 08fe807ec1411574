// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "scene/scene.h"
#include "servosim/diagnostics.h"

namespace servosim {

class Diagnostics;

/// Lists in Scene::rolling the robots without Physics that two wheels move, as in Webots. Their
/// wheels are two HingeJoints of the Robot itself with motors, whose endPoints have no Physics and
/// have as boundingObject a Cylinder round the axis of the joint. The axes are parallel and the
/// radii equal. If a robot has wheels and it is unknown whether and how Webots drives it, this is a
/// warning about something missing.
void find_rolling_robots(Scene& scene, Diagnostics& diagnostics);

/// Returns the Solids of robots without Physics that their wheels move.
std::vector<int> wheel_driven_solids(const Scene& scene);
/// Returns the Solids that rotating Lidars turn. They have no Physics.
std::vector<int> turning_heads(const Scene& scene);

}  // namespace servosim
