// SPDX-License-Identifier: Apache-2.0
// The commands of a Motor that is a real servo mean what they mean for that servo.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "devices/servo_electronics.h"
#include "servosim/servo_model.h"
#include "servosim/simulation.h"
#include "support/solver.h"

namespace servosim::test {
namespace {

/// Returns a world with an arm without weight on a servo, in a robot with a battery.
std::string arm(const std::string& servo, const std::string& motor = "", int step_ms = 4,
                const std::string& suspension = "") {
  return fmt::format(R"(#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep {} gravity 0 physicsDisableTime 0 }}
Robot {{
  name "r"
  battery [ 1000 1000 0 ]
  cpuConsumption 0
  children [
    HingeJoint {{
      jointParameters HingeJointParameters {{ axis 0 0 1 {} }}
      device [
        RotationalMotor {{ name "m" maxTorque 2 maxVelocity 50 {} {} }}
        PositionSensor {{ name "s" }}
      ]
      endPoint Solid {{
        name "end"
        physics Physics {{ density -1 mass 0.1 centerOfMass [ 0 0 0 ]
                          inertiaMatrix [ 0.002 0.002 0.002, 0 0 0 ] }}
      }}
    }}
  ]
}}
)",
                     step_ms, suspension,
                     servo.empty() ? "" : "\n#servosim servo \"" + servo + "\"\n", motor);
}

class ServoMotor : public testing::Test {
 protected:
  void load(const std::string& text) {
    LoadOptions options;
    options.solver = solver_of_tests();
    options.notice = [this](std::string_view message) { notices += message; };
    simulation = std::make_unique<Simulation>(Simulation::from_text(text, std::move(options)));
  }
  Motor& motor() const { return simulation->robot(0).motor("m"); }
  void run(double seconds) const {
    const int steps = static_cast<int>(std::lround(1000.0 * seconds / 4.0));
    for (int i = 0; i < steps; ++i) {
      simulation->step();
    }
  }
  double position() const { return simulation->joint(0).position(); }
  double velocity() const { return simulation->joint(0).velocity(); }
  ServoReading reading() const { return motor().servo().reading().value(); }

  std::unique_ptr<Simulation> simulation;
  std::string notices;
};

TEST_F(ServoMotor, ReachesItsGoalUpToItsFriction) {
  load(arm("STS3215"));
  ASSERT_NE(motor().servo().model(), nullptr);
  EXPECT_EQ(motor().servo().model()->name, "STS3215");
  motor().set_position(1.0);
  run(1.0);
  EXPECT_NEAR(position(), 1.0, 0.0524 / 17.8 + 0.0016);
  // Its friction holds it, with the current of what is left of the error.
  EXPECT_NEAR(reading().current, reading().duty * 7.4 / 2.67617, 1e-4);
  EXPECT_NEAR(reading().voltage, 7.4, 1e-12);
  EXPECT_EQ(notices, "");
}

TEST_F(ServoMotor, TakesVelocityAndAccelerationAsItsProfile) {
  load(arm("STS3215"));
  motor().set_velocity(0.5);
  motor().set_position(1.0);
  run(1.0);
  EXPECT_NEAR(reading().target, 0.5, 0.01);
  EXPECT_NEAR(velocity(), 0.5, 0.02);
  run(2.0);
  EXPECT_DOUBLE_EQ(reading().target, 1.0);
  motor().set_acceleration(2.0);
  motor().set_velocity(50.0);
  motor().set_position(0.0);
  run(0.5);
  EXPECT_NEAR(reading().target, 1.0 - 0.5 * 2.0 * 0.25, 0.02);  // half of the way, at full speed
  run(2.0);
  EXPECT_DOUBLE_EQ(reading().target, 0.0);
}

TEST_F(ServoMotor, SaysWhatItAsksOfItsJoint) {
  load(arm("STS3215"));
  motor().set_velocity(0.5);
  motor().set_position(1.0);
  run(1.0);
  EXPECT_EQ(motor().commanded_velocity(), 0.5);
  EXPECT_NEAR(motor().effort_limit(), 1.21164 / 2.67617 * 0.97 * 7.4, 1e-4);
  motor().set_available_force(1.0);  // of 2
  run(2.0);
  EXPECT_EQ(motor().commanded_velocity(), 0.0);
  EXPECT_NEAR(motor().effort_limit(), 0.5 * 1.21164 / 2.67617 * 0.97 * 7.4, 1e-4);
  motor().set_position(std::numeric_limits<double>::infinity());
  motor().set_velocity(-0.3);
  run(0.1);
  EXPECT_EQ(motor().commanded_velocity(), -0.3);
  motor().drive({1.5, 1.0, 0.0, 0.0});
  run(0.1);
  EXPECT_EQ(motor().commanded_velocity(), 1.5);
  EXPECT_EQ(motor().effort_limit(), 1.0);
}

TEST_F(ServoMotor, TakesAvailableTorqueAsItsPwmLimit) {
  load(arm("STS3215 firmware.max_speed=inf"));
  motor().set_available_force(1.0);  // of 2
  motor().set_position(3.0);
  run(0.1);
  EXPECT_NEAR(reading().duty, 0.5 * 0.97, 1e-9);
  motor().set_available_force(0.0);
  run(0.05);
  EXPECT_EQ(reading().duty, 0.0);
  EXPECT_EQ(reading().current, 0.0);
}

TEST_F(ServoMotor, TakesGainsAsItsRegisters) {
  load(arm("STS3215"));
  EXPECT_EQ(motor().targets().gains.p, 32.0);
  motor().set_control_pid({16.0, 0.0, 0.0});
  motor().set_velocity(0.01);  // the target moves by 0.04 mrad in a step
  motor().set_position(1.0);
  simulation->step();
  simulation->step();
  const double target = reading().target - 0.01 * 0.004;  // of the step
  EXPECT_NEAR(reading().duty, 16.0 * 0.166 * target, 1e-9);
}

TEST_F(ServoMotor, DrivesACurrentForATorque) {
  load(arm("STS3215"));
  motor().set_force(0.5);
  simulation->step();
  EXPECT_NEAR(reading().motor_torque, 0.5, 1e-9);
  EXPECT_NEAR(reading().current, 0.5 / 1.21164135295077, 1e-9);
  const double inertia = 0.002 + 0.02840336348682085;
  EXPECT_NEAR(velocity(), 0.004 * (0.5 - 0.05239296084748866) / inertia, 0.004);
}

TEST_F(ServoMotor, TurnsAtAVelocity) {
  load(arm("STS3215 protection.overload_duty=inf"));
  motor().set_position(std::numeric_limits<double>::infinity());
  motor().set_velocity(2.0);
  run(2.0);
  EXPECT_NEAR(velocity(), 2.0, 1e-3);
  motor().set_velocity(-2.0);
  run(2.0);
  EXPECT_NEAR(velocity(), -2.0, 1e-3);
  motor().set_velocity(0.0);
  run(1.0);
  EXPECT_NEAR(velocity(), 0.0, 1e-9);
}

TEST_F(ServoMotor, TurnsWithADeadZoneOrACompliantLoop) {
  for (const char* loop : {"firmware.dead_zone=0.5", "firmware.compliance_slope=0.3",
                           "firmware.dead_zone=0.2 firmware.compliance_slope=0.3"}) {
    load(arm(std::string("STS3215 protection.overload_duty=inf ") + loop));
    motor().set_position(std::numeric_limits<double>::infinity());
    motor().set_velocity(2.0);
    run(2.0);
    const double before = position();
    run(2.0);
    EXPECT_NEAR((position() - before) / 2.0, 2.0, 0.05) << loop;  // it coasts in the dead zone
  }
}

TEST_F(ServoMotor, StopsWhereItsAccelerationBecomes0) {
  load(arm("STS3215"));
  motor().set_acceleration(2.0);
  motor().set_position(1.0);
  run(0.5);
  EXPECT_GT(velocity(), 0.5);
  motor().set_acceleration(0.0);  // no limit
  run(1.5);
  EXPECT_DOUBLE_EQ(reading().target, 1.0);
  EXPECT_NEAR(position(), 1.0, 0.01);
}

TEST_F(ServoMotor, HasNoPulsesWithoutALowestOne) {
  load(arm("STS3215 pulses.low=0 pulses.high=2000 pulses.high_position=1 firmware.max_speed=inf"));
  for (int i = 1; i < 10; ++i) {
    motor().set_position(0.01 * i);
    simulation->step();
    EXPECT_EQ(reading().target, 0.01 * i);
  }
}

TEST_F(ServoMotor, IsSeenByItsEncoder) {
  load(arm("STS3215 encoder.counts=64 encoder.offset=0.1"));
  simulation->robot(0).position_sensor("s").enable(4, 0.0);
  motor().set_position(1.0);
  run(1.0);
  const double count = 2.0 * std::numbers::pi / 64.0;
  const double value = simulation->robot(0).position_sensor("s").value();
  EXPECT_NEAR(value / count, std::round(value / count), 1e-12);
  EXPECT_NEAR(value, position() + 0.1, 0.5 * count + 1e-9);
}

TEST_F(ServoMotor, TakesItsPowerFromTheBattery) {
  load(arm("STS3215"));
  motor().set_position(2.0);
  double energy = 1000.0;
  for (int i = 0; i < 50; ++i) {
    simulation->step();
    energy -= 0.004 * 7.4 * reading().duty * reading().current;
  }
  EXPECT_NEAR(simulation->robot(0).battery()->energy(), energy, 1e-9);
  EXPECT_LT(energy, 999.9);
}

TEST_F(ServoMotor, MeasuresTheTorqueAtItsShaft) {
  load(arm("STS3215"));
  motor().set_position(2.0);
  simulation->step();
  const double before = velocity();
  simulation->step();
  // It accelerates the arm alone; the rotor is before the shaft.
  EXPECT_NEAR(simulation->joint(0).effort(), 0.002 * (velocity() - before) / 0.004, 1e-9);
  EXPECT_NEAR(reading().load_torque, -simulation->joint(0).effort(), 1e-9);
}

TEST_F(ServoMotor, ContinuesFromASavedStateWithItsDelay) {
  load(arm("STS3215 firmware.delay=0.05 firmware.i=1 firmware.i_scale=2 encoder.noise=0.001"));
  motor().set_position(1.0);
  run(0.1);
  const SimulationState saved = simulation->save();
  motor().set_position(-1.0);
  run(0.3);
  const std::uint64_t hash = simulation->state_hash();
  const double at = position();
  simulation->restore(saved);
  motor().set_position(-1.0);
  run(0.3);
  EXPECT_EQ(position(), at);
  EXPECT_EQ(simulation->state_hash(), hash);
}

TEST_F(ServoMotor, GoesOnInACloneAsBefore) {
  load(arm("XL330-M288-T firmware.delay=0.02 encoder.noise=0.001 drive.backlash=0.02"));
  motor().set_position(1.0);
  run(0.2);
  Simulation twin = simulation->clone();
  for (int i = 0; i < 50; ++i) {
    simulation->step();
    twin.step();
  }
  EXPECT_EQ(twin.joint(0).position(), position());
  EXPECT_EQ(twin.state_hash(), simulation->state_hash());
  EXPECT_EQ(twin.robot(0).motor("m").servo().reading().value().current, reading().current);
  EXPECT_NE(position(), 0.0);
}

TEST_F(ServoMotor, FollowsACommandAfterItsDelay) {
  load(arm("STS3215 firmware.delay=0.02"));
  motor().set_position(0.0);
  run(0.1);
  motor().set_position(1.0);
  for (int i = 0; i < 5; ++i) {
    simulation->step();
    EXPECT_EQ(reading().target, 0.0) << i;
  }
  simulation->step();
  EXPECT_GT(reading().target, 0.0);
}

TEST_F(ServoMotor, HoldsTheGoalOfAPulse) {
  load(arm("SG90"));
  ASSERT_GT(motor().servo().model()->pulses.frame, 0.0);
  int changes = 0;
  double before = 0.0;
  for (int i = 0; i < 50; ++i) {
    motor().set_position(0.002 * i);
    simulation->step();
    changes += reading().target != before ? 1 : 0;
    before = reading().target;
  }
  EXPECT_GE(changes, 9);
  EXPECT_LE(changes, 11);  // 200 ms are ten frames
}

TEST_F(ServoMotor, KeepsWhatAnOverloadLeaves) {
  load(arm("STS3215 protection.overload_time=0.2", "minPosition -10 maxPosition 10"));
  // Held by an equal torque from outside, here by a heavy arm that does not move in time.
  motor().set_force(0.0);
  motor().set_position(5.0);
  run(0.6);
  EXPECT_TRUE(reading().is_shut_down);
  EXPECT_LE(std::abs(reading().duty), 0.2 + 1e-12);
  motor().set_available_force(0.0);
  simulation->step();
  EXPECT_FALSE(reading().is_shut_down);
}

TEST_F(ServoMotor, IsNotThereForADrive) {
  load(arm("STS3215"));
  motor().drive({1.5, 100.0, 0.0, 0.0});
  run(0.1);
  EXPECT_NEAR(velocity(), 1.5, 1e-3);
  motor().set_position(position());
  run(1.0);
  EXPECT_NEAR(velocity(), 0.0, 1e-9);
}

TEST_F(ServoMotor, TakesNothingWhileADriveMovesItsJoint) {
  load(arm("STS3215 thermal.winding_capacity=1 thermal.case_capacity=1"));
  motor().set_position(2.0);
  run(0.2);
  ASSERT_GT(reading().current, 0.01);
  const double energy = simulation->robot(0).battery()->energy();
  const double warm = reading().temperature;
  ASSERT_GT(warm, 25.0);
  motor().drive({1.5, 100.0, 0.0, 0.0});
  run(1.0);
  EXPECT_EQ(reading().current, 0.0);
  EXPECT_EQ(reading().duty, 0.0);
  EXPECT_EQ(reading().motor_torque, 0.0);
  EXPECT_NEAR(reading().target, position(), 0.007);  // of the step before
  EXPECT_LT(reading().temperature, warm);
  EXPECT_EQ(simulation->robot(0).battery()->energy(), energy);
}

TEST_F(ServoMotor, KeepsItsTorqueWhereItsMotorStops) {
  load(arm("STS3215 firmware.delay=0.04"));
  motor().set_position(1.0);
  run(0.2);
  simulation->solid(0).reset_physics();
  simulation->step();
  simulation->step();
  EXPECT_GT(reading().duty, 0.1);
}

// An SG90 takes pulses of 500 to 2400 µs, for -90° to 90°.
TEST_F(ServoMotor, TakesPulses) {
  constexpr double kRight = std::numbers::pi / 2.0;
  load(arm("SG90"));
  EXPECT_DOUBLE_EQ(motor().servo_pulse(), 1450.0);
  motor().set_servo_pulse(1800.0);
  EXPECT_DOUBLE_EQ(motor().targets().position, 350.0 / 950.0 * kRight);
  EXPECT_DOUBLE_EQ(motor().servo_pulse(), 1800.0);
  Simulation twin = simulation->clone();
  twin.robot(0).motor("m").set_position(motor().targets().position);
  run(1.5);
  twin.step(375);
  EXPECT_EQ(simulation->state_hash(), twin.state_hash());
  EXPECT_NEAR(position(), 350.0 / 950.0 * kRight, 1.5 * 0.008267);  // its dead zone
  motor().set_servo_pulse(3000.0);
  EXPECT_DOUBLE_EQ(motor().targets().position, kRight) << "the end";
  EXPECT_EQ(notices,
            "robot \"r\", motor \"m\": pulse beyond those of its servo [µs]: 3000 replaced by 2400 "
            "(reported once)");
  motor().set_position(INFINITY);
  EXPECT_TRUE(std::isnan(motor().servo_pulse()));
  motor().set_force(0.01);
  EXPECT_TRUE(std::isnan(motor().servo_pulse()));
  for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(motor().set_servo_pulse(bad), std::invalid_argument) << bad;
  }
  load(arm("SG90", "multiplier -0.5"));
  motor().set_servo_pulse(1800.0);
  EXPECT_DOUBLE_EQ(motor().targets().position, 350.0 / 950.0 * kRight) << "the pulse is its own";
}

TEST_F(ServoMotor, GoesNoFartherThanItsPulses) {
  load(arm("SG90"));
  motor().set_position(2.0);
  EXPECT_EQ(motor().targets().position, 2.0) << "what it was told";
  EXPECT_DOUBLE_EQ(motor().servo_pulse(), 2400.0);
  run(1.0);
  EXPECT_NEAR(position(), std::numbers::pi / 2.0, 1.5 * 0.008267);
  motor().set_position(-3.0);
  EXPECT_EQ(
      notices,
      "robot \"r\", motor \"m\": target position beyond the pulses of its servo: 2 replaced by "
      "1.5707963267948966 (reported once)");
  load(arm("STS3215"));
  motor().set_position(2.0);
  run(1.5);
  EXPECT_NEAR(position(), 2.0, 0.01) << "it has no pulses";
}

// A goal waits for the pulse of the next frame, of 20 ms, which is five steps.
TEST_F(ServoMotor, TakesAGoalOnceInAFrame) {
  load(arm("SG90"));
  simulation->step();  // the first pulse asks for 0
  motor().set_servo_pulse(2000.0);
  simulation->step(4);
  EXPECT_EQ(reading().target, 0.0);
  simulation->step();
  EXPECT_DOUBLE_EQ(reading().target, 550.0 / 950.0 * std::numbers::pi / 2.0);
}

TEST_F(ServoMotor, NamesTheServosThatTakePulses) {
  const auto refusal = [this] {
    try {
      motor().set_servo_pulse(1500.0);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string others =
      " takes no pulses; servos that do are DS3218, DSS-M15S, MG90S, MG996R, SG90, and those whose "
      "file has the table [pulses]";
  load(arm("STS3215"));
  EXPECT_EQ(refusal(), "robot \"r\", motor \"m\": its servo STS3215" + others);
  EXPECT_TRUE(std::isnan(motor().servo_pulse()));
  load(arm(""));
  EXPECT_EQ(refusal(), "robot \"r\", motor \"m\": a plain motor" + others);
}

TEST_F(ServoMotor, TellsItsPwmLimit) {
  load(
      arm("STS3215 protection.overload_duty=0.5 protection.overload_time=0.2 "
          "protection.overload_rest=0.25 firmware.max_speed=inf"));
  EXPECT_EQ(reading().max_duty, 0.97);
  motor().set_available_force(1.0);  // of 2
  EXPECT_EQ(reading().max_duty, 0.97) << "it is that of the last step";
  run(0.004);
  EXPECT_EQ(reading().max_duty, 0.5 * 0.97);
  motor().set_available_force(2.0);
  motor().set_position(100.0);
  for (int i = 0; i < 100; ++i) {
    run(0.004);
    EXPECT_LE(std::abs(reading().duty), reading().max_duty) << i;
  }
  EXPECT_TRUE(reading().is_shut_down);
  EXPECT_EQ(reading().max_duty, 0.25);
  EXPECT_EQ(reading().duty, 0.25);
  motor().set_available_force(0.0);
  run(0.004);
  EXPECT_EQ(reading().max_duty, 0.0);
}

TEST_F(ServoMotor, HasThePwmLimitOfAnOrderThatTakesOver) {
  load(arm("STS3215"));
  motor().set_available_force(0.0);
  ServoOrder order;
  order.gains = {32.0, 0.0, 0.0};
  order.value = 3.0;
  order.share = 0.5;
  order.speed = order.acceleration = std::numeric_limits<double>::infinity();
  motor().servo().electronics()->take_over(order);
  run(0.1);
  EXPECT_EQ(reading().max_duty, 0.5 * 0.97);
  EXPECT_EQ(reading().duty, 0.5 * 0.97);
}

TEST_F(ServoMotor, SaysOnceWhichGainHasNoEffect) {
  load(arm("STS3215"));
  motor().set_control_pid({16.0, 0.0, 32.0});  // its register of D has 32 by itself
  EXPECT_EQ(notices, "");
  motor().set_control_pid({16.0, 2.0, 64.0});
  motor().set_control_pid({16.0, 3.0, 64.0});
  EXPECT_EQ(notices,
            "robot \"r\", motor \"m\": the gain i = 2 of its servo STS3215 has no effect, since "
            "firmware.i_scale, the output per unit of it, is 0 (reported once)");
  notices.clear();
  load(arm("AX-12A"));
  motor().set_control_pid({8.0, 0.0, 0.0});
  EXPECT_NE(notices.find("the gain p = 8 of its servo AX-12A has no effect, since "
                         "firmware.compliance_slope gives the output per radian"),
            std::string::npos)
      << notices;
  notices.clear();
  load(arm("XL330-M288-T"));
  motor().set_control_pid({400.0, 10.0, 10.0});
  EXPECT_EQ(notices, "");
  // As it is where registers of a bus order it.
  load(arm("STS3215"));
  ServoOrder order;
  order.gains = {32.0, 0.0, 40.0};
  motor().servo().electronics()->take_over(order);
  run(0.1);
  EXPECT_NE(notices.find("the gain d = 40"), std::string::npos) << notices;
}

TEST_F(ServoMotor, SaysOnceWhatItsProtectionDoes) {
  const std::vector<std::pair<std::string, std::string>> faults{
      {"supply.voltage=7.4",
       "servo of r/m ended its torque at 0.004 s: its supply has 7.4 V, more than "
       "protection.max_voltage 7"},
      {"supply.voltage=3",
       "servo of r/m ended its torque at 0.004 s: its supply has 3 V, less than "
       "protection.min_voltage 3.5"},
      {"protection.max_temperature=20",
       "servo of r/m ended its torque at 0.004 s: its case has 25 °C, more than "
       "protection.max_temperature 20"},
      {"protection.overload_duty=0.8 protection.overload_time=0.4 protection.overload_rest=0",
       " s: its duty was more than protection.overload_duty 0.8 for protection.overload_time 0.4 "
       "s"},
      {"protection.overload_duty=0.8 protection.overload_time=0.4 protection.overload_rest=0.2",
       "servo of r/m limited its duty to 0.2 at "},
  };
  for (const auto& [choice, reason] : faults) {
    notices.clear();
    load(arm("XL330-M288-T " + choice + " firmware.max_speed=inf", "", 4,
             "minStop -0.01 maxStop 0.01"));
    motor().set_position(2.0);
    run(2.0);
    const std::size_t first = notices.find("servo of r/m ");
    EXPECT_NE(notices.find(reason), std::string::npos) << choice << '\n' << notices;
    EXPECT_EQ(notices.find("servo of r/m ", first + 1), std::string::npos) << notices;
  }
}

TEST_F(ServoMotor, SaysWhereItHasNoEffect) {
  const auto world = [](const std::string& servo) {
    std::string text =
        arm(servo, "", 4, "suspensionSpringConstant 1000 suspensionDampingConstant 10");
    text.replace(text.find("  children"), 0,
                 "  boundingObject Sphere { radius 0.1 } physics Physics { density -1 mass 10 }\n");
    return text;
  };
  const auto moved = [&](const std::string& servo) {
    load(world(servo));
    motor().set_position(1.0);
    run(0.4);
    return simulation->state_hash();
  };
  const std::uint64_t as_in_webots = moved("");
  EXPECT_EQ(notices, "");
  // The motor is one of Webots, with the gains of its world.
  EXPECT_EQ(moved("STS3215"), as_in_webots);
  EXPECT_NE(notices.find("robot \"r\", motor \"m\": its servo STS3215 has no effect"),
            std::string::npos)
      << notices;
  EXPECT_EQ(motor().servo().model(), nullptr);
  EXPECT_FALSE(motor().servo().reading().has_value());
  EXPECT_EQ(motor().targets().gains.p, 10.0);
}

}  // namespace
}  // namespace servosim::test
