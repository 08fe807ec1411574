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
    : scene_(scene), bodies_(bodies), poses_(poses), loads_(scene.measured_solids.size()) {}

void TransmittedLoads::attach_to(Joints& joints) {
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    const int joint = scene_.solids[scene_.measured_solids[i]].joint;
    if (joint >= 0) {
      JointRows* const rows = joints.rows_of(joint);
      SERVOSIM_ASSERT(rows != nullptr && rows->child != nullptr, "joint {}", joint);
      rows->load = &loads_[i];
    }
  }
}

void TransmittedLoads::begin_step() {
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    loads_[i].put = {};
    loads_[i].rotation = poses_.frame(scene_.measured_solids[i]).rotation;
  }
}

int TransmittedLoads::find(int solid) const {
  const std::vector<int>& all = scene_.measured_solids;
  const auto found = std::find(all.begin(), all.end(), solid);
  return found != all.end() ? static_cast<int>(found - all.begin()) : -1;
}

Wrench TransmittedLoads::of(int solid) const {
  const int index = find(solid);
  SERVOSIM_ASSERT(index >= 0, "Solid {}", solid);
  const auto& [rows, put, rotation] = loads_[index];
  return of_fixed(solid, {-(rows.force + put.force), -(rows.torque + put.torque)});
}

// A body has the axes of its Solid. The torque about the Solid's origin is τ + c × f, with c, the
// centre of mass.
Wrench TransmittedLoads::of_fixed(int solid, const Wrench& passed) const {
  const int index = find(solid);
  SERVOSIM_ASSERT(index >= 0, "Solid {}", solid);
  Mat3 turn = loads_[index].rotation;
  if (at_middle_) {
    AxisAngle half = axis_angle(poses_.frame(solid).rotation * transposed(turn));
    half.angle *= 0.5;
    turn = rotation_matrix(half) * turn;
  }
  const Vec3 force = transposed(turn) * passed.force;
  return {force, transposed(turn) * passed.torque + cross(bodies_.find(solid)->center, force)};
}

void TransmittedLoads::restore_from(const TransmittedLoads& before, const SceneMatch& match) {
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    if (const int was = before.find(match.solids[scene_.measured_solids[i]]); was >= 0) {
      loads_[i] = before.loads_[was];
    }
  }
}

}  // namespace servosim
