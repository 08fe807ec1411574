// SPDX-License-Identifier: Apache-2.0
// Free play between motor and endpoint is compared with the time that it takes to cross it, and
// with a doubled joint.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/case_names.h"
#include "support/worlds.h"

namespace servosim::test {
namespace backlash_test {

constexpr double kPlay = 0.25;  // [rad|m], from flank to flank
constexpr double kSpeed = 0.5;  // [rad/s|m/s]
constexpr double kH = 0.008;    // [s], OneJoint's

// This friction stops the endpoint within a step when the flank that pushes it leaves.
const char* friction(bool slider) { return slider ? "staticFriction 150" : "staticFriction 5"; }

OneJoint loose(bool slider, const std::string& more) {
  OneJoint w;
  w.slider = slider;
  w.parameters = "backlash 0.25 " + more;
  w.motor = slider ? "maxVelocity 0.5 maxForce 300" : "maxVelocity 0.5 maxTorque 20";
  return w;
}

double shaft(Simulation& s) {
  PositionSensor& sensor = s.robot("r").position_sensor("s");
  sensor.enable(1, 0.0);
  return sensor.value();
}

void turn(Simulation& s, double speed) {
  s.robot("r").motor("m").set_position(INFINITY);
  s.robot("r").motor("m").set_velocity(speed);
}

// The motor's rows are soft: the endpoint's speed falls behind by 1e-5 per N·m or N of friction,
// and the shaft is held back with it.
double soft(bool slider) { return slider ? 2e-3 : 1e-4; }

class BothKinds : public testing::TestWithParam<bool> {};

TEST_P(BothKinds, AReversedMotorCrossesThePlayBeforeTheEndpointFollows) {
  Simulation s = load(loose(GetParam(), friction(GetParam())));
  shaft(s);
  turn(s, kSpeed);
  s.step(250);
  ASSERT_NEAR(s.joint(0).velocity(), kSpeed, soft(GetParam()));
  ASSERT_NEAR(shaft(s) - s.joint(0).position(), kPlay / 2.0, soft(GetParam()))
      << "it lags by half the play";
  turn(s, -kSpeed);
  s.step();
  const double stood = s.joint(0).position();
  int steps = 1;
  for (; std::abs(s.joint(0).position() - stood) < 1e-6; ++steps) {
    ASSERT_LT(steps, 200);
    s.step();
  }
  EXPECT_NEAR(steps * kH, kPlay / kSpeed, 1.01 * kH);  // the resolution is one step
  s.step(100);
  EXPECT_NEAR(s.joint(0).velocity(), -kSpeed, soft(GetParam()));
  EXPECT_NEAR(s.joint(0).position() - shaft(s), kPlay / 2.0, soft(GetParam()));
}

TEST_P(BothKinds, AnEndpointThatIsFreeFliesAcrossThePlay) {
  Simulation s = load(loose(GetParam(), ""));
  shaft(s);
  turn(s, kSpeed);
  s.step(125);
  const double launched = s.joint(0).velocity();
  ASSERT_NEAR(launched, kSpeed, soft(GetParam()));
  const double there = s.joint(0).position();
  turn(s, 0.0);
  // Nothing holds the endpoint until it has crossed the play at its own speed.
  const int flight = static_cast<int>(kPlay / launched / kH);
  s.step(flight - 1);
  EXPECT_NEAR(s.joint(0).velocity(), launched, 1e-12) << "nothing touches it";
  EXPECT_NEAR(s.joint(0).position() - there, (flight - 1) * kH * launched, 1e-5)
      << "but for a third of (v·h)³, by which a body turns less than it should";
  s.step(5);
  EXPECT_NEAR(s.joint(0).velocity(), 0.0, soft(GetParam())) << "caught without rebound";
  EXPECT_NEAR(s.joint(0).position() - shaft(s), kPlay / 2.0, soft(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Backlash, BothKinds, testing::Bool(), by_joint);

OneJoint hanging(double torque) {
  OneJoint w;
  w.axis = "0 -1 0";  // positive lifts the arm
  w.gravity = "9.81";
  w.endpoint = "0.3 0 0";
  w.parameters = "backlash 0.02";
  w.motor = fmt::format("maxTorque {}", torque);
  return w;
}

TEST(Backlash, ALoadStaysOnItsFlankWithoutChatter) {
  Simulation s = load(hanging(50.0));
  shaft(s);
  s.robot("r").motor("m").set_position(0.5);
  s.step(400);
  const double at = s.joint(0).position();
  // P control holds the shaft at 0.5, less what the row's softness loses: 5e-5·τ/10.
  EXPECT_NEAR(shaft(s), 0.5, 1e-5);
  EXPECT_NEAR(shaft(s) - at, 0.01, 1e-6);
  const double weight = 2.0 * 9.81 * 0.3 * std::cos(at);
  for (int n = 0; n < 200; ++n) {
    s.step();
    ASSERT_NEAR(s.joint(0).position(), at, 1e-9);
    ASSERT_NEAR(s.joint(0).velocity(), 0.0, 1e-7);
    ASSERT_NEAR(s.joint(0).effort(), weight, 1e-4) << n;
  }
}

// The load is lifted and lowered, never faster than it falls by itself (about 20 rad/s²).
TEST(Backlash, ALoadIsCarriedUpAndDownOnOneFlank) {
  Simulation s = load(hanging(50.0));
  shaft(s);
  s.step(50);
  Motor& motor = s.robot("r").motor("m");
  motor.set_velocity(2.0);
  motor.set_acceleration(5.0);
  for (const double target : {0.6, -0.4, 0.3}) {
    motor.set_position(target);
    for (int n = 0; n < 250; ++n) {
      s.step();
      ASSERT_GT(s.joint(0).effort(), 0.0) << target << ' ' << n;
      ASSERT_NEAR(shaft(s) - s.joint(0).position(), 0.01, 1e-5) << target << ' ' << n;
    }
  }
}

TEST(Backlash, ALoadThatIsTooMuchDragsTheShaft) {
  Simulation s = load(hanging(2.5));  // the weight needs 5.9 N·m at the start
  shaft(s);
  s.step(60);
  EXPECT_LT(s.joint(0).position(), -0.2);
  EXPECT_NEAR(shaft(s) - s.joint(0).position(), 0.01, 1e-12);
  // What is not carried accelerates: I·a = τ − m·g·r·cos p, with p measured over two steps.
  EXPECT_NEAR(s.joint(0).effort(), 2.5, 1e-9);
}

TEST(Backlash, WithoutForceTheShaftGoesAlong) {
  OneJoint w = hanging(0.0);
  Simulation s = load(w);
  shaft(s);
  s.step(40);
  OneJoint plain = hanging(0.0);
  plain.parameters = "";
  Simulation p = load(plain);
  p.step(40);
  EXPECT_EQ(s.joint(0).position(), p.joint(0).position());
  EXPECT_NEAR(shaft(s) - s.joint(0).position(), 0.01, 1e-15);
}

TEST(Backlash, AForceActsAtOnceFromTheFlankThatPushes) {
  Simulation s = load(loose(true, ""));
  shaft(s);
  Motor& motor = s.robot("r").motor("m");
  motor.set_force(1.5);
  s.step(10);
  EXPECT_NEAR(s.joint(0).velocity(), 10 * kH * 1.5 / 2.0, 1e-12);
  EXPECT_DOUBLE_EQ(shaft(s) - s.joint(0).position(), kPlay / 2.0);
  motor.set_force(-2.5);
  s.step(1);
  EXPECT_DOUBLE_EQ(s.joint(0).position() - shaft(s), kPlay / 2.0);
}

// The endpoint's own axes point the other way. The box is symmetric.
TEST_P(BothKinds, AnEndpointThatIsTurnedRoundHasTheSameEfforts) {
  OneJoint w = loose(GetParam(), "");
  Simulation plain = load(w);
  w.rotation = "0 1 0 3.141592653589793";
  Simulation turned = load(w);
  turn(plain, kSpeed);
  turn(turned, kSpeed);
  double most = 0.0;
  for (int n = 0; n < 60; ++n) {
    plain.step();
    turned.step();
    ASSERT_NEAR(turned.joint(0).effort(), plain.joint(0).effort(), 1e-9) << n;
    most = std::max(most, plain.joint(0).effort());
  }
  EXPECT_GT(most, 1.0);
}

// The effort is that of the present step, not of the last step in which the motor had a row.
TEST_P(BothKinds, AMotorThatLetsGoPutsNothingOnTheEndpoint) {
  Simulation s = load(loose(GetParam(), ""));
  turn(s, kSpeed);
  s.step(40);
  s.robot("r").motor("m").set_velocity(0.5 * kSpeed);
  // The endpoint crosses the play before the other flank catches it.
  for (int n = 0; n < 400 && std::abs(s.joint(0).effort()) < 0.01; ++n) {
    s.step();
  }
  ASSERT_GT(std::abs(s.joint(0).effort()), 0.01);
  s.robot("r").motor("m").set_available_force(0.0);
  s.step(2);
  EXPECT_NEAR(s.joint(0).effort(), 0.0, 1e-12);
}

TEST(Backlash, ThePlayIsAllOfIt) {
  Simulation s = load(loose(false, friction(false)));
  shaft(s);
  double most = -1.0;
  double least = 1.0;
  for (const double speed : {kSpeed, -kSpeed}) {
    turn(s, speed);
    for (int n = 0; n < 300; ++n) {
      s.step();
      most = std::max(most, shaft(s) - s.joint(0).position());
      least = std::min(least, shaft(s) - s.joint(0).position());
    }
  }
  EXPECT_NEAR(most - least, kPlay, 1e-12);
}

// Both flanks take part in every step, even if the motor reverses abruptly.
TEST(Backlash, NextToNoneIsLikeNone) {
  OneJoint w = hanging(50.0);
  w.parameters = "backlash 1e-6";
  Simulation tiny = load(w);
  w.parameters = "";
  Simulation plain = load(w);
  for (int n = 0; n < 500; ++n) {
    for (Simulation* s : {&tiny, &plain}) {
      s->robot("r").motor("m").set_position(n / 100 % 2 == 0 ? 1.1 : -0.4);
      s->step();
    }
    // ODE turns a body by (v·h)³/12 less than v·h, which is more than this play. So the shaft may
    // change flanks in each of the 20 steps of fast motion.
    ASSERT_NEAR(tiny.joint(0).position(), plain.joint(0).position(), 20 * 1e-6) << n;
    // Turning 0.24 kg·m² by 1e-6 rad within a step of 8 ms takes 0.004 N·m. This happens a few
    // times.
    ASSERT_NEAR(tiny.joint(0).effort(), plain.joint(0).effort(), 0.02) << n;
  }
}

TEST(Backlash, OfZeroIsNone) {
  OneJoint w = hanging(50.0);
  w.parameters = "";
  Simulation plain = load(w);
  w.parameters = "backlash 0";
  Simulation zero = load(w);
  for (Simulation* s : {&plain, &zero}) {
    s->robot("r").motor("m").set_position(0.4);
    s->step(100);
  }
  EXPECT_EQ(plain.state_hash(), zero.state_hash());
}

TEST(Backlash, WithADynamicParentToo) {
  OneJoint w = loose(false, friction(false));
  w.heavy_parent = true;
  Simulation s = load(w);
  shaft(s);
  s.robot("r").motor("m").enable(8, 0.0);
  turn(s, kSpeed);
  s.step(30);
  EXPECT_NEAR(s.joint(0).position(), 0.0, 1e-9) << "0.12 rad on the way";
  EXPECT_NEAR(s.robot("r").motor("m").sampler().value(), 0.0, 1e-9);
  s.step();
  s.step();
  // The shaft takes the endpoint along at once, and the force feedback is what the flank pushes
  // with.
  EXPECT_NEAR(s.robot("r").motor("m").sampler().value(), s.joint(0).effort(), 1e-6);
  EXPECT_GT(s.joint(0).effort(), 1.0);
  s.step(100);
  EXPECT_NEAR(shaft(s) - s.joint(0).position(), kPlay / 2.0, soft(false));
}

TEST(Backlash, ABlockedEndpointStopsTheShaft) {
  OneJoint w = loose(true, "minStop -3 maxStop 0.125");
  Simulation s = load(w);
  shaft(s);
  turn(s, kSpeed);
  s.step(250);
  EXPECT_NEAR(s.joint(0).position(), 0.125, 1e-3) << "ODE's stops give way a little to 300 N";
  EXPECT_NEAR(shaft(s) - s.joint(0).position(), kPlay / 2.0, 1e-12);
  turn(s, -kSpeed);
  s.step(70);  // the endpoint crosses the play in 0.5 s
  EXPECT_NEAR(s.joint(0).position(), 0.125 - 0.06 * kSpeed, 2.0 * kH * kSpeed);
}

// The shaft holds still. The endpoint is knocked to and fro between its flanks and can only lose
// speed.
TEST(Backlash, GivesNoEnergy) {
  Simulation s = load(loose(true, ""));
  turn(s, 0.0);  // in position control the motor would correct what a knock displaces
  s.joint(0).set_state(0.05, 1.7);
  double speed = 1.7;
  for (int n = 0; n < 500; ++n) {
    s.step();
    const double now = std::abs(s.joint(0).velocity());
    ASSERT_LE(now, speed + 1e-12) << n;
    speed = now;
  }
  EXPECT_LT(speed, 0.1);
}

TEST(Backlash, PuttingTheJointElsewhereTakesTheShaftAlong) {
  Simulation s = load(loose(false, friction(false)));
  shaft(s);
  s.joint(0).set_state(0.75, 0.0);
  s.robot("r").motor("m").set_position(0.75);
  s.step(10);
  EXPECT_NEAR(shaft(s), 0.75, 1e-9);
  EXPECT_NEAR(s.joint(0).position(), 0.75, 1e-9);
}

// The endpoint takes 2.5 s to cross the play, and bodies sleep after 1 s at rest.
TEST(Backlash, AShaftThatArrivesWakesASleepingEndpoint) {
  std::string text = world_text(loose(false, friction(false)));
  text.replace(text.find("physicsDisableTime 0"), 20, "physicsDisableTime 1");
  Simulation s = load(text);
  shaft(s);
  turn(s, kSpeed / 10.0);
  s.step(312);
  EXPECT_NEAR(s.joint(0).position(), 0.0, 1e-9);
  s.step(125);
  EXPECT_NEAR(s.joint(0).velocity(), kSpeed / 10.0, soft(false));
  EXPECT_NEAR(s.joint(0).position(), 3.496 * kSpeed / 10.0 - kPlay / 2.0, 0.001);
}

// Users of Webots model backlash this way: a motor turns a light body, and the arm turns freely on
// that body between two stops.
std::string doubled(double time_step_ms) {
  return fmt::format(R"(#VRML_SIM R2023b utf8
WorldInfo {{ basicTimeStep {} gravity 9.81 physicsDisableTime 0 }}
Robot {{ name "r" children [
  HingeJoint {{
    jointParameters HingeJointParameters {{ axis 0 -1 0 }}
    device [ RotationalMotor {{ name "m" maxTorque 50 maxVelocity 2 }} PositionSensor {{ name "s" }} ]
    endPoint Solid {{
      name "shaft"
      children [
        HingeJoint {{
          jointParameters HingeJointParameters {{ axis 0 -1 0 minStop -0.05 maxStop 0.05 }}
          endPoint Solid {{
            name "end"
            translation 0.3 0 0
            boundingObject Box {{ size 0.6 0.2 0.1 }}
            physics Physics {{ density -1 mass 2 }}
          }}
        }}
      ]
      physics Physics {{ density -1 mass 0.02 centerOfMass [ 0 0 0 ]
        inertiaMatrix [ 1e-4 1e-4 1e-4, 0 0 0 ] }}
    }}
  }}
] }})",
                     time_step_ms);
}

class TimeSteps : public testing::TestWithParam<double> {};

// The arm lifts, falls through the play at the upright and comes back, twice. ODE's stops notice
// the endpoint one step late. There the two models differ by what the flanks approach each other in
// a step, at 2.5 rad/s or less. Each move takes 2 s, and the difference is gone by its end.
TEST_P(TimeSteps, MovesLikeADoubledJoint) {
  OneJoint w = hanging(50.0);
  w.parameters = "backlash 0.1";
  w.motor += " maxVelocity 2";
  w.time_step_ms = GetParam();
  Simulation one = load(w);
  Simulation two = load(doubled(w.time_step_ms));
  shaft(one);
  const double late = 2.5 * w.time_step_ms / 1000.0;
  for (const double target : {0.9, 1.9, 0.7, 2.1}) {  // on both sides of the upright
    for (Simulation* s : {&one, &two}) {
      s->robot("r").motor("m").set_position(target);
    }
    const double end = one.time() + 2.0;
    double difference = 0.0;
    while (one.time() < end) {
      one.step();
      two.step();
      difference = one.joint(0).position() - two.joint(0).position() - two.joint(1).position();
      ASSERT_NEAR(difference, 0.0, late) << one.time();
      ASSERT_NEAR(shaft(one), two.joint(0).position(), late) << one.time();
    }
    EXPECT_NEAR(difference, 0.0, 1e-4) << target;
    EXPECT_NEAR(std::abs(shaft(one) - one.joint(0).position()), 0.05, 1e-5) << target;
  }
}

INSTANTIATE_TEST_SUITE_P(Backlash, TimeSteps, testing::Values(8.0, 2.0),
                         [](const auto& test) { return fmt::format("Step{}ms", test.param); });

}  // namespace backlash_test
}  // namespace servosim::test
