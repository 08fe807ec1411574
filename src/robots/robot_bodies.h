// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "robots/robot_model.h"

namespace servosim::robots {

/// Prepares the links for a world, in which only a Solid with a mass moves by forces, carries a
/// joint or belongs to the body of the Solid above. Links that are fixed to each other are one
/// body. In each body that moves
///
///  * the first link gets the masses of links whose inertia no solver accepts, and those of others
///    as long as its own is none; the body stays the same;
///  * a body without any mass gets a gram, and an inertia that no solver accepts is repaired, which
///    are losses;
///  * links hang on links with a mass, and a link without one gives its collisions to the link on
///    which it hangs: it is a frame.
///
/// Links that do not move lose their masses. A link with several joints becomes a chain of links,
/// which is a loss, and the pair of the link and its parent joins those that never touch. A joint
/// that no world has becomes fixed, which is a loss too. Pairs that no world lets touch are left
/// out.
void prepare_bodies(RobotModel& model, std::vector<Loss>& losses);

/// Replaces each link with several joints by links with one joint each, all with the same frame. A
/// body must have a mass, so those between take a little of that of the link, which is a loss.
void split_joints(RobotModel& model, std::vector<Loss>& losses);

/// Returns whether a link is a body on its own in the world, next to the robot: it is free against
/// a root that does not move.
bool is_loose(const RobotModel& model, const RobotLink& link);

/// Returns the pose of each link in the world at the start.
std::vector<Pose> start_poses(const RobotModel& model);
/// Returns the motion of a joint from position 0 to its start, in the frame of the link at 0.
Pose start_motion(const RobotJoint& joint);

}  // namespace servosim::robots
