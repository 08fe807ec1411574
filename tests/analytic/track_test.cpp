// SPDX-License-Identifier: Apache-2.0
// Tracks: conveyor belts and tracked robots.
#include <gtest/gtest.h>

#include <cmath>

#include "support/worlds.h"

namespace servosim::test {
namespace track_test {

constexpr double kG = 9.81;
constexpr double kH = 0.008;

std::string belt(const std::string& name, const std::string& fields) {
  return fmt::format(
      "Track {{ name \"{0} track\" {1} device [ LinearMotor {{ name \"{0}\" maxForce 1000 }} "
      "PositionSensor {{ name \"{0} way\" }} ] }}",
      name, fields);
}

struct Conveyor {
  bool box_first = false;
  double friction = 0.5;
  double disable_time = 0.0;         // [s]
  std::string rotation = "0 0 1 0";  // the Track's
};

// The top of the belt is at z = 0.1. The box is light and starts at x = -1.
std::string conveyor(const Conveyor& c) {
  const std::string box =
      "Solid { name \"box\" translation -1 0 0.1999 boundingObject Box { size 0.2 0.2 0.2 } "
      "physics "
      "Physics { density -1 mass 0.5 } }\n";
  return fmt::format(
      "#VRML_SIM R2023b utf8\nWorldInfo {{ basicTimeStep 8 physicsDisableTime {} contactProperties "
      "[ "
      "ContactProperties {{ coulombFriction {} bounce 0 }} ] }}\n{}Robot {{ name \"r\" children [ "
      "{} ] "
      "}}\n{}",
      c.disable_time, c.friction, c.box_first ? box : "",
      belt("belt", fmt::format("rotation {} boundingObject Box {{ size 10 10 0.2 }}", c.rotation)),
      c.box_first ? "" : box);
}

void run(Simulation& simulation, const std::string& motor, double speed) {
  simulation.robot(0).motor(motor).set_position(INFINITY);
  simulation.robot(0).motor(motor).set_velocity(speed);
}

Vec3 place(const Simulation& simulation) { return simulation.solid("box").pose().translation; }

class TrackConveyor : public testing::TestWithParam<bool> {};

// Friction accelerates the box by µ·g, up to the speed of the belt.
TEST_P(TrackConveyor, ABoxReachesTheSpeedOfTheBelt) {
  Simulation simulation = load(conveyor({.box_first = GetParam(), .friction = 0.1}));
  simulation.step(200);  // settles
  const double start = place(simulation).x;
  run(simulation, "belt", 0.6);
  const double rise = 0.6 / (0.1 * kG);  // 0.61 s
  simulation.step(std::lround(0.5 * rise / kH));
  EXPECT_NEAR(simulation.solid("box").velocity().linear.x, 0.3, 0.02);
  simulation.step(250);
  const Vec3 velocity = simulation.solid("box").velocity().linear;
  EXPECT_NEAR(velocity.x, 0.6, 1e-3);
  EXPECT_NEAR(velocity.y, 0.0, 1e-3);
  const double time = 250 * kH + 0.5 * rise;
  EXPECT_NEAR(place(simulation).x - start, 0.6 * (time - 0.5 * rise), 0.02);
  EXPECT_NEAR(simulation.joint(0).position(), 0.6 * time, 0.02) << "the belt, as its sensor has it";
  EXPECT_NEAR(place(simulation).z, 0.2, 2e-3);
  run(simulation, "belt", -0.4);
  simulation.step(300);
  EXPECT_NEAR(simulation.solid("box").velocity().linear.x, -0.4, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Order, TrackConveyor, testing::Bool(),
                         [](const auto& test) { return test.param ? "BoxFirst" : "BeltFirst"; });

TEST(Track, TurnedCarriesAlongItsOwnX) {
  Simulation simulation = load(conveyor({.rotation = "0 0 1 1.5707963267948966"}));
  run(simulation, "belt", 0.5);
  simulation.step(200);
  const Vec3 velocity = simulation.solid("box").velocity().linear;
  EXPECT_NEAR(velocity.x, 0.0, 1e-3);
  EXPECT_NEAR(velocity.y, 0.5, 1e-3);
}

TEST(Track, ThatStartsWakesWhatLiesOnIt) {
  Simulation simulation = load(conveyor({.disable_time = 0.2}));
  simulation.step(250);
  run(simulation, "belt", 0.5);
  simulation.step(100);
  EXPECT_NEAR(simulation.solid("box").velocity().linear.x, 0.5, 1e-3);
}

TEST(Track, ARestoredOneRunsOnBitForBit) {
  Simulation simulation = load(conveyor({}));
  simulation.robot(0).motor("belt").set_acceleration(0.7);
  run(simulation, "belt", 1.5);
  simulation.step(60);
  const SimulationState state = simulation.save();
  simulation.step(60);
  const std::uint64_t hash = simulation.state_hash();
  simulation.restore(state);
  simulation.step(60);
  EXPECT_EQ(simulation.state_hash(), hash);
}

// In old worlds y was up, and a Track was in the plane of x and y.
TEST(Track, OfOldWorldsCarriesAlongXToo) {
  Simulation simulation = load(
      "#VRML_SIM R2020b utf8\nWorldInfo { basicTimeStep 8 physicsDisableTime 0 coordinateSystem "
      "\"NUE\" }\nRobot { name \"r\" children [ " +
      belt("belt", "boundingObject Box { size 10 0.2 10 }") +
      " ] }\nSolid { name \"box\" translation -1 0.1999 0 boundingObject Box { size 0.2 0.2 0.2 } "
      "physics Physics { density -1 mass 0.5 } }\n");
  run(simulation, "belt", 0.5);
  simulation.step(200);
  const Vec3 velocity = simulation.solid("box").velocity().linear;
  EXPECT_NEAR(velocity.x, 0.5, 1e-3);
  EXPECT_NEAR(velocity.z, 0.0, 1e-3);
}

Simulation tank() {
  return load(
      "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 physicsDisableTime 0 contactProperties [ "
      "ContactProperties { bounce 0 } ] }\nSolid { boundingObject Plane { } }\n"
      "Robot { name \"r\" translation 0 0 0.0999 children [ " +
      belt("left",
           "translation 0 0.5 0 boundingObject Box { size 0.4 0.1 0.2 } physics Physics { }") +
      belt("right",
           "translation 0 -0.5 0 boundingObject Box { size 0.4 0.1 0.2 } physics Physics { }") +
      " ] boundingObject Box { size 0.4 0.4 0.1 } physics Physics { } }\n");
}

double heading(const Simulation& simulation) {
  const Mat3 r = simulation.solid("r").pose().rotation;
  return std::atan2(r(1, 0), r(0, 0));
}

TEST(Track, TwoOfEqualSpeedDriveARobotStraight) {
  Simulation simulation = tank();
  run(simulation, "left", 0.5);
  run(simulation, "right", 0.5);
  simulation.step(500);
  const Vec3 at = simulation.solid("r").pose().translation;
  EXPECT_NEAR(at.x, 0.5 * 500 * kH, 0.1);
  EXPECT_NEAR(at.y, 0.0, 0.02);
  EXPECT_NEAR(heading(simulation), 0.0, 0.02);
}

TEST(Track, TwoOfOppositeSpeedTurnARobotOnTheSpot) {
  Simulation simulation = tank();
  run(simulation, "left", -0.3);
  run(simulation, "right", 0.3);
  simulation.step(125);
  const Vec3 at = simulation.solid("r").pose().translation;
  EXPECT_NEAR(at.x, 0.0, 0.02);
  EXPECT_NEAR(at.y, 0.0, 0.02);
  // Without slip the robot turns at 0.3/0.5 rad/s. The belts hold that speed, and their ends slide
  // sideways.
  EXPECT_NEAR(heading(simulation), 0.6, 0.1);
}

}  // namespace track_test
}  // namespace servosim::test
