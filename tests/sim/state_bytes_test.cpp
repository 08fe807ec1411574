// SPDX-License-Identifier: Apache-2.0
// Simulation::save_bytes() and restore_bytes().
#include <gtest/gtest.h>
#include <xxhash.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "servosim/simulation.h"

namespace servosim {
namespace {

const std::string kArm = std::string(SERVOSIM_WORLDS_DIR) + "/arm.wbt";

std::string refusal_of(Simulation& simulation, std::span<const std::byte> bytes) {
  try {
    simulation.restore_bytes(bytes);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

// Where the bytes have their sum, what it is of, and how many Solids were put elsewhere.
constexpr std::size_t kSumAt = 8;
constexpr std::size_t kSummedFrom = 16;
constexpr std::size_t kPlacedAt = 32;
constexpr std::size_t kHeaderSize = 40;
constexpr std::size_t kPlacedSize = 8 + sizeof(Pose);

std::uint64_t placed_in(std::span<const std::byte> bytes) {
  std::uint64_t placed = 0;
  std::memcpy(&placed, bytes.data() + kPlacedAt, sizeof placed);
  return placed;
}

std::vector<std::byte> with_placed(std::vector<std::byte> bytes, std::uint64_t placed) {
  std::memcpy(bytes.data() + kPlacedAt, &placed, sizeof placed);
  const std::uint64_t sum = XXH3_64bits(bytes.data() + kSummedFrom, bytes.size() - kSummedFrom);
  std::memcpy(bytes.data() + kSumAt, &sum, sizeof sum);
  return bytes;
}

TEST(StateBytes, GoOnToTheBitAlsoInAClone) {
  Simulation simulation(kArm);
  simulation.robot("arm").motor("shoulder").set_position(0.6);
  simulation.step(40);
  simulation.solid("arm").set_pose({{}, {0.25, 0.5, 0.75}});  // part of a state, too
  const std::vector<std::byte> bytes = simulation.save_bytes();
  simulation.step(60);
  const std::uint64_t after = simulation.state_hash();
  simulation.restore_bytes(bytes);
  EXPECT_EQ(simulation.step_count(), 40);
  simulation.step(60);
  EXPECT_EQ(simulation.state_hash(), after);
  Simulation twin = simulation.clone();
  twin.restore_bytes(bytes);
  twin.step(60);
  EXPECT_EQ(twin.state_hash(), after);
  EXPECT_EQ(twin.save_bytes().size(), bytes.size());
}

TEST(StateBytes, AreEqualForEqualStates) {
  Simulation simulation(kArm);
  simulation.step(20);
  const std::vector<std::byte> bytes = simulation.save_bytes();
  EXPECT_TRUE(simulation.save_bytes() == bytes);
  simulation.step(20);
  simulation.restore_bytes(bytes);
  EXPECT_TRUE(simulation.save_bytes() == bytes);
}

TEST(StateBytes, MayStandAnywhere) {
  Simulation simulation(kArm);
  simulation.step(20);
  simulation.solid("arm").set_pose({{}, {0.25, 0.5, 0.75}});
  simulation.step(20);
  const std::vector<std::byte> bytes = simulation.save_bytes();
  ASSERT_EQ(placed_in(bytes), 1U);
  const std::uint64_t hash = simulation.state_hash();
  std::vector<std::byte> moved(bytes.size() + 1);
  std::copy(bytes.begin(), bytes.end(), moved.begin() + 1);
  simulation.solid("arm").set_pose({{}, {1.0, 0.0, 0.0}});
  simulation.step(20);
  ASSERT_NE(simulation.state_hash(), hash);
  simulation.restore_bytes(std::span(moved).subspan(1));
  EXPECT_EQ(simulation.state_hash(), hash);
  EXPECT_EQ(simulation.solid("arm").pose().translation, (Vec3{0.25, 0.5, 0.75}));
}

// Every kind of joint, with free play and stops, some of which are reached.
const char* const kJoints = R"(#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 physicsDisableTime 0 }
Robot { name "r" boundingObject Box { size 0.6 0.6 0.2 } physics Physics { density -1 mass 9 } children [
  HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 minStop -2.5 maxStop 0.125 dampingConstant 0.5 }
    device [ RotationalMotor { name "far" maxTorque 20 } Brake { name "b" } ]
    endPoint Solid { name "a" translation 0.3 0 0.2 boundingObject Box { size 0.3 0.1 0.1 } physics Physics { } children [
      SliderJoint { jointParameters JointParameters { axis 0 0 1 springConstant 30 minStop -0.0625 maxStop 0.0625 backlash 0.01 }
        device LinearMotor { name "slider" }
        endPoint Solid { name "x" translation 0 0 0.3 boundingObject Sphere { radius 0.05 } physics Physics { } } } ] } }
  HingeJoint { jointParameters HingeJointParameters { axis 1 0 0 anchor 0 1 0 backlash 0.0625 }
    device RotationalMotor { name "play" maxTorque 5 }
    endPoint Solid { name "p" translation 0 1 0.3 boundingObject Box { size 0.1 0.1 0.3 } physics Physics { } } }
  Hinge2Joint { jointParameters HingeJointParameters { axis 0 0 1 anchor 1 0 0 suspensionAxis 0 0 1 suspensionSpringConstant 900 }
    jointParameters2 JointParameters { axis 0 1 0 minStop -0.5 maxStop 2.5 springConstant 2 }
    device RotationalMotor { name "turn" } device2 RotationalMotor { name "roll" }
    endPoint Solid { name "h" translation 1 0 0 boundingObject Sphere { radius 0.1 } physics Physics { } } }
  BallJoint { jointParameters BallJointParameters { anchor -1 0 0 springConstant 3 minStop -0.5 maxStop 0.5 }
    device RotationalMotor { name "ball" }
    endPoint Solid { name "z" translation -1 0 0.1 boundingObject Sphere { radius 0.1 } physics Physics { } } } ] }
Robot { name "fixed" translation 9 9 9 children [
  HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 minStop -2.5 maxStop 0.125 }
    endPoint Solid { name "c" translation 0.3 0 0 boundingObject Box { size 0.3 0.1 0.1 } physics Physics { } } }
  SliderJoint { jointParameters JointParameters { axis 0 0.6 0.8 springConstant 30 dampingConstant 2 }
    endPoint Solid { name "e" translation 0 2 0 boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } } } ] })";

std::vector<double> efforts_of(Simulation& simulation) {
  std::vector<double> all;
  for (const Joint joint : simulation.joints()) {
    all.push_back(joint.effort());
    all.push_back(joint.velocity());
  }
  return all;
}

TEST(StateBytes, TellTheEffortsOfTheLastStep) {
  for (const Solver solver : {Solver::Tree, Solver::Ode}) {
    LoadOptions options;
    options.solver = solver;
    Simulation simulation = Simulation::from_text(kJoints, options);
    Robot& robot = simulation.robot("r");
    for (const char* const name : {"far", "slider", "play", "turn", "roll", "ball"}) {
      robot.motor(name).set_position(0.5);
    }
    robot.brake("b").set_damping_constant(0.25);
    simulation.step(100);
    const std::vector<std::byte> bytes = simulation.save_bytes();
    const std::vector<double> efforts = efforts_of(simulation);
    ASSERT_EQ(std::count(efforts.begin(), efforts.end(), 0.0), 0);
    const std::vector<double> later = [&] {
      robot.brake("b").set_damping_constant(0.0);
      simulation.step(50);
      return efforts_of(simulation);
    }();
    EXPECT_NE(later, efforts);
    Simulation twin = simulation.clone();
    for (Simulation* const restored : {&simulation, &twin}) {
      restored->restore_bytes(bytes);
      EXPECT_EQ(efforts_of(*restored), efforts);
      restored->robot("r").brake("b").set_damping_constant(0.0);
      restored->step(50);
      EXPECT_EQ(efforts_of(*restored), later);
    }
  }
}

TEST(StateBytes, EveryChangedOrMissingByteIsNoticed) {
  Simulation simulation(kArm);
  simulation.step(5);
  const std::vector<std::byte> bytes = simulation.save_bytes();
  const std::uint64_t hash = simulation.state_hash();
  for (std::size_t i = 0; i < bytes.size(); i += i < 40 ? 1 : 7) {
    std::vector<std::byte> changed = bytes;
    changed[i] ^= std::byte{0x21};
    EXPECT_NE(refusal_of(simulation, changed), "accepted") << i;
    EXPECT_NE(refusal_of(simulation, std::span(bytes).first(i)), "accepted") << i;
  }
  EXPECT_EQ(simulation.state_hash(), hash);
  EXPECT_EQ(refusal_of(simulation, bytes), "accepted");
}

TEST(StateBytes, MoreSolidsThanThereIsRoomForAreRefused) {
  Simulation simulation(kArm);
  simulation.solid("arm").set_pose({{}, {0.25, 0.5, 0.75}});
  simulation.step(5);
  const std::vector<std::byte> bytes = simulation.save_bytes();
  ASSERT_EQ(with_placed(bytes, placed_in(bytes)), bytes) << "the sum is right";
  const std::uint64_t room = (bytes.size() - kHeaderSize) / kPlacedSize;
  for (const std::uint64_t placed :
       {room + 1, std::uint64_t{1} << 61, std::numeric_limits<std::uint64_t>::max()}) {
    EXPECT_NE(refusal_of(simulation, with_placed(bytes, placed)).find("damaged"), std::string::npos)
        << placed;
  }
}

TEST(StateBytes, AnotherSimulationRefuses) {
  Simulation simulation(kArm);
  Simulation other(kArm);
  EXPECT_NE(refusal_of(other, simulation.save_bytes()).find("another simulation"),
            std::string::npos);
}

}  // namespace
}  // namespace servosim
