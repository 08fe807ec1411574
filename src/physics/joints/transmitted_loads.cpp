// SPDX-License-Identifier: Apache-2.0
#include "physics/joints/transmitted_loads.h"

#include <algorithm>

#include "base/assert.h"
#include "physics/bodies.h"
#include "physics/joints/joints.h"
#include "physics/solid_poses.h"
#include "scene/scene.h"
#include "scene/scene_match.h"

namespace servosim {

TransmittedLoads::TransmittedLoads(const Scene& scene, const Bodies& bodies,
                                   const SolidPoses& poses)
    : scene_(scene), bodies_(bodies), poses_(poses), loads_(scene.measured_joints.size()) {}

void TransmittedLoads::attach_to(Joints& joints) {
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    JointRows* const rows = joints.rows_of(scene_.measured_joints[i]);
    SERVOSIM_ASSERT(rows != nullptr && rows->child != nullptr, "joint {}",
                    scene_.measured_joints[i]);
    rows->load = &loads_[i];
  }
}

void TransmittedLoads::begin_step() {
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    loads_[i].put = {};
    loads_[i].rotation = poses_.frame(scene_.joints[scene_.measured_joints[i]].child).rotation;
  }
}

int TransmittedLoads::find(int joint) const {
  const std::vector<int>& all = scene_.measured_joints;
  const auto found = std::find(all.begin(), all.end(), joint);
  return found != all.end() ? static_cast<int>(found - all.begin()) : -1;
}

// A body has the axes of its Solid. The torque about the Solid's origin is τ + c × f, with c, the
// centre of mass.
Wrench TransmittedLoads::of(int joint) const {
  const int index = find(joint);
  SERVOSIM_ASSERT(index >= 0, "joint {}", joint);
  const ChildLoad& load = loads_[index];
  const int child = scene_.joints[joint].child;
  Mat3 turn = load.rotation;
  if (at_middle_) {
    AxisAngle half = axis_angle(poses_.frame(child).rotation * transposed(turn));
    half.angle *= 0.5;
    turn = rotation_matrix(half) * turn;
  }
  const Vec3 force = transposed(turn) * -(load.rows.force + load.put.force);
  const Vec3 torque = transposed(turn) * -(load.rows.torque + load.put.torque);
  return {force, torque + cross(bodies_.find(child)->center, force)};
}

void TransmittedLoads::restore_from(const TransmittedLoads& before, const SceneMatch& match) {
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    if (const int was = before.find(match.joints[scene_.measured_joints[i]]); was >= 0) {
      loads_[i] = before.loads_[was];
    }
  }
}

}  // namespace servosim
