// SPDX-License-Identifier: Apache-2.0
// Position and rate of hinges and sliders against ODE's own, to the last bit.
#include "physics/rows/joint_coordinate.h"

#include <gtest/gtest.h>
#include <ode/ode.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <random>

#include "physics/joints/hinge2.h"
#include "physics/joints/joint.h"
#include "physics/joints/joints.h"
#include "physics/ode_library.h"
#include "physics/physics_world.h"
#include "scene/scene.h"
#include "servosim/simulation.h"
#include "sim/world_inspector.h"

namespace servosim {
namespace physics_joint_coordinate_test {
namespace {

std::uint64_t bits(double x) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

enum class Ends { Two, First, Second };

// ODE's joint between bodies anywhere, and its numbers as OdeJoint has them.
struct OdeNumbers {
  OdeNumbers(JointType type, dWorldID world, dBodyID parent, dBodyID child, const Vec3& axis)
      : is_hinge(type == JointType::Rotational),
        joint(is_hinge ? dJointCreateHinge(world, nullptr) : dJointCreateSlider(world, nullptr)) {
    dJointAttach(joint, parent, child);
    (is_hinge ? dJointSetHingeAxis : dJointSetSliderAxis)(joint, axis.x, axis.y, axis.z);
    if (is_hinge) {
      dJointSetHingeAnchor(joint, 1.0, 2.0, 3.0);
    }
    dJointDisable(joint);  // the bodies move as they like
    sign = is_hinge && parent != nullptr ? -1.0 : 1.0;
  }
  double position() const {
    return sign * (is_hinge ? dJointGetHingeAngle(joint) : dJointGetSliderPosition(joint));
  }
  double rate() const {
    return sign * (is_hinge ? dJointGetHingeAngleRate(joint) : dJointGetSliderPositionRate(joint));
  }

  bool is_hinge;
  dJointID joint;
  double sign;
};

void expect_numbers_of_ode(JointType type) {
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
        dBodySetPosition(body, any(random), any(random), any(random));
      }
    }
    const Ends ends = Ends(k % 3);
    const Vec3 axis = vector();
    const OdeNumbers of_ode(type, world, ends == Ends::Second ? nullptr : parent,
                            ends == Ends::First ? nullptr : child, axis);
    const Body first = body_of(ends == Ends::Second ? child : parent);
    const Body second = body_of(child);
    const JointCoordinate coordinate(type, first, ends == Ends::Two ? &second : nullptr, axis,
                                     ends == Ends::Second);
    for (int step = 0; step < 6; ++step) {
      ASSERT_EQ(bits(coordinate.position()), bits(of_ode.position()))
          << coordinate.position() << ", " << of_ode.position();
      ASSERT_EQ(bits(coordinate.rate()), bits(of_ode.rate()))
          << coordinate.rate() << ", " << of_ode.rate();
      zeros += of_ode.position() == 0.0 ? 1 : 0;
      for (const dBodyID body : {parent, child}) {
        const Vec3 spin = vector();
        const Vec3 velocity = vector();
        dBodySetAngularVel(body, spin.x, spin.y, spin.z);
        dBodySetLinearVel(body, velocity.x, velocity.y, velocity.z);
      }
      ASSERT_NE(dWorldStep(world, step % 2 == 0 ? 1.0 : 1e-9), 0);
    }
    dJointDestroy(of_ode.joint);
    dBodyDestroy(parent);
    dBodyDestroy(child);
  }
  EXPECT_GT(zeros, 100);
  dWorldDestroy(world);
}

TEST(JointCoordinate, OfAHingeIsTheOneOfOde) { expect_numbers_of_ode(JointType::Rotational); }
TEST(JointCoordinate, OfASliderIsTheOneOfOde) { expect_numbers_of_ode(JointType::Linear); }

TEST(JointCoordinate, AxesOfAHinge2AreThoseOfOde) {
  use_ode();
  const dWorldID world = dWorldCreate();
  std::mt19937 random(2);
  std::normal_distribution<double> any;
  const auto vector = [&] { return Vec3{any(random), any(random), any(random)}; };
  const std::array<JointSpec, 2> specs{};
  std::array<JointState, 2> states;
  for (int k = 0; k < 1000; ++k) {
    const std::array<dBodyID, 2> ids{dBodyCreate(world), dBodyCreate(world)};
    for (const dBodyID id : ids) {
      const dQuaternion q{any(random), any(random), any(random), any(random)};
      dBodySetQuaternion(id, q);
      dBodySetPosition(id, any(random), any(random), any(random));
    }
    const Body parent = body_of(ids[0]);
    const Body child = body_of(ids[1]);
    const OdeHinge2 joint(world, specs, parent, child, vector(), vector(), vector(), states, 0.01);
    const dJointID of_ode = joint.rows().joint;
    dJointDisable(of_ode);  // the bodies move as they like
    for (int step = 0; step < 4; ++step) {
      const std::array<Vec3, 2> axes = joint.axes();
      std::array<dVector3, 2> expected;
      dJointGetHinge2Axis1(of_ode, expected[0]);
      dJointGetHinge2Axis2(of_ode, expected[1]);
      for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(bits(axes[i].x), bits(expected[i][0])) << "axis " << i + 1;
        ASSERT_EQ(bits(axes[i].y), bits(expected[i][1])) << "axis " << i + 1;
        ASSERT_EQ(bits(axes[i].z), bits(expected[i][2])) << "axis " << i + 1;
      }
      for (const dBodyID id : ids) {
        dBodySetAngularVel(id, any(random), any(random), any(random));
      }
      ASSERT_NE(dWorldStep(world, 1.0), 0);
    }
    dJointDestroy(of_ode);
    dBodyDestroy(ids[0]);
    dBodyDestroy(ids[1]);
  }
  dWorldDestroy(world);
}

// Also after what moves bodies or builds the joints anew.
void expect_angles_of_ode(const Simulation& simulation, const char* when) {
  const PhysicsWorld& physics = WorldInspector(simulation).physics();
  int joint = 0;
  for (const JointRows* const rows : physics.joints().rows()) {
    const double of_ode = dJointGetHingeAngle(rows->joint);
    const double expected = rows->parent == nullptr ? of_ode : -of_ode;
    EXPECT_EQ(physics.joint_position(joint), expected) << when << ", joint " << joint;
    EXPECT_NE(expected, 0.0) << when << ", joint " << joint;
    ++joint;
  }
  EXPECT_EQ(joint, 2) << when;
}

TEST(JointCoordinate, IsTheOneOfOdeInAWorldThatChanges) {
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

// The velocity alone costs less than all that measure() reads.
TEST(JointCoordinate, TheRateAloneIsTheOneThatIsMeasured) {
  Simulation simulation = Simulation::from_text(R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 }
Robot { name "base" children [
  Hinge2Joint {
    jointParameters HingeJointParameters { axis 0 0 1 anchor 0.5 0 0 suspensionAxis 0 0 1
      suspensionSpringConstant 3000 suspensionDampingConstant 50 }
    jointParameters2 JointParameters { axis 0 1 0 }
    endPoint Solid { name "wheel" translation 0.5 0 0
      boundingObject Sphere { radius 0.05 } physics Physics { density -1 mass 0.5 } } }
  BallJoint {
    jointParameters BallJointParameters { anchor -0.5 0 0 }
    endPoint Solid { name "ball" translation -0.5 0.2 -0.3
      boundingObject Sphere { radius 0.05 } physics Physics { density -1 mass 0.5 } } } ]
  boundingObject Box { size 1 0.1 0.1 } physics Physics { density -1 mass 1 }
  angularVelocity 0.5 1.5 -2 })");
  const PhysicsWorld& physics = WorldInspector(simulation).physics();
  const int joints = static_cast<int>(physics.joints().count());
  ASSERT_EQ(joints, 5);
  const auto expect_measured = [&](int k, const char* when) {
    for (int j = 0; j < joints; ++j) {
      const double alone = physics.joint_velocity(j);
      physics.joints().measure(j);
      EXPECT_EQ(bits(alone), bits(physics.joints()[j].velocity)) << when << k << ", joint " << j;
      EXPECT_NE(alone, 0.0) << when << k << ", joint " << j;
    }
  };
  for (int k = 0; k < 20; ++k) {
    simulation.step();
    expect_measured(k, "after step ");
    const double before = physics.joint_velocity(k % joints);
    simulation.joint(k % joints).set_state(0.1, 0.5 + 0.1 * k);
    expect_measured(k, "set after step ");
    EXPECT_NE(physics.joint_velocity(k % joints), before) << "after step " << k;
  }
}

}  // namespace
}  // namespace physics_joint_coordinate_test
}  // namespace servosim
