// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "controller_api/server/session.h"
#include "support/worlds.h"

// A session, and a controller's messages to it.

namespace servosim::test {

// Tags in the one-joint world, and in worlds/api_arm.wbt.
inline constexpr std::uint16_t kMotor = 1;
inline constexpr std::uint16_t kSensor = 2;
inline constexpr std::uint16_t kBrake = 3;

struct Answered {
  int result = 0;
  double time = 0.0;
  std::vector<Reading> readings;
};

inline Answered decode(Bytes message) {
  Reader readings({});
  const SimulationReply reply = decode_reply(message, readings);
  const StepAnswer& answer = std::get<StepAnswer>(reply);
  Answered result{answer.result, answer.time, {}};
  Reading reading;
  while (readings.left() > 0) {
    EXPECT_TRUE(next_reading(readings, reading));
    result.readings.push_back(reading);
  }
  return result;
}

/// A simulation and a controller of its first robot, which sends the messages of a test.
class SessionClient {
 public:
  explicit SessionClient(Simulation world) : simulation(std::move(world)), session(simulation, 0) {}

  Session::Outcome hello() {
    encode_hello(writer_, Hello{});
    return session.receive(writer_.bytes());
  }
  Session::Outcome request_step(int duration_ms, const std::vector<DeviceCommand>& commands = {}) {
    encode_step(writer_, duration_ms);
    for (const DeviceCommand& command : commands) {
      encode_command(writer_, command);
    }
    return session.receive(writer_.bytes());
  }
  /// Simulates until the pending step has its answer.
  Answered finish() {
    do {
      simulation.step();
    } while (!session.after_step());
    return decode(session.reply());
  }
  Answered step(int duration_ms, const std::vector<DeviceCommand>& commands = {}) {
    const Session::Outcome outcome = request_step(duration_ms, commands);
    EXPECT_EQ(outcome, duration_ms > 0 ? Session::Outcome::Pending : Session::Outcome::Answered);
    return duration_ms > 0 ? finish() : decode(session.reply());
  }

  Simulation simulation;
  Session session;

 private:
  Writer writer_;
};

inline Simulation one_joint(double time_step_ms = 16.0) {
  OneJoint world;
  world.time_step_ms = time_step_ms;
  return load(world);
}

/// The same world, but notices are no errors.
inline Simulation one_joint_with_notices(std::vector<std::string>& notices) {
  LoadOptions options;
  options.notice = [&notices](std::string_view notice) { notices.emplace_back(notice); };
  OneJoint world;
  world.time_step_ms = 16.0;
  return Simulation::from_text(world_text(world), options);
}

inline Simulation arm() {
  LoadOptions options;
  options.notice = [](std::string_view) {};
  return Simulation(std::string(SERVOSIM_TEST_DIR) + "/worlds/api_arm.wbt", options);
}

}  // namespace servosim::test
