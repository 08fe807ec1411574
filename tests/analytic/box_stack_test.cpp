// SPDX-License-Identifier: Apache-2.0
// Stacks of boxes stay up in any attitude of the world.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/worlds.h"

namespace servosim::test {
namespace box_stack_test {

constexpr int kBoxes = 6;
constexpr double kSize = 0.2;  // [m]

// Boxes lie on a box that is fixed. `attitude` turns everything, gravity included.
std::string stack(const AxisAngle& attitude, double time_step_ms) {
  const Mat3 turn = rotation_matrix(attitude);
  const Vec3 down = turn * Vec3{0, 0, -9.81};
  // Files before R2020b may give the direction of gravity.
  std::string text = fmt::format(
      "#VRML_SIM R2020a utf8\nWorldInfo {{ basicTimeStep {} gravity {:.17g} {:.17g} {:.17g} "
      "physicsDisableTime 0 }}\n",
      time_step_ms, down.x, down.y, down.z);
  for (int k = 0; k <= kBoxes; ++k) {
    const Vec3 at = turn * Vec3{0, 0, k * (kSize - 1e-5)};
    // Additional full turns change the attitude by rounding only.
    text += fmt::format(
        "Solid {{ name \"{}\" translation {:.17g} {:.17g} {:.17g} rotation {} {} {} {:.17g} "
        "boundingObject Box {{ size {} {} {} }} {} }}\n",
        k, at.x, at.y, at.z, attitude.axis.x, attitude.axis.y, attitude.axis.z,
        attitude.angle + 2.0 * M_PI * k, k == 0 ? 1.0 : kSize, k == 0 ? 1.0 : kSize, kSize,
        k == 0 ? "" : "physics Physics { density -1 mass 2 }");
  }
  return text;
}

// All contacts begin in one step. ODE's friction pyramid may then throw some boxes sideways, with
// every collider: by millimetres at 8 ms and by centimetres at 32 ms.
void expect_up(int n, double time_step_ms, int steps, double sideways) {
  std::mt19937_64 random(11 + n);
  const auto any = [&random](double size) {
    return std::uniform_real_distribution<double>(-size, size)(random);
  };
  const AxisAngle attitude{{any(1), any(1), any(1)}, any(3)};
  SCOPED_TRACE(fmt::format("attitude {}, {} ms", n, time_step_ms));
  const Mat3 back = transposed(rotation_matrix(attitude));
  Simulation simulation = load(stack(attitude, time_step_ms));
  simulation.step(steps);
  for (int k = 1; k <= kBoxes; ++k) {
    const Vec3 at = back * simulation.solid(std::to_string(k)).pose().translation;
    EXPECT_NEAR(at.x, 0.0, sideways) << "box " << k;
    EXPECT_NEAR(at.y, 0.0, sideways) << "box " << k;
    // Four points of each face bear what is above: depth = CFM·F·h/ERP, 15 mm for all boxes at 32
    // ms.
    EXPECT_NEAR(at.z, k * kSize, 0.02) << "box " << k;
  }
}

TEST(BoxStack, StaysUpAtEveryAttitude) {
  for (int n = 0; n < 24; ++n) {
    expect_up(n, 8.0, 250, 5e-3);
    expect_up(n, 32.0, 125, 0.25 * kSize);
  }
}

}  // namespace box_stack_test
}  // namespace servosim::test
