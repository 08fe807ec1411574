// SPDX-License-Identifier: Apache-2.0
// Robots on the ground at steps of 1 to 16 ms: how far the step moves their joints with either
// integrator. docs/explanation/integrators.md has the table.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/files.h"
#include "physics/physics_world.h"
#include "servosim/joint.h"
#include "servosim/motor.h"
#include "servosim/robot.h"
#include "servosim/simulation.h"
#include "servosim/solid.h"
#include "sim/world_inspector.h"

namespace servosim::test {
namespace joint_contacts_test {

constexpr double kEnd = 5.008;  // [s] a multiple of 16 ms
constexpr std::array<double, 3> kStarts{0.0, 1.6, 3.2};

// What a motor turns by from each of the three times on. It gets there at a steady acceleration: a
// rate that jumps has no position that is right at any step.
struct Drive {
  std::string motor;
  std::array<double, 3> rates;
  double acceleration;
};

struct Scene {
  std::string robot;
  std::string text;
  std::vector<Drive> drives;
};

std::string text_of(const std::string& path) {
  std::string text = read_file_or_nothing(path);
  EXPECT_FALSE(text.empty()) << path;
  return text;
}

void replace(std::string& text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
}

// The rover drives a curve to the left, and one to the right.
Scene rover() {
  Scene scene{"rover", text_of(SERVOSIM_WORLDS_DIR "/rover.wbt"), {}};
  for (const char* const side : {"left", "right"}) {
    for (const char* const end : {"front ", "rear "}) {
      const bool is_left = std::string(side) == "left";
      scene.drives.push_back({std::string(end) + side,
                              is_left ? std::array{8.0, 6.0, 9.0} : std::array{8.0, 9.0, 6.0},
                              4.0});
    }
  }
  return scene;
}

// Wheels that roll without a slip across a direction, and an arm that moves as it drives.
Scene youbot() {
  Scene scene{"youBot", text_of(SERVOSIM_TEST_DIR "/worlds/stand_ins/Youbot.wbt"), {}};
  for (const char* const wheel : {"wheel1", "wheel2", "wheel3", "wheel4"}) {
    scene.drives.push_back({wheel, {6.0, 9.0, 3.0}, 6.0});
  }
  scene.drives.insert(scene.drives.end(), {{"arm1", {0.5, -0.4, 0.3}, 2.0},
                                           {"arm2", {-0.4, 0.5, -0.4}, 2.0},
                                           {"arm3", {0.5, -0.6, 0.4}, 2.0},
                                           {"arm4", {-0.6, 0.5, -0.4}, 2.0},
                                           {"arm5", {0.5, -0.5, 0.2}, 2.0}});
  return scene;
}

// The humanoid without its stand: it keeps its balance as it waves and looks around. Motors that
// are told nothing hold their joints.
Scene humanoid() {
  Scene scene{"humanoid", text_of(SERVOSIM_WORLDS_DIR "/humanoid.wbt"), {}};
  std::string& text = scene.text;
  replace(text, "translation 0 0 0.4\n", "translation 0 0 0.335\n");
  replace(text, "boundingObject Box { size 0.04 0.04 0.5 }", "");
  replace(text, "boundingObject Box { size 0.1 0.14 0.24 }",
          "boundingObject Box { size 0.1 0.14 0.24 } physics Physics { density -1 mass 1.2 }");
  text.erase(text.find_last_of('}'));
  text +=
      "boundingObject Box { size 0.08 0.1 0.08 } physics Physics { density -1 mass 1 } "
      "}\n";
  scene.drives = {{"left_elbow", {0.8, -0.3, 0.4}, 4.0},
                  {"left_shoulder_pitch", {0.5, -0.6, 0.3}, 3.0},
                  {"head_yaw", {0.4, -0.5, 0.4}, 3.0}};
  return scene;
}

struct Result {
  std::vector<double> positions;
  SolverCounts counts;
};

Result result_of(const Scene& scene, double step_ms, Integrator integrator) {
  std::string text = scene.text;
  const std::size_t at = text.find("basicTimeStep ");
  text.replace(at, text.find('\n', at) - at, fmt::format("basicTimeStep {}", step_ms));
  LoadOptions options;
  options.integrator = integrator;
  options.notice = [](std::string_view message) { ADD_FAILURE() << message; };
  Simulation simulation = Simulation::from_text(text, options, SERVOSIM_WORLDS_DIR);
  const auto go_to = [&](double time) {
    simulation.step(std::lround(1000.0 * time / step_ms) - simulation.step_count());
  };
  for (std::size_t k = 0; k < kStarts.size(); ++k) {
    go_to(kStarts[k]);
    for (const Drive& drive : scene.drives) {
      Motor& motor = simulation.robot(scene.robot).motor(drive.motor);
      motor.set_acceleration(drive.acceleration);
      motor.set_position(std::numeric_limits<double>::infinity());
      motor.set_velocity(drive.rates[k]);
    }
  }
  go_to(kEnd);
  Result result;
  for (const Joint& joint : simulation.joints()) {
    result.positions.push_back(joint.position());
  }
  result.counts = *WorldInspector(simulation).physics().solver_counts();
  return result;
}

double difference(const Result& a, const Result& b) {
  double most = 0.0;
  for (std::size_t j = 0; j < a.positions.size(); ++j) {
    most = std::max(most, std::abs(a.positions[j] - b.positions[j]));
  }
  return most;
}

void expect_a_tenth(const Scene& scene) {
  const Result ode = result_of(scene, 1.0, Integrator::Ode);
  const Result joint = result_of(scene, 1.0, Integrator::Joint);
  EXPECT_EQ(joint.counts.joint.islands, 5008u) << "no step is one of the other integrator";
  for (const double step_ms : {4.0, 8.0, 16.0}) {
    const double by_ode = difference(result_of(scene, step_ms, Integrator::Ode), ode);
    const double by_joint = difference(result_of(scene, step_ms, Integrator::Joint), joint);
    EXPECT_LT(by_joint, 0.1 * by_ode) << step_ms;
    EXPECT_GT(by_ode, 1e-4) << step_ms;
    testing::Test::RecordProperty(fmt::format("at_{}_ms", step_ms),
                                  fmt::format("ode {:.2g}, joint {:.2g}", by_ode, by_joint));
  }
}

// Friction of μ along x and y, each on its own, stops a box after v²/(2·μ·g).
TEST(JointContacts, StopASlidingBoxAtItsPlace) {
  for (const double step_ms : {1.0, 4.0, 16.0}) {
    LoadOptions options;
    options.integrator = Integrator::Joint;
    Simulation simulation = Simulation::from_text(
        fmt::format("#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep {} contactProperties [ "
                    "ContactProperties {{ coulombFriction [ 0.3 ] bounce 0 }} ] }}\nSolid {{ "
                    "boundingObject Plane {{ size 9 9 }} }}\nSolid {{ name \"b\" translation 0 0 "
                    "0.05 linearVelocity 2 -1 0 boundingObject Box {{ size 0.4 0.4 0.1 }} physics "
                    "Physics {{ density -1 mass 1 }} }}\n",
                    step_ms),
        options);
    simulation.step(std::lround(1000.0 / step_ms));
    const Vec3 place = simulation.solid("b").pose().translation;
    // With `ode` it is v·h/2, which is 16 mm at 16 ms.
    EXPECT_NEAR(place.x, 4.0 / (2.0 * 0.3 * 9.81), 3e-4) << step_ms;
    EXPECT_NEAR(place.y, -1.0 / (2.0 * 0.3 * 9.81), 3e-4) << step_ms;
  }
}

TEST(JointContacts, MoveTheJointsOfARoverATenthAsMuchByTheStep) { expect_a_tenth(rover()); }

TEST(JointContacts, MoveTheJointsOfAYoubotATenthAsMuchByTheStep) { expect_a_tenth(youbot()); }

TEST(JointContacts, MoveTheJointsOfAHumanoidATenthAsMuchByTheStep) { expect_a_tenth(humanoid()); }

}  // namespace joint_contacts_test
}  // namespace servosim::test
