// SPDX-License-Identifier: Apache-2.0
// Energy: who takes how much, and what happens when nothing is left.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/report_once.h"
#include "physics/state.h"
#include "scene/scene.h"
#include "servosim/robot.h"
#include "support/device_state.h"
#include "support/worlds.h"

namespace servosim {
namespace {

TEST(Battery, DrainsToZeroAndNotBelow) {
  Battery battery(5.0, 10.0, 3.0);
  EXPECT_FALSE(battery.drain(7.0, 0.25));
  EXPECT_EQ(battery.energy(), 2.5);
  const StateBlock before = test::state_of(battery);
  EXPECT_TRUE(battery.drain(10.0, 0.25));
  EXPECT_EQ(battery.energy(), 0.0);
  EXPECT_TRUE(battery.exhausted());
  test::restore(battery, before);
  EXPECT_EQ(battery.energy(), 2.5);
  EXPECT_FALSE(battery.exhausted());
}

TEST(Battery, IsChargedUpToItsCapacity) {
  Battery battery(5.0, 6.0, 3.0);
  EXPECT_FALSE(battery.drain(-5.0, 0.25));
  EXPECT_EQ(battery.energy(), 5.5);
  EXPECT_FALSE(battery.drain(-103.0, 1.0));
  EXPECT_EQ(battery.energy(), 6.0);
  battery.set_energy(8.0);
  EXPECT_FALSE(battery.drain(-103.0, 1.0));
  EXPECT_EQ(battery.energy(), 8.0);
}

void set_power(Device& device, bool on) { device.set_power(on); }
double power_of(Device& device) { return device.power_consumption(); }

class PoweredMotorTest : public testing::Test {
 protected:
  PoweredMotorTest() : notices_([](std::string_view) {}) {
    spec_.max_force = 6.0;
    spec_.available_force = 6.0;
    spec_.consumption_factor = 2.5;
    joint_.dynamic = joint_.has_feedback = true;
  }
  Motor make() { return Motor(spec_, "r", &joint_, notices_); }

  MotorSpec spec_;
  JointState joint_;
  Notices notices_;
};

TEST_F(PoweredMotorTest, TakesPowerByItsFeedback) {
  Motor motor = make();
  joint_.constraint_effort = -3.0;
  EXPECT_EQ(power_of(motor), 7.5);
  joint_.has_feedback = false;
  EXPECT_EQ(power_of(motor), 0.0) << "Webots then measures nothing";
  Motor alone(spec_, "r", nullptr, notices_);
  EXPECT_EQ(power_of(alone), 0.0);
}

class PropellerMotorTest : public PoweredMotorTest {
 protected:
  PropellerMotorTest() : notices_([this](std::string_view m) { said_.emplace_back(m); }) {
    spec_.name = "m";
    motor_.emplace(spec_, "r", &propeller_.shaft, notices_, &propeller_);
  }

  PropellerState propeller_;
  std::vector<std::string> said_;
  Notices notices_;
  std::optional<Motor> motor_;
};

TEST_F(PropellerMotorTest, TakesPowerByThrustAndTorque) {
  EXPECT_EQ(power_of(*motor_), 0.0);
  propeller_.thrust = -3.0;
  propeller_.torque = 0.5;
  EXPECT_EQ(power_of(*motor_), 2.5 * 3.5);
}

TEST_F(PropellerMotorTest, StopsWithoutPower) {
  motor_->set_velocity(4.5);
  motor_->set_position(INFINITY);
  motor_->before_step(0.016);
  EXPECT_NEAR(propeller_.shaft.velocity, 6.0 * 0.016, 1e-15) << "the force is the acceleration";
  const double position = propeller_.shaft.position;
  set_power(*motor_, false);
  motor_->before_step(0.016);
  EXPECT_EQ(propeller_.shaft.velocity, 0.0);
  EXPECT_EQ(propeller_.shaft.position, position);
  set_power(*motor_, true);
  motor_->before_step(0.016);
  EXPECT_NEAR(propeller_.shaft.velocity, 6.0 * 0.016, 1e-15);
}

TEST_F(PropellerMotorTest, HasNoFeedbackAndSaysWhy) {
  motor_->enable(32, 0.0);
  motor_->enable(32, 0.0);
  EXPECT_EQ(said_, std::vector<std::string>{"robot \"r\", motor \"m\": no force feedback, because "
                                            "it turns a Propeller"});
}

TEST_F(PoweredMotorTest, WithoutPowerHasNoForceWhateverIsAsked) {
  Motor motor = make();
  motor.set_available_force(4.0);
  joint_.wake = false;
  set_power(motor, false);
  EXPECT_EQ(motor.targets().available_force, 0.0);
  EXPECT_TRUE(joint_.wake);
  motor.set_available_force(3.0);
  EXPECT_EQ(motor.targets().available_force, 0.0);
  motor.set_position(0.5);
  motor.before_step(0.016);
  EXPECT_EQ(joint_.drive.velocity, 0.0);
  EXPECT_EQ(joint_.drive.max_force, 0.0);
  set_power(motor, true);
  EXPECT_EQ(motor.targets().available_force, 6.0) << "all there is, not what it had";
  motor.set_available_force(3.0);
  EXPECT_EQ(motor.targets().available_force, 3.0);
}

TEST_F(PoweredMotorTest, GoesOnPushingInForceControl) {
  Motor motor = make();
  motor.set_force(2.5);
  set_power(motor, false);
  motor.before_step(0.016);
  EXPECT_EQ(joint_.drive.force, 2.5);
}

TEST_F(PoweredMotorTest, MeasuresNothingWithoutPower) {
  Motor motor = make();
  motor.enable(16, 0.0);
  joint_.constraint_effort = 1.5;
  motor.after_step(16.0);
  joint_.constraint_effort = 2.5;
  set_power(motor, false);
  motor.after_step(32.0);
  EXPECT_EQ(motor.sampler().value(), 1.5);
  const StateBlock off = test::state_of(motor);
  set_power(motor, true);
  motor.after_step(48.0);
  EXPECT_EQ(motor.sampler().value(), 2.5);
  test::restore(motor, off);
  EXPECT_EQ(motor.targets().available_force, 0.0) << "the state says whether it has power";
}

TEST_F(PoweredMotorTest, SensorsDoNotSampleWithoutPower) {
  Random random(7);
  const SensorSpec spec;
  PositionSensor sensor(spec, &joint_, random);
  sensor.enable(16, 0.0);
  joint_.position = 0.25;
  sensor.after_step(16.0);
  sensor.set_power(false);
  joint_.position = 0.75;
  sensor.after_step(32.0);
  EXPECT_EQ(sensor.value(), 0.25);
  const StateBlock off = test::state_of(sensor);
  sensor.set_power(true);
  sensor.after_step(48.0);
  EXPECT_EQ(sensor.value(), 0.75);
  test::restore(sensor, off);
  EXPECT_EQ(sensor.value(), 0.25);
}

TEST(BrakeState, IsItsDamping) {
  JointState joint;
  Brake brake(JointType::Linear, &joint);
  brake.set_damping_constant(2.5);
  const StateBlock before = test::state_of(brake);
  brake.set_damping_constant(0.5);
  test::restore(brake, before);
  EXPECT_EQ(brake.damping_constant(), 2.5);
}

// ---- in a world

std::string with_battery(const std::string& battery, const test::OneJoint& w) {
  std::string text = test::world_text(w);
  text.replace(text.find("name \"r\""), 8, "name \"r\" " + battery);
  return text;
}

// A horizontal arm on a robot of 5 kg, which the tests pin to the world: its weight asks for m·g·r
// of torque.
std::string arm(const std::string& battery, const std::string& motor) {
  test::OneJoint w;
  w.heavy_parent = true;
  w.axis = "0 1 0";
  w.gravity = "9.81";
  w.endpoint = "0.3 0 0";
  w.motor = "maxTorque 50 " + motor;
  std::string text = with_battery(battery, w);
  return text.replace(text.find("mass 1e9"), 8, "mass 5");
}

// Collects the notices.
Simulation load_heard(const std::string& text, std::vector<std::string>& said) {
  LoadOptions options;
  options.notice = [&said](std::string_view message) { said.emplace_back(message); };
  return Simulation::from_text(text, options);
}

const char* kEmptyAt = "robot \"r\": its battery is empty at 0.2 s; its motors and sensors are off";

std::string drone(const std::string& battery, double consumption_factor) {
  return fmt::format(R"(#VRML_SIM R2023b utf8
WorldInfo {{ basicTimeStep 8 gravity 0 }}
Robot {{ name "r" {} cpuConsumption 5 boundingObject Box {{ size 0.4 0.3 0.1 }}
  physics Physics {{ density -1 mass 1.5 }} children [
  Propeller {{ shaftAxis 0 0 1 thrustConstants 0.002 0 torqueConstants -0.00005 0
    device RotationalMotor {{ name "m" maxVelocity 200 maxTorque 1e9 consumptionFactor {} }} }} ] }})",
                     battery, consumption_factor);
}

TEST(RobotBattery, FeedsPropellersByThrustAndTorque) {
  Simulation s = test::load(drone("battery [ 900 1000 0 ]", 3.5));
  s.robot(0).motor("m").set_velocity(60.0);
  s.robot(0).motor("m").set_position(INFINITY);
  s.step(50);
  const double power = 5.0 + 3.5 * (0.002 + 0.00005) * 60.0 * 60.0;
  // The shaft's speed is a difference of angles up to 24 rad, divided by h: 1e-12 of it.
  EXPECT_NEAR(s.robot(0).battery()->energy(), 900.0 - power * 50 * 0.008, 1e-9);
}

TEST(RobotBattery, AnEmptyOneStopsPropellers) {
  std::vector<std::string> said;
  Simulation s = load_heard(drone("battery [ 0.99 1000 0 ]", 0.0), said);
  s.robot(0).motor("m").set_velocity(60.0);
  s.robot(0).motor("m").set_position(INFINITY);
  s.step(25);
  ASSERT_EQ(said, std::vector<std::string>{kEmptyAt});
  EXPECT_NEAR(s.propellers()[0].reading().thrust, 0.002 * 3600.0, 1e-9);
  const double rising = s.solid("r").pose().translation.z;
  s.step(2);
  EXPECT_EQ(s.propellers()[0].reading().speed, 0.0);
  EXPECT_EQ(s.propellers()[0].reading().thrust, 0.0);
  EXPECT_EQ(s.propellers()[0].reading().torque, 0.0);
  // It goes on at the speed it had: v = a·h·n.
  EXPECT_NEAR(s.solid("r").pose().translation.z - rising,
              2 * 0.008 * (0.002 * 3600.0 / 1.5 * 0.008 * 25), 1e-9);
  EXPECT_EQ(said.size(), 1u);
}

// As in Webots: the force is the acceleration of a joint without Physics, and there is none.
TEST(RobotBattery, AnEmptyOneLetsJointsWithoutPhysicsGoOn) {
  test::OneJoint w;
  w.child_physics = "NULL";
  std::vector<std::string> said;
  Simulation s = load_heard(with_battery("battery [ 0.99 1000 0 ] cpuConsumption 5", w), said);
  Motor& motor = s.robot(0).motor("m");
  motor.set_velocity(1.5);
  motor.set_position(INFINITY);
  s.step(25);
  ASSERT_EQ(said.size(), 1u);
  const double there = s.joint(0).position();
  motor.set_velocity(0.25);
  s.step(50);
  EXPECT_NEAR(s.joint(0).position() - there, 50 * 0.008 * 1.5, 1e-12);
}

TEST(RobotBattery, ItsEndIsSaidOnceWhateverIsRestored) {
  std::vector<std::string> said;
  const std::string text = arm("battery [ 0.99 1000 0 ] cpuConsumption 5", "consumptionFactor 0");
  Simulation s = load_heard(text, said);
  const SimulationState before = s.save();
  s.step(24);
  EXPECT_TRUE(said.empty());
  s.step(6);
  EXPECT_EQ(said, std::vector<std::string>{kEmptyAt});
  Simulation twin = s.clone();
  for (Simulation* again : {&s, &twin}) {
    again->restore(before);
    EXPECT_FALSE(again->robot(0).battery()->exhausted());
    again->step(30);
    EXPECT_TRUE(again->robot(0).battery()->exhausted());
    again->reset();
    again->step(30);
  }
  EXPECT_EQ(said.size(), 1u);
}

// Measuring costs, and leaves its mark in the joint's record.
TEST(RobotBattery, MeasuresOnlyEffortsThatCount) {
  const auto measured = [](bool heavy_parent, const std::string& motor) {
    test::OneJoint w;
    w.heavy_parent = heavy_parent;
    w.motor = motor;
    Simulation s = test::load(with_battery("battery [ 900 1000 0 ]", w));
    s.robot(0).motor("m").set_position(0.5);
    s.step(5);
    const double seen = s.robot(0).motor("m").joint()->velocity;
    EXPECT_GT(s.joint(0).velocity(), 0.1);
    return seen != 0.0;
  };
  EXPECT_TRUE(measured(true, ""));
  EXPECT_FALSE(measured(false, "")) << "no feedback on a static parent";
  EXPECT_FALSE(measured(true, "consumptionFactor 0"));
}

TEST(RobotBattery, FeedsTheComputerAndTheMotorsByTheirEfforts) {
  Simulation s = test::load(arm("battery [ 900 1000 0 ] cpuConsumption 20", "consumptionFactor 3"));
  s.solid(s.robot(0).solid()).pin(true);
  const Battery& battery = *s.robot(0).battery();
  EXPECT_EQ(battery.energy(), 900.0);
  s.step(200);
  const double settled = battery.energy();
  s.step(100);
  // 0.8 s of 20 W and of 3 W per N·m: the arm stands still but for the softness of its rows.
  const double power = 20.0 + 3.0 * 2.0 * 9.81 * 0.3;
  EXPECT_NEAR(settled - battery.energy(), 0.8 * power, 1e-3 * power);
}

TEST(RobotBattery, DoesNotFeedForceControl) {
  test::OneJoint w;
  w.slider = true;
  w.heavy_parent = true;
  Simulation s = test::load(with_battery("battery [ 900 1000 0 ] cpuConsumption 20", w));
  s.robot(0).motor("m").set_force(2.5);
  s.step(25);
  EXPECT_GT(s.joint(0).velocity(), 0.2);
  // Rounding of 25 differences.
  EXPECT_NEAR(s.robot(0).battery()->energy(), 900.0 - 20.0 * 25 * 0.008, 1e-9);
}

TEST(RobotBattery, AnEmptyOneLetsTheArmFall) {
  std::vector<std::string> said;
  Simulation s =
      load_heard(arm("battery [ 1 1000 0 ] cpuConsumption 5", "consumptionFactor 0"), said);
  s.solid(s.robot(0).solid()).pin(true);
  PositionSensor& sensor = s.robot(0).position_sensor("s");
  sensor.enable(8, 0.0);
  s.step(24);
  EXPECT_FALSE(s.robot(0).battery()->exhausted());
  EXPECT_NEAR(sensor.value(), 0.0, 1e-2);
  s.step(1);  // 0.2 s
  EXPECT_TRUE(s.robot(0).battery()->exhausted());
  EXPECT_EQ(said, std::vector<std::string>{kEmptyAt});
  const double last = sensor.value();
  s.step(40);
  EXPECT_EQ(sensor.value(), last);
  EXPECT_GT(s.joint(0).position(), 0.5);
  EXPECT_EQ(s.robot(0).battery()->energy(), 0.0);
  s.robot(0).set_power(true);
  s.step();
  EXPECT_EQ(sensor.value(), s.joint(0).position());
  EXPECT_EQ(s.robot(0).motor("m").targets().available_force, 50.0);
}

TEST(RobotBattery, IsNotSimulatedWhenAbsentOrNegative) {
  EXPECT_EQ(test::load(arm("", "")).robot(0).battery(), nullptr);
  Simulation s = test::load(arm("battery [ -1 1000 0 ] cpuConsumption 5", ""));
  EXPECT_EQ(s.robot(0).battery(), nullptr);
  s.step(50);
  EXPECT_EQ(s.robot(0).motor("m").targets().available_force, 50.0);
}

}  // namespace
}  // namespace servosim
