// SPDX-License-Identifier: Apache-2.0
#include "srvp/robot/servo_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "srvp/robot/test_support.h"

namespace servosim::srvp::robot {
namespace {

using test::entry;
using test::hinge;
using test::robot_with;
using test::slider;

constexpr double kDegree = std::numbers::pi / 180.0;

std::vector<McuServo> servos_of(Simulation& simulation,
                                const std::vector<ServoEntry>& entries = {}) {
  return map_servos(simulation, simulation.robot(0), entries);
}

std::string refusal(const std::string& children, const std::vector<ServoEntry>& entries = {}) {
  Simulation simulation = robot_with(children);
  try {
    servos_of(simulation, entries);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(ServoMap, IdsFollowTheMotorsInDeviceOrder) {
  Simulation simulation = robot_with(hinge("b") + hinge("a") + hinge("c"));
  const std::vector<McuServo> servos = servos_of(simulation);
  ASSERT_EQ(servos.size(), 3u);
  EXPECT_EQ(servos[0].name + servos[1].name + servos[2].name, "bac");
  for (const McuServo& servo : servos) {
    EXPECT_EQ(simulation.joint(servo.joint).motor(), servo.motor);
  }
}

// A belt runs without end, so it is no servo unless something limits it or a mapping file defines
// its range.
TEST(ServoMap, HasBeltsOfTracksWithEndsOnly) {
  const auto track = [](const std::string& limits) {
    return "Track { device LinearMotor { name \"belt\" " + limits + " } }\n";
  };
  const auto names = [](const std::vector<McuServo>& servos) {
    std::string all;
    for (const McuServo& servo : servos) {
      all += servo.name + ' ';
    }
    return all;
  };
  Simulation endless = robot_with(hinge("a") + track("") + hinge("b"));
  EXPECT_EQ(names(servos_of(endless)), "a b ");
  EXPECT_EQ(names(servos_of(endless, {entry(0, "belt", 0.0, 0.5), entry(1, "b")})), "belt b ");
  Simulation limited = robot_with(hinge("a") + track("minPosition -0.1 maxPosition 0.4"));
  const std::vector<McuServo> servos = servos_of(limited);
  EXPECT_EQ(names(servos), "a belt ");
  EXPECT_EQ(servos.at(1).at_179, 0.4);
  EXPECT_EQ(refusal(track("")), "robot 'r' has no motor that moves a joint, so it is no MCU");
}

TEST(ServoMap, TheRangeIsTheMotorsElseTheStopsElseNinetyDegreesEachWay) {
  Simulation simulation =
      robot_with(hinge("motor", "minPosition -0.5 maxPosition 1.5", "minStop -1 maxStop 2") +
                 hinge("stops", "", "minStop -1 maxStop 2") + hinge("free") +
                 slider("linear", "minPosition -0.1 maxPosition 0.3"));
  const std::vector<McuServo> servos = servos_of(simulation);
  EXPECT_EQ(servos[0].at_0, -0.5);
  EXPECT_EQ(servos[0].at_179, 1.5);
  EXPECT_EQ(servos[1].at_0, -1.0);
  EXPECT_EQ(servos[1].at_179, 2.0);
  EXPECT_EQ(servos[2].at_0, -90.0 * kDegree);
  EXPECT_EQ(servos[2].at_179, 90.0 * kDegree);
  EXPECT_EQ(servos[3].at_0, -0.1);
  EXPECT_EQ(servos[3].at_179, 0.3);
}

TEST(ServoMap, PositionsAreLinearInTheRange) {
  McuServo servo;
  servo.at_0 = 1.0;
  servo.at_179 = -1.0;
  EXPECT_DOUBLE_EQ(servo.joint_position(0), 1.0);
  EXPECT_DOUBLE_EQ(servo.joint_position(89.5), 0.0);
  EXPECT_DOUBLE_EQ(servo.joint_position(179), -1.0);
  for (int position = 0; position <= 179; ++position) {
    EXPECT_NEAR(servo.position(servo.joint_position(position)), position, 1e-9);
  }
}

// For each position, the server's PWM value gives the same position again.
TEST(ServoMap, PwmValuesMeanThePositionsTheyWereMadeOf) {
  for (const srvp::PwmRange range :
       {srvp::PwmRange{819, 4096}, {0, srvp::kMaxPwm}, {4096, 819}, {1000, 1360}}) {
    McuServo servo;
    servo.pwm = range;
    for (int position = 0; position <= 179; ++position) {
      const auto back = servo.position_of_pwm(srvp::pwm_of(position, range));
      ASSERT_TRUE(back.has_value());
      EXPECT_NEAR(*back, position, 0.26) << range.min << ' ' << range.max;
    }
    EXPECT_EQ(servo.position_of_pwm(range.min), 0.0);
    EXPECT_EQ(servo.position_of_pwm(range.max), 179.0);
    const int direction = range.min < range.max ? 1 : -1;
    EXPECT_FALSE(servo.position_of_pwm(range.min - direction).has_value());
    EXPECT_FALSE(servo.position_of_pwm(range.max + direction).has_value());
  }
}

TEST(ServoMap, AnEntrySaysWhatIsOtherwise) {
  Simulation simulation =
      robot_with(hinge("a", "minPosition -1 maxPosition 1") + hinge("b") + slider("c"));
  std::vector<ServoEntry> entries{entry(2, "a"), entry(0, "c"), entry(1, "b")};
  entries[0].at_179 = 45.0;
  entries[0].reverse = true;
  entries[1].at_0 = 0.25;
  entries[1].at_179 = -0.25;
  entries[2].pwm_min = 100;
  entries[2].pwm_max = 200;
  const std::vector<McuServo> servos = servos_of(simulation, entries);
  ASSERT_EQ(servos.size(), 3u);
  EXPECT_EQ(servos[2].name, "a");
  EXPECT_DOUBLE_EQ(servos[2].at_0, 45.0 * kDegree);
  EXPECT_DOUBLE_EQ(servos[2].at_179, -1.0);
  EXPECT_EQ(servos[0].at_0, 0.25);
  EXPECT_EQ(servos[0].at_179, -0.25);
  EXPECT_EQ(servos[1].pwm, (srvp::PwmRange{100, 200}));
  EXPECT_EQ(servos[0].pwm, (srvp::PwmRange{819, 4096}));
}

TEST(ServoMap, AMultiplierIsUndone) {
  Simulation simulation = robot_with(hinge("m", "multiplier -2 minPosition -1 maxPosition 1"));
  const McuServo servo = servos_of(simulation)[0];
  servo.move_to(179.0);
  EXPECT_DOUBLE_EQ(servo.motor->targets().position, 1.0);
  servo.move_to(0.0);
  EXPECT_DOUBLE_EQ(servo.motor->targets().position, -1.0);
}

constexpr double kTick = 20000.0 / 32768.0;  // [µs]

std::string real(const std::string& servo) { return "\n#servosim servo \"" + servo + "\"\n"; }

TEST(ServoMap, PulsesOfAServoArePwmValues) {
  Simulation simulation =
      robot_with(hinge("wide", real("SG90")) +
                 hinge("narrow", "minPosition -0.5 maxPosition 1" + real("SG90")) +
                 hinge("bus", real("STS3215")) +
                 hinge("turned", "multiplier -2" +
                                     real("SG90 pulses.low_position=1 pulses.high_position=-1")));
  const std::vector<McuServo> servos = servos_of(simulation);
  EXPECT_TRUE(servos[0].takes_pulses);
  // 500 and 2400 µs are the ends of an SG90 at -90° and 90°, which is position 179.
  EXPECT_EQ(servos[0].pwm.min, std::lround(500.0 / kTick));
  EXPECT_EQ(servos[0].pwm.max, std::lround((500.0 + 1900.0 * 180.0 / 179.0) / kTick));
  EXPECT_NEAR(servos[0].at_0, -90.0 * kDegree, 0.06 * kDegree);
  EXPECT_NEAR(servos[0].at_179, 90.0 * kDegree, 0.06 * kDegree);
  EXPECT_NEAR(servos[1].at_0, -0.5, 0.001);
  EXPECT_NEAR(servos[1].at_179, 1.0, 0.001);
  EXPECT_FALSE(servos[2].takes_pulses);
  EXPECT_EQ(servos[2].pwm, (srvp::PwmRange{819, 4096}));
  EXPECT_GT(servos[3].pwm.min, servos[3].pwm.max) << "position 0 is at -1 rad, the longer pulse";
  for (const McuServo& servo : servos) {
    for (const double position : {0.0, 0.4, 77.0, 90.0, 178.9}) {
      servo.move_to(position);
      // Half a step of the narrow range is 0.06.
      EXPECT_NEAR(servo.position(servo.motor->targets().position), position, 0.07) << servo.name;
      // The ends of the servo and of its motor are within a step.
      if (servo.takes_pulses && position > 1.0) {
        const double ticks = servo.motor->servo_pulse() / kTick;
        EXPECT_NEAR(ticks, std::round(ticks), 1e-9) << servo.name << ' ' << position;
      }
    }
  }
  // Two positions within one step are the same pulse.
  servos[0].move_to(90.0);
  const double target = servos[0].motor->targets().position;
  servos[0].move_to(90.005);
  EXPECT_EQ(servos[0].motor->targets().position, target);
  servos[0].move_to(90.1);
  EXPECT_NE(servos[0].motor->targets().position, target);
}

TEST(ServoMap, PwmValuesOfAMappingFileGiveThePositionsOfAServoWithPulses) {
  Simulation simulation = robot_with(hinge("a", real("SG90")));
  ServoEntry calibrated = entry(0, "a");
  calibrated.pwm_min = 1000;
  calibrated.pwm_max = 3000;
  const McuServo servo = servos_of(simulation, {calibrated})[0];
  const auto position_of = [](double ticks) {
    return (-90.0 + (ticks * kTick - 500.0) / 1900.0 * 180.0) * kDegree;
  };
  EXPECT_NEAR(servo.at_0, position_of(1000), 1e-12);
  EXPECT_NEAR(servo.joint_position(180), position_of(3000), 1e-12);
  servo.move_to(*servo.position_of_pwm(2001));
  EXPECT_NEAR(servo.motor->servo_pulse(), 2001 * kTick, 1e-9);
  calibrated.at_0 = -45.0;
  EXPECT_EQ(refusal(hinge("a", real("SG90")), {calibrated}),
            "servo 0: the positions of 'a' (SG90) follow from pwm_min and pwm_max; give these "
            "without at_0, at_179 and direction, or only those");
  EXPECT_EQ(refusal(hinge("a", real("SG90")), {entry(0, "a", -100.0, 80.0)}),
            "servo 0: -100 is beyond the pulses of 'a' (SG90), which are from -90 to 90");
}

TEST(ServoMap, RefusesWhatIsBeyondThePulsesOfAServo) {
  const auto with_pulses = [](std::optional<int> min, std::optional<int> max) {
    ServoEntry calibrated = entry(0, "a");
    calibrated.pwm_min = min;
    calibrated.pwm_max = max;
    return refusal(hinge("a", real("SG90")), {calibrated});
  };
  // 500 and 2400 µs are 819.2 and 3932.2 steps. pwm_max is the pulse of position 180.
  EXPECT_EQ(with_pulses(820, 3949), "");
  EXPECT_EQ(with_pulses(3932, 803), "");
  EXPECT_EQ(with_pulses(819, 4096),
            "servo 0: pwm_min 819 and pwm_max 4096 are beyond the pulses of 'a' (SG90), which are "
            "from 820 to 3932");
  EXPECT_TRUE(with_pulses(400, 3000).starts_with("servo 0: pwm_min 400 and pwm_max 3000 are"));
  for (const auto& [min, max] : {std::pair<std::optional<int>, std::optional<int>>{1000, {}},
                                 std::pair<std::optional<int>, std::optional<int>>{{}, 3000}}) {
    EXPECT_EQ(with_pulses(min, max),
              "servo 0: 'a' (SG90) takes pulses; give both pwm_min and pwm_max, or neither");
  }
  EXPECT_EQ(refusal(hinge("a", "minPosition -1 maxPosition 1" +
                                   real("SG90 pulses.low_position=2 pulses.high_position=3"))),
            "servo 0: the range of 'a' (SG90), from -57.29577951308232 to 57.29577951308232, is "
            "beyond its pulses, which are from 114.59155902616465 to 171.88733853924697");
}

TEST(ServoMap, KnowsWhatTheMotorReaches) {
  Simulation simulation = robot_with(hinge("a", "minPosition -0.5 maxPosition 0.5") + hinge("b"));
  ServoEntry wide = entry(0, "a");
  wide.at_0 = -90.0;
  wide.at_179 = 90.0;
  const std::vector<McuServo> servos = servos_of(simulation, {wide, entry(1, "b")});
  EXPECT_TRUE(servos[0].reaches(90.0));
  EXPECT_FALSE(servos[0].reaches(0.0));
  EXPECT_FALSE(servos[0].reaches(179.0));
  EXPECT_TRUE(servos[1].reaches(0.0));
  EXPECT_TRUE(servos_of(simulation)[0].reaches(179.0));
}

TEST(ServoMap, RefusesWhatIsNoMcu) {
  std::string many;
  for (int i = 0; i < 33; ++i) {
    many += hinge("m" + std::to_string(i));
  }
  EXPECT_EQ(refusal(many),
            "robot 'r' has 33 motors, but an MCU 32 servos at most; choose them in a mapping file");
  EXPECT_EQ(refusal(many, {entry(0, "m32")}), "");
  EXPECT_EQ(refusal(""), "robot 'r' has no motor that moves a joint, so it is no MCU");
  EXPECT_EQ(refusal(slider("x")),
            "servo 0: nothing limits the linear motor 'x'; give it minPosition and maxPosition, or "
            "at_0 and at_179 in a mapping file");
}

TEST(ServoMap, RefusesAWrongEntry) {
  const std::string two = hinge("elbow") + hinge("wrist");
  EXPECT_EQ(refusal(two, {entry(0, "elbw")}),
            "servo 0: robot 'r' has no motor 'elbw' that moves a joint; did you mean 'elbow'?");
  EXPECT_EQ(refusal(two, {entry(1, "elbow")}), "servo 1: the ids of 1 servos are 0 ... 0");
  EXPECT_EQ(refusal(two, {entry(-1, "elbow")}), "servo -1: the ids of 1 servos are 0 ... 0");
  EXPECT_EQ(refusal(two, {entry(0, "elbow"), entry(0, "wrist")}), "servo 0 is there twice");
  EXPECT_EQ(refusal(two, {entry(0, "elbow"), entry(1, "elbow")}),
            "servo 1: the joint of motor 'elbow' is another servo already");
  ServoEntry flat = entry(0, "elbow");
  flat.at_0 = flat.at_179 = 3.0;
  EXPECT_EQ(refusal(two, {flat}), "servo 0: at_0 and at_179 must be two different finite numbers");
  flat.at_179 = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal(two, {flat}), "servo 0: at_0 and at_179 must be two different finite numbers");
  ServoEntry pulse = entry(0, "elbow");
  for (const auto& [min, max] : {std::pair{5, 5}, {-1, 5}, {5, 32767}}) {
    pulse.pwm_min = min;
    pulse.pwm_max = max;
    EXPECT_EQ(refusal(two, {pulse}),
              "servo 0: pwm_min and pwm_max must be two different numbers of 0 ... 32766");
  }
}

}  // namespace
}  // namespace servosim::srvp::robot
