// SPDX-License-Identifier: Apache-2.0
// The angle of a hinge against ODE's own, to the last bit.
#include "physics/joints/hinge_angle.h"

#include <gtest/gtest.h>
#include <ode/ode.h>

#include <cstdint>
#include <cstring>
#include <random>

#include "physics/ode_library.h"

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

}  // namespace
}  // namespace physics_hinge_angle_test
}  // namespace servosim
