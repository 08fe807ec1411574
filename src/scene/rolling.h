// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scene/scene.h"
#include "servosim/diagnostics.h"

namespace servosim {

class Diagnostics;

/// Lists in Scene::rolling the robots without Physics that two wheels move, as Webots does: two
/// HingeJoints of the Robot itself with motors, whose endPoints have no Physics and a Cylinder
/// round the axis of the joint as boundingObject. Their axes are parallel and their radii equal.
/// Where a robot has wheels, and it is not known whether and how Webots drives it, that is a
/// warning about something missing.
void find_rolling_robots(Scene& scene, Diagnostics& diagnostics);

}  // namespace servosim
