// SPDX-License-Identifier: Apache-2.0
#include "sim/joint_space.h"

#include <array>
#include <utility>

#include "physics/mass.h"
#include "physics/physics_world.h"
#include "scene/scene.h"

namespace servosim {
namespace {

// Returns whether a Solid moves with the Solid above it, but for the motion of a joint between
// them.
bool hangs_on_parent(const Scene& scene, int s) {
  const SolidSpec& solid = scene.solids[static_cast<std::size_t>(s)];
  return solid.joint >= 0 || is_merged(scene, s) || body_hold(scene, s) == BodyHold::Parent;
}

}  // namespace

std::vector<MassProperties> branch_masses(const WorldInspector& inspector) {
  const Scene& scene = inspector.scene();
  std::vector<MassProperties> masses(scene.solids.size());
  for (const RigidBody& body : inspector.bodies()) {
    masses[static_cast<std::size_t>(body.owner())] =
        placed(body.mass, inspector.physics().solid_pose(body.owner()));
  }
  // A Solid comes after the one above it, so that the loop adds from the ends inwards.
  for (std::size_t s = masses.size(); s-- > 0;) {
    const SolidSpec& solid = scene.solids[s];
    if (solid.parent >= 0 && solid.physics && hangs_on_parent(scene, static_cast<int>(s))) {
      MassProperties& above = masses[static_cast<std::size_t>(solid.parent)];
      above = above.mass > 0.0 ? above + masses[s] : masses[s];
    }
  }
  return masses;
}

JointSpace::JointSpace(const WorldInspector& inspector, int robot)
    : inspector_(inspector), masses_(branch_masses(inspector)) {
  const Scene& scene = inspector.scene();
  const int base = scene.robots[static_cast<std::size_t>(robot)].solid;
  if (base >= 0 && inspector.physics().bodies().is_free(base)) {
    add_base(base);
  }
  for (std::size_t j = 0; j < scene.joints.size(); ++j) {
    const JointSpec& joint = scene.joints[j];
    if (joint.robot == robot && joint.child >= 0 && !joint.reference && !joint.belt &&
        is_dynamic(scene, joint.child)) {
      add_joint(static_cast<int>(j));
    }
  }
}

void JointSpace::add_base(int solid) {
  constexpr std::array<const char*, 3> kAxes{"x", "y", "z"};
  const std::array<Vec3, 3> units{{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
  const Vec3 origin = inspector_.physics().solid_pose(solid).translation;
  for (std::size_t k = 0; k < 3; ++k) {
    coordinates_.push_back({std::string("base ") + kAxes[k], solid, units[k], {}, origin});
  }
  for (std::size_t k = 0; k < 3; ++k) {
    coordinates_.push_back({std::string("base turn ") + kAxes[k], solid, {}, units[k], origin});
  }
}

// The axes of a joint with several carry each other in their order.
void JointSpace::add_joint(int joint) {
  const Scene& scene = inspector_.scene();
  const PhysicsWorld& physics = inspector_.physics();
  const JointSpec& spec = scene.joints[static_cast<std::size_t>(joint)];
  const Pose parent = spec.parent >= 0 ? physics.solid_pose(spec.parent) : Pose{};
  Mat3 frame = parent.rotation;
  for (int before = joint - spec.axis_number; before < joint; ++before) {
    const Vec3& axis = scene.joints[static_cast<std::size_t>(before)].axis;
    frame = frame * rotation_matrix({axis, physics.joint_position(before)});
  }
  const Vec3 axis = frame * spec.axis;
  const bool slides = spec.type == JointType::Linear;
  coordinates_.push_back({spec.name, spec.child, slides ? axis : Vec3{}, slides ? Vec3{} : axis,
                          parent * spec.anchor, spec.armature});
}

// Returns whether a Solid moves with a coordinate.
bool JointSpace::carries(const Coordinate& coordinate, int solid) const {
  const Scene& scene = inspector_.scene();
  while (solid >= 0 && solid != coordinate.solid) {
    const SolidSpec& spec = scene.solids[static_cast<std::size_t>(solid)];
    // A Solid without a body of its own moves with the one above.
    solid = !spec.physics || hangs_on_parent(scene, solid) ? spec.parent : -1;
  }
  return solid >= 0;
}

std::vector<std::string> JointSpace::names() const {
  std::vector<std::string> names;
  for (const Coordinate& coordinate : coordinates_) {
    names.push_back(coordinate.name);
  }
  return names;
}

JointMatrix JointSpace::mass_matrix() const {
  const std::size_t n = coordinates_.size();
  JointMatrix m{n, n, std::vector<double>(n * n)};
  for (std::size_t j = 0; j < n; ++j) {
    const Coordinate& moved = coordinates_[j];
    const MassProperties& mass = masses_[static_cast<std::size_t>(moved.solid)];
    const Vec3 linear = mass.mass * moved.velocity_at(mass.center);
    const Vec3 angular = mass.inertia * moved.angular;
    for (std::size_t i = 0; i < n; ++i) {
      const Coordinate& carrier = coordinates_[i];
      if (carries(carrier, moved.solid)) {
        m(i, j) = m(j, i) =
            dot(carrier.velocity_at(mass.center), linear) + dot(carrier.angular, angular);
      }
    }
    m(j, j) += moved.armature;
  }
  return m;
}

std::vector<double> JointSpace::gravity_torques() const {
  const Vec3& gravity = inspector_.scene().world.gravity;
  std::vector<double> torques;
  for (const Coordinate& coordinate : coordinates_) {
    const MassProperties& mass = masses_[static_cast<std::size_t>(coordinate.solid)];
    torques.push_back(0.0 - mass.mass * dot(gravity, coordinate.velocity_at(mass.center)));
  }
  return torques;
}

JointMatrix JointSpace::jacobian(int solid, const Vec3& point) const {
  const std::size_t n = coordinates_.size();
  JointMatrix matrix{6, n, std::vector<double>(6 * n)};
  const Vec3 x = inspector_.physics().solid_pose(solid) * point;
  for (std::size_t i = 0; i < n; ++i) {
    if (!carries(coordinates_[i], solid)) {
      continue;
    }
    const Vec3 v = coordinates_[i].velocity_at(x);
    const Vec3& w = coordinates_[i].angular;
    const std::array<double, 6> column{v.x, v.y, v.z, w.x, w.y, w.z};
    for (std::size_t row = 0; row < column.size(); ++row) {
      matrix(row, i) = column[row];
    }
  }
  return matrix;
}

}  // namespace servosim
