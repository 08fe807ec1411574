// SPDX-License-Identifier: Apache-2.0
// The integrator "joint" against MuJoCo.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "analytic/joint_worlds.h"
#include "servosim/joint.h"
#include "servosim/simulation.h"
#include "servosim/solid.h"

namespace servosim::test {
namespace joint_integrator_peer_test {

using namespace joint_worlds;

// Numbers of MuJoCo 4.0 with RK4 at 0.1 ms after 2 s: positions of the joints, and for the free one
// the position of the root before them. peers/mujoco_robots.py finds them.
struct Reference {
  std::string name;
  double gravity;
  std::string text;
  std::vector<double> start_rates;
  std::vector<double> positions;
};

std::string part(const std::string& name, const std::string& translation, double mass,
                 const std::string& center, const std::string& inertia,
                 const std::string& children) {
  return fmt::format(
      "Solid {{ name \"{}\" translation {} children [ {} ] physics Physics {{ density -1 mass {} "
      "centerOfMass [ {} ] inertiaMatrix [ {}, 0 0 0 ] }} }}",
      name, translation, children, mass, center, inertia);
}

std::string on_hinge(const std::string& axis, const std::string& anchor, const std::string& end) {
  return fmt::format(
      "HingeJoint {{ jointParameters HingeJointParameters {{ axis {} anchor {} }} endPoint {} }}",
      axis, anchor, end);
}

std::string on_slider(const std::string& axis, const std::string& end) {
  return fmt::format("SliderJoint {{ jointParameters JointParameters {{ axis {} }} endPoint {} }}",
                     axis, end);
}

Reference reference_arm() {
  std::string text;
  for (int j = 5; j >= 0; --j) {
    const std::string at = j > 0 ? "0.2 0 0" : "0 0 0";
    text =
        on_hinge(j % 2 == 0 ? "0 1 0" : "0 0 1", at,
                 part("p" + std::to_string(j), at, 0.5, "0.1 0 0", "0.0002 0.0018 0.0019", text));
  }
  return {"arm",
          9.81,
          text,
          {0.5, 1.0, -0.5, -1.0, 0.2, 2.0},
          {0.350197935197, -0.031490171297, -1.094988709, 1.49035641168, -1.14896706054,
           -3.07163165823}};
}

Reference reference_cart() {
  const std::string end = on_hinge(
      "0.6 0 0.8", "0.4 0 0", part("c", "0.4 0 0", 0.3, "0.1 0 0.05", "0.0002 0.001 0.001", ""));
  const std::string two =
      on_hinge("0 1 0", "0 0.1 0",
               part("b", "0 0.1 0", 0.7, "0.2 0 0", "0.0003 0.006 0.006", end)) +
      on_hinge("0 1 0", "0 -0.1 0",
               part("d", "0 -0.1 0", 0.4, "-0.15 0 0", "0.0003 0.003 0.003", ""));
  return {"cart",
          9.81,
          on_slider("1 0 0", part("a", "0 0 0", 2.0, "0 0 0", "0.01 0.01 0.01", two)),
          {0.3, 0.0, 3.0, 1.0},
          {0.763184239151, 2.86901040246, -0.0967608875017, -0.596535560696}};
}

Reference reference_free() {
  const std::string slide =
      on_slider("1 0 0", part("s", "0.4 0 0", 0.3, "0.1 0 0", "0.0002 0.001 0.001", ""));
  const std::string two =
      on_hinge("0 0 1", "0.15 0.1 0",
               part("l", "0.15 0.1 0", 0.8, "0.2 0 0", "0.0004 0.01 0.01", slide)) +
      on_hinge("0 1 0", "-0.15 0 0.1",
               part("r", "-0.15 0 0.1", 0.6, "-0.2 0 0", "0.0004 0.008 0.008", ""));
  return {"free",
          0.0,
          two,
          {1.0, 0.0, -2.0},
          {0.0760313045909, 0.0546416569009, -0.0401115923565, 0.771101406931, 2.8987840102,
           1.48280769276}};
}

// Returns the positions of the joints after 2 s.
std::vector<double> positions_of(const Reference& reference, double step_ms) {
  const bool is_free = reference.name == "free";
  Simulation simulation = load_joint_world(
      fmt::format("#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep {} gravity {} "
                  "physicsDisableTime 0 }}\nRobot {{ name \"r\" children [ {} ] {} }}\n",
                  step_ms, reference.gravity, reference.text,
                  is_free ? "physics Physics { density -1 mass 3 centerOfMass [ 0 0 0 ] "
                            "inertiaMatrix [ 0.03 0.05 0.06, 0 0 0 ] }"
                          : ""));
  if (is_free) {
    simulation.solid("r").set_velocity({{}, {0.5, 2.0, 0.3}});
  }
  for (int j = 0; j < static_cast<int>(reference.start_rates.size()); ++j) {
    simulation.joint(j).set_state(0.0, reference.start_rates[j]);
  }
  simulation.step(std::lround(2000.0 / step_ms));
  std::vector<double> positions;
  if (is_free) {
    const Vec3 at = simulation.solid("r").pose().translation;
    positions = {at.x, at.y, at.z};
  }
  for (int j = 0; j < static_cast<int>(reference.start_rates.size()); ++j) {
    positions.push_back(simulation.joint(j).position());
  }
  return positions;
}

double error_of(const Reference& reference, const std::vector<double>& positions) {
  double worst = 0.0;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    worst = std::max(worst, std::abs(positions[i] - reference.positions[i]));
  }
  return worst;
}

// The line through log(error) over log(h) at the steps that people use, and a fine one. The robots
// differ in how far h² is small for them.
TEST(JointIntegrator, HasTheSecondOrderAtUsualSteps) {
  constexpr std::array<double, 3> kSteps{1.0, 2.0, 4.0};  // [ms], so that log2 is 0, 1, 2
  for (const Reference& reference : {reference_arm(), reference_cart(), reference_free()}) {
    std::array<double, 3> logs{};
    for (std::size_t s = 0; s < kSteps.size(); ++s) {
      logs[s] = std::log2(error_of(reference, positions_of(reference, kSteps[s])));
    }
    const double order = 0.5 * (logs[2] - logs[0]);  // by least squares
    EXPECT_NEAR(order, 2.0, 0.05) << reference.name;
    const double fine = error_of(reference, positions_of(reference, 0.1));
    EXPECT_NEAR(std::log2(fine) - logs[0], 2.0 * std::log2(0.1), 0.05) << reference.name;
    RecordProperty(reference.name, fmt::format("{} {}", order, fine));
  }
}

// Errors of second order cancel in (4·x(h) − x(2·h))/3.
TEST(JointIntegrator, ComesNearToMujocoWithTheSquareOfTheStep) {
  for (const Reference& reference : {reference_arm(), reference_cart(), reference_free()}) {
    const std::vector<double> fine = positions_of(reference, 0.25);
    const std::vector<double> coarse = positions_of(reference, 0.5);
    EXPECT_NEAR(std::log2(error_of(reference, coarse) / error_of(reference, fine)), 2.0, 0.02)
        << reference.name;
    std::vector<double> limit;
    for (std::size_t i = 0; i < fine.size(); ++i) {
      limit.push_back((4.0 * fine[i] - coarse[i]) / 3.0);
    }
    EXPECT_LT(error_of(reference, limit), 2e-6) << reference.name;
    RecordProperty(reference.name,
                   fmt::format("{} {} {}", error_of(reference, fine), error_of(reference, coarse),
                               error_of(reference, limit)));
  }
}

}  // namespace joint_integrator_peer_test
}  // namespace servosim::test
