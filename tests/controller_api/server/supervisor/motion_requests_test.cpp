// SPDX-License-Identifier: Apache-2.0
// Commands of a supervisor to Solids: velocities without Physics, and commands without effect.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "controller_api/server/supervisor/supervisor_client.h"
#include "servosim/simulation.h"

namespace servosim::test {
namespace {

const char* kWorld = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 16 gravity 0 }
Robot { name "boss" supervisor TRUE controller "<none>" }
DEF SLED Solid { name "sled" boundingObject Box { } }
DEF POST Solid { name "post" translation 5 0 0 children [
  HingeJoint { endPoint DEF DOOR Solid { name "door" } } ] }
)";

void tell(SupervisorClient& client, SupervisorRequestKind kind, const char* def,
          std::vector<double> numbers) {
  SupervisorRequest request;
  request.kind = kind;
  request.node = client.find(def);
  request.count = static_cast<std::uint8_t>(numbers.size());
  std::copy(numbers.begin(), numbers.end(), request.numbers.begin());
  client.call(request);
}

TEST(SupervisorMotion, MovesASolidWithoutPhysics) {
  Simulation simulation = Simulation::from_text(kWorld);
  SupervisorClient client(simulation, 0);
  tell(client, SupervisorRequestKind::SetVelocity, "SLED", {0.5, 0.0, 0.0, 0.0, 0.0, 1.0});
  EXPECT_EQ(client.failure(), "");
  simulation.step(125);
  EXPECT_NEAR(client.get("SLED", "translation", kVec3f).at(0), 1.0, 1e-9);
  EXPECT_NEAR(client.get("SLED", "rotation", kRotation).at(3), 2.0, 1e-9);
  EXPECT_EQ(client.get("SLED", "linearVelocity", kVec3f).at(0), 0.5);
  EXPECT_EQ(client.get("SLED", "angularVelocity", kVec3f).at(2), 1.0);
  client.set("SLED", "linearVelocity", kVec3f, {0.0, 0.25, 0.0});
  // The tree changes: the Solid goes on from where it is.
  client.set("POST", "translation", kVec3f, {6.0, 0.0, 0.0});
  client.import(nullptr, "", kNode, "DEF NEW Solid { name \"new\" linearVelocity 0 0 1 }");
  client.settle();
  EXPECT_EQ(client.failure(), "");
  simulation.step(125);
  EXPECT_NEAR(client.get("SLED", "translation", kVec3f).at(0), 1.0, 1e-9);
  EXPECT_NEAR(client.get("SLED", "translation", kVec3f).at(1), 0.5, 1e-9);
  EXPECT_NEAR(client.get("NEW", "translation", kVec3f).at(2), 2.0, 1e-9);
  client.import("SLED", "physics", kNode, "Physics { }");
  client.settle();
  EXPECT_NEAR(client.get("SLED", "linearVelocity", kVec3f).at(1), 0.25, 1e-9);
  EXPECT_NEAR(client.get("SLED", "translation", kVec3f).at(1), 0.5, 1e-9);
}

TEST(SupervisorMotion, WheelsOfATrackTurnWithIt) {
  Simulation simulation = Simulation::from_text(R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 16 }
Robot { name "boss" supervisor TRUE controller "<none>" children [ Track { children [
  DEF INNER TrackWheel { radius 0.2 } DEF OUTER TrackWheel { radius 0.4 inner FALSE } ]
  device LinearMotor { name "belt" maxForce 1000 } } ] })");
  SupervisorClient client(simulation, 0);
  EXPECT_NEAR(client.get("INNER", "rotation", kRotation).at(3), 1.5708, 1e-9);
  simulation.robot(0).motor("belt").set_position(0.1);
  simulation.step(200);
  const auto turned = [&client](const char* def) {
    const std::vector<double> r = client.get(def, "rotation", kRotation);
    return rotation_matrix({{r.at(0), r.at(1), r.at(2)}, r.at(3)}) * Vec3{1.0, 0.0, 0.0};
  };
  // The belt moves by 0.1 m. It runs along x at the top and turns about y at the ends.
  for (int twice = 0; twice < 2; ++twice) {
    EXPECT_NEAR(turned("INNER").x, std::cos(0.5), 1e-4);
    EXPECT_NEAR(turned("INNER").z, -std::sin(0.5), 1e-4);
    EXPECT_NEAR(turned("OUTER").z, std::sin(0.25), 1e-4);
  }
}

TEST(SupervisorMotion, WhatATrackWheelHoldsStandsAtIt) {
  Simulation simulation = Simulation::from_text(R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 16 }
Robot { name "boss" translation 1 2 3 supervisor TRUE controller "<none>" children [ Track {
  children [ DEF WHEEL TrackWheel { position 0.5 -0.25 radius 0.2 children [
    DEF HUB Pose { translation 0 0 0.125 } DEF CAP Solid { translation 0 0 0.125 } ] } ]
  device LinearMotor { name "belt" maxForce 1000 } } ] })");
  SupervisorClient client(simulation, 0);
  const auto place = [&client](const char* def) {
    SupervisorRequest request;
    request.kind = SupervisorRequestKind::Pose;
    request.node = client.find(def);
    std::array<double, 16> numbers{};
    client.call(request).copy_to(numbers);
    return Vec3{numbers[3], numbers[7], numbers[11]};
  };
  simulation.robot(0).motor("belt").set_position(0.1);
  for (int twice = 0; twice < 2; ++twice) {
    EXPECT_LT(norm(place("HUB") - Vec3{1.5, 1.875, 2.75}), 1e-6);
    EXPECT_LT(norm(place("CAP") - Vec3{1.5, 1.875, 2.75}), 1e-6);
    EXPECT_EQ(client.get("CAP", "translation", kVec3f).at(2), 0.125);
    simulation.step(200);
  }
  client.set("WHEEL", "position", 4, {0.0, 0.5});
  client.settle();
  EXPECT_EQ(client.failure(), "");
  EXPECT_LT(norm(place("HUB") - Vec3{1.0, 1.875, 3.5}), 1e-6);
  EXPECT_LT(norm(place("CAP") - Vec3{1.0, 1.875, 3.5}), 1e-6);
}

TEST(SupervisorMotion, SaysOnceWhatDoesNothing) {
  Simulation simulation = Simulation::from_text(kWorld);
  SupervisorClient client(simulation, 0);
  for (const char* def : {"DOOR", "SLED"}) {
    tell(client, SupervisorRequestKind::AddForce, def, {1.0, 0.0, 0.0, 0.0, 0.0, 0.0});
    EXPECT_EQ(client.failure(), "the Solid has no Physics: no force moves it (reported once).");
    tell(client, SupervisorRequestKind::AddTorque, def, {1.0, 0.0, 0.0});
    EXPECT_EQ(client.failure(), "");
  }
  simulation.step();
  EXPECT_EQ(simulation.solid("sled").velocity().linear, Vec3{});
}

TEST(SupervisorMotion, ANoticeDoesNotSayTwiceThatItIsAWarning) {
  std::vector<std::string> said;
  LoadOptions options;
  options.notice = [&said](std::string_view text) { said.emplace_back(text); };
  std::string text = kWorld;
  text.insert(text.find("WorldInfo"), "DEF INFO ");
  Simulation simulation = Simulation::from_text(text, options);
  SupervisorClient client(simulation, 0);
  client.set("INFO", "basicTimeStep", kFloat, {4.0});
  client.settle();
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said.front(),
            "basicTimeStep cannot change while the world runs; it counts when the world is loaded");
  EXPECT_EQ(simulation.basic_time_step_ms(), 16.0);
}

TEST(SupervisorMotion, FieldsReadWhatTheControllerSetOfItsDevices) {
  Simulation simulation = Simulation::from_text(
      std::string(kWorld) +
      "Robot { name \"r\" children [ DEF REC Receiver { channel 3 } HingeJoint { device "
      "DEF M RotationalMotor { name \"m\" acceleration 2 } endPoint Solid { } } ] }");
  SupervisorClient client(simulation, 0);
  Robot& robot = simulation.robot("r");
  EXPECT_EQ(client.get("M", "acceleration", kFloat).at(0), 2.0);
  robot.motor("m").set_acceleration(6.0);
  robot.motor("m").set_control_pid({5.0, 1.0, 0.5});
  robot.receiver("receiver").set_channel(12);
  EXPECT_EQ(client.get("M", "acceleration", kFloat).at(0), 6.0);
  EXPECT_EQ(client.get("M", "controlPID", kVec3f), (std::vector<double>{5.0, 1.0, 0.5}));
  EXPECT_EQ(client.call(client.field(SupervisorRequestKind::Get, "REC", "channel", 2)).integer, 12);
  // A value that equals the tree's is set nevertheless.
  client.set("M", "acceleration", kFloat, {2.0});
  client.settle();
  EXPECT_EQ(client.failure(), "");
  EXPECT_EQ(robot.motor("m").targets().acceleration, 2.0);
  EXPECT_EQ(robot.motor("m").targets().gains.p, 5.0);
}

TEST(SupervisorMotion, SettingsOfDevicesAreUndoneWithTheChangesThatAreRefused) {
  Simulation simulation = Simulation::from_text(
      std::string(kWorld) +
      "Robot { name \"r\" children [ DEF REC Receiver { channel 3 } HingeJoint { device "
      "DEF M RotationalMotor { name \"m\" acceleration 2 } endPoint Solid { } } ] }");
  SupervisorClient client(simulation, 0);
  const char* const kFar =
      "Solid { translation 1e12 0 0 boundingObject Box { } physics Physics { } }";
  Robot& robot = simulation.robot("r");
  robot.motor("m").set_acceleration(6.0);
  client.import(nullptr, "", kNode, kFar);
  client.set("M", "acceleration", kFloat, {2.0});
  EXPECT_NE(client.failure().find("they are undone"), std::string::npos) << client.failure();
  client.set("M", "acceleration", kFloat, {2.0});
  EXPECT_EQ(client.failure(), "");
  client.import(nullptr, "", kNode, kFar);
  client.settle();
  EXPECT_NE(client.failure().find("they are undone"), std::string::npos) << client.failure();
  EXPECT_EQ(robot.motor("m").targets().acceleration, 6.0);
  EXPECT_EQ(robot.receiver("receiver").channel(), 3);
  client.set("M", "acceleration", kFloat, {2.0});
  client.settle();
  EXPECT_EQ(client.failure(), "");
  EXPECT_EQ(robot.motor("m").targets().acceleration, 2.0);
}

TEST(SupervisorMotion, FieldsOfAnEmitterReadWhatItsControllerSet) {
  Simulation simulation = Simulation::from_text(
      std::string(kWorld) +
      "Robot { name \"r\" children DEF TX Emitter { channel 3 range 4 maxRange 8 } }");
  SupervisorClient client(simulation, 0);
  Emitter& emitter = simulation.robot("r").emitter("emitter");
  const auto channel = [&] {
    return client.call(client.field(SupervisorRequestKind::Get, "TX", "channel", 2)).integer;
  };
  EXPECT_EQ(channel(), 3);
  EXPECT_EQ(client.get("TX", "range", kFloat).at(0), 4.0);
  emitter.set_channel(12);
  emitter.set_range(9.0);
  EXPECT_EQ(channel(), 12);
  EXPECT_EQ(client.get("TX", "range", kFloat).at(0), 8.0);
  client.set("TX", "range", kFloat, {4.0});  // the tree has the same value
  client.settle();
  EXPECT_EQ(client.failure(), "");
  EXPECT_EQ(emitter.range(), 4.0);
  EXPECT_EQ(emitter.channel(), 12);
}

TEST(SupervisorMotion, LocksAreReadAndWrittenWhateverTheTreeSays) {
  Simulation simulation = Simulation::from_text(
      std::string(kWorld) +
      "Robot { name \"r\" children [ DEF C Connector { } DEF V VacuumGripper { isOn TRUE } ] }");
  SupervisorClient client(simulation, 0);
  Robot& robot = simulation.robot("r");
  const auto get = [&](const char* def, const char* name) {
    return client.call(client.field(SupervisorRequestKind::Get, def, name, 1)).integer != 0;
  };
  const auto set = [&](const char* def, const char* name, bool to) {
    SupervisorRequest request = client.field(SupervisorRequestKind::Set, def, name, 1);
    request.integer = to ? 1 : 0;
    client.call(request);
    EXPECT_EQ(client.failure(), "");
    client.settle();
  };
  robot.connector("connector").lock();
  robot.connector("vacuum gripper").unlock();
  EXPECT_TRUE(get("C", "isLocked"));
  EXPECT_FALSE(get("V", "isOn"));
  set("C", "isLocked", false);
  set("V", "isOn", true);
  EXPECT_FALSE(robot.connector("connector").locked());
  EXPECT_TRUE(robot.connector("vacuum gripper").locked());
  set("C", "isLocked", true);
  EXPECT_TRUE(robot.connector("connector").locked());
  EXPECT_TRUE(get("C", "isLocked"));
}

TEST(SupervisorMotion, DevicesGetWhatTheTreeTakesForBadSettings) {
  Simulation simulation = Simulation::from_text(
      std::string(kWorld) +
      "Robot { name \"r\" children [ DEF REC Receiver { channel 2 allowedChannels [ 1, 2 ] } "
      "DEF RAD Radio { channel 5 } HingeJoint { device DEF M RotationalMotor { name \"m\" } "
      "endPoint Solid { } } ] }");
  SupervisorClient client(simulation, 0);
  Robot& robot = simulation.robot("r");
  const auto channel = [&](const char* def, int to) {
    SupervisorRequest request = client.field(SupervisorRequestKind::Set, def, "channel", 2);
    request.integer = to;
    client.call(request);
    client.settle();
    EXPECT_EQ(client.failure(), "");
    return client.call(client.field(SupervisorRequestKind::Get, def, "channel", 2)).integer;
  };
  EXPECT_EQ(channel("REC", 7), 1);
  EXPECT_EQ(robot.receiver("receiver").channel(), 1);
  EXPECT_EQ(channel("RAD", -1), 0);
  robot.motor("m").set_acceleration(6.0);
  client.set("M", "acceleration", kFloat, {-5.0});
  client.settle();
  EXPECT_EQ(robot.motor("m").targets().acceleration, -1.0);
}

TEST(SupervisorMotion, ASavedWorldHasWhatControllersSet) {
  Simulation simulation = Simulation::from_text(
      std::string(kWorld) + "DEF R Robot { name \"r\" children DEF TX Emitter { channel 3 } }");
  SupervisorClient client(simulation, 0);
  simulation.robot("r").emitter("emitter").set_channel(12);
  SupervisorRequest request;
  request.kind = SupervisorRequestKind::Export;
  request.node = client.find("R");
  EXPECT_NE(client.call(request).text.find("channel 12"), std::string::npos);
}

}  // namespace
}  // namespace servosim::test
