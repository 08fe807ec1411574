// SPDX-License-Identifier: Apache-2.0
#pragma once

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

}  // namespace servosim
