// SPDX-License-Identifier: Apache-2.0
// The angle of a hinge against ODE's own, to the last bit.
#include "physics/joints/hinge_angle.h"

#include <gtest/gtest.h>
#include <ode/ode.h>

#include <cstdint>
#include <cstring>
#include <random>

#include "physics/joints/joint.h"
#include "physics/joints/joints.h"
#include "physics/ode_library.h"
#include "physics/physics_world.h"
#include "servosim/simulation.h"
#include "sim/simulation_core.h"

namespace servosim {
namespace physics_hinge_angle_test {
namespace {

std::uint64_t bits(double x) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

enum class Ends { Two, First, Second };

TEST(HingeAngle, IsTheOneOfOde) {
  use_ode();
  const dWorldID world = dWorldCreate();
  std::mt19937 random(1);
  std::normal_distribution<double> any;
  const auto vector = [&] { return Vec3{any(random), any(random), any(random)}; };
  int zeros = 0;
  for (int k = 0; k < 3000; ++k) {
    const dBodyID parent = dBodyCreate(world);
    const dBodyID child = dBodyCreate(world);
    if (k % 4 > 0) {  // else both as they are created: the angle is 0 without rounding
      for (const dBodyID body : {parent, child}) {
        const dQuaternion q{any(random), any(random), any(random), any(random)};
        dBodySetQuaternion(body, q);
      }
    }
    const Ends ends = Ends(k % 3);
    const dBodyID first = ends == Ends::Second ? child : parent;
    const dBodyID second = ends == Ends::Two ? child : nullptr;
    const Vec3 axis = vector();
    const dJointID joint = dJointCreateHinge(world, nullptr);
    dJointAttach(joint, ends == Ends::Second ? nullptr : parent,
                 ends == Ends::First ? nullptr : child);
    dJointSetHingeAxis(joint, axis.x, axis.y, axis.z);
    const HingeAngle angle(first, second, axis);
    dJointSetHingeAnchor(joint, 1.0, 2.0, 3.0);
    dJointDisable(joint);  // the bodies turn as they like
    for (int step = 0; step < 6; ++step) {
      const double of_ode = dJointGetHingeAngle(joint);
      const double expected = ends == Ends::Second ? of_ode : -of_ode;
      ASSERT_EQ(bits(angle.now()), bits(expected)) << angle.now() << ", " << expected;
      zeros += expected == 0.0 ? 1 : 0;
      for (const dBodyID body : {parent, child}) {
        const Vec3 spin = vector();
        dBodySetAngularVel(body, spin.x, spin.y, spin.z);
      }
      ASSERT_NE(dWorldStep(world, step % 2 == 0 ? 1.0 : 1e-9), 0);
    }
    dJointDestroy(joint);
    dBodyDestroy(parent);
    dBodyDestroy(child);
  }
  EXPECT_GT(zeros, 100);
  dWorldDestroy(world);
}

// Also after what moves bodies or builds the joints anew.
void expect_angles_of_ode(const Simulation& simulation, const char* when) {
  const PhysicsWorld& physics = core_of(simulation).physics();
  int joint = 0;
  physics.joints().for_each_in_ode([&](const Joints::InOde& in_ode) {
    const OdeJoint::OdeIds ids = in_ode.plain->ids();
    const double of_ode = dJointGetHingeAngle(ids.joint);
    const double expected = ids.parent == nullptr ? of_ode : -of_ode;
    EXPECT_EQ(physics.joint_position(joint), expected) << when << ", joint " << joint;
    EXPECT_NE(expected, 0.0) << when << ", joint " << joint;
    ++joint;
  });
  EXPECT_EQ(joint, 2) << when;
}

TEST(HingeAngle, IsTheOneOfOdeInAWorldThatChanges) {
  Simulation simulation = Simulation::from_text(R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 }
Robot { name "base" children [
  HingeJoint {
    jointParameters HingeJointParameters { axis 0.6 0.8 0 }
    endPoint Solid { name "upper" translation 0 0 -0.3 children [
      HingeJoint {
        jointParameters HingeJointParameters { axis 0 1 0 anchor 0 0 -0.3 }
        endPoint Solid { name "lower" translation 0.2 0 -0.5
          boundingObject Sphere { radius 0.05 } physics Physics { density -1 mass 0.5 } } } ]
      boundingObject Box { size 0.1 0.1 0.5 } physics Physics { density -1 mass 1 } } } ] })");
  simulation.joint(0).set_state(0.25, 1.5);
  simulation.joint(1).set_state(-0.75, 0.5);
  simulation.step(20);
  expect_angles_of_ode(simulation, "after steps");
  const SimulationState before = simulation.save();
  Pose pose = simulation.solid("base").pose();
  pose.translation.z += 2.0;
  pose.rotation = rotation_matrix({{0.0, 0.6, 0.8}, 0.7}) * pose.rotation;
  simulation.solid("base").set_pose(pose);
  expect_angles_of_ode(simulation, "of a carrier that was put elsewhere");
  simulation.step(20);
  expect_angles_of_ode(simulation, "after steps there");
  const SimulationState there = simulation.save();
  simulation.restore(before);
  expect_angles_of_ode(simulation, "restored");
  simulation.step(5);
  simulation.restore(there);
  expect_angles_of_ode(simulation, "restored to where the carrier was put");
  simulation.step(5);
  expect_angles_of_ode(simulation, "after steps from there");
}

}  // namespace
}  // namespace physics_hinge_angle_test
}  // namespace servosim
