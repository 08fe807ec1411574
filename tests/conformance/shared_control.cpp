// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "conformance/shared_behaviour.h"

namespace servosim::test {

void positions_are_radians_or_metres(Kind kind) {
  for (const Bench& bench : both_types({.kind = kind})) {
    Rig rig(bench);
    rig.go_to(0.45);
    rig.run(3.0);
    EXPECT_NEAR(rig.moved(), 0.45, kHeld) << bench.linear;
  }
}

void limits_count_from_zero(Kind kind) {
  for (const Bench& bench : both_types({.kind = kind,
                            .motor = "minPosition -0.2 maxPosition 0.7",
                            .joint = "position 0.3 minStop -0.4 maxStop 0.8"})) {
    Rig rig(bench);
    rig.go_to(2.0);
    EXPECT_EQ(contains(rig.take_messages(), "2 replaced by 0.7"), kind != Kind::Board);
    rig.run(3.0);
    EXPECT_NEAR(rig.moved(), 0.7, kHeld) << bench.linear;
    if (kind == Kind::Board) {
      continue;  // a board does not push a joint out of its soft limits
    }
    rig.motor.set_force(1.5);
    rig.run(3.0);
    EXPECT_NEAR(rig.moved(), 0.8, kHeld) << "a stop" << bench.linear;
  }
}

void position_control_is_the_standard_way(Kind kind) {
  for (const Bench& bench :
       both_types({.kind = kind, .motor = "maxForce 40", .arm = true, .weighed = true})) {
    Rig rig(bench);
    rig.run(2.0);
    EXPECT_NEAR(rig.position(), 0.0, rig.held()) << "held where it is, before any command";
    rig.go_to(-0.4);
    rig.run(3.0);
    EXPECT_NEAR(rig.position(), -0.4, rig.held());
    EXPECT_FALSE(rig.motor.targets().force_control);
  }
}

void a_target_is_pursued_within_velocity_acceleration_and_force(Kind kind) {
  for (const Bench& bench : both_types({.kind = kind, .motor = "maxForce 40"})) {
    Rig rig(bench);
    rig.bound_velocity(0.9);
    rig.bound_acceleration(3.0);
    rig.track(1.2);
    rig.run(0.16);
    // The motor row slips by m·a·CFM = 6e-5 or less. A board's joint is where its reference is, so
    // its velocity lags by half a step.
    const double lag = rig.board ? 3.0 * kStep / 2.0 : 0.0;
    EXPECT_NEAR(rig.velocity(), 3.0 * 0.16, kHeld + lag) << "acceleration";
    rig.run(0.4);
    EXPECT_NEAR(rig.velocity(), 0.9, kHeld) << "velocity";
    rig.run(4.0);
    EXPECT_NEAR(rig.position(), 1.2, kHeld) << "target";
    rig.bound_acceleration(INFINITY);
    rig.bound_force(0.05);
    rig.track(-2.0);
    rig.run(0.16);
    EXPECT_NEAR(rig.velocity(), -0.05 * 0.16 / rig.inertia(), 1e-6) << "force";
  }
}

void position_control_has_three_stages(Kind kind) {
  for (const Bench& bench : both_types({.kind = kind, .motor = "maxForce 1.5 controlP 6"})) {
    Rig rig(bench);
    rig.motor.set_position(0.25);
    EXPECT_EQ(rig.motor.commanded_velocity(), 0.0) << "the controller has spoken, no more";
    rig.run(kStep);
    EXPECT_DOUBLE_EQ(rig.motor.commanded_velocity(), 1.5) << "the law has answered";
    EXPECT_NEAR(rig.velocity(), kStep * 1.5 / rig.inertia(), 1e-9) << "the physics did its part";
  }
}

void the_controller_chooses_the_parameters(Kind kind) {
  Rig rig({.kind = kind});
  rig.track(0.35);
  rig.bound_velocity(1.25);
  rig.bound_acceleration(4.5);
  rig.bound_force(6.5);
  EXPECT_DOUBLE_EQ(rig.target(), 0.35);
  EXPECT_DOUBLE_EQ(rig.bounds().velocity, 1.25);
  EXPECT_DOUBLE_EQ(rig.bounds().acceleration, 4.5);
  EXPECT_EQ(rig.bounds().force, 6.5);
  EXPECT_EQ(rig.position(), 0.0) << "nothing moves until the simulation steps";
}

void the_law_computes_the_velocity(Kind kind) {
  for (const Bench& bench : both_types({.kind = kind, .motor = "controlP 4"})) {
    Rig rig(bench);
    rig.motor.set_position(0.35);
    rig.run(kStep);
    EXPECT_DOUBLE_EQ(rig.motor.commanded_velocity(), 4.0 * 0.35);
  }
}

void the_physics_carries_it_out(Kind kind) {
  for (const Bench& bench : both_types({.kind = kind, .motor = "maxForce 2.5 controlP 30"})) {
    Rig rig(bench);
    rig.go_to(8.0);
    rig.run(7 * kStep);
    if (kind != Kind::Board) {
      EXPECT_DOUBLE_EQ(rig.motor.commanded_velocity(), 10.0);
    }
    // The mass gets the motor's whole force. The hinge turns about a principal axis.
    EXPECT_NEAR(rig.velocity(), 7 * kStep * 2.5 / rig.inertia(), 1e-9);
    EXPECT_LT(rig.velocity(), 10.0) << "the motor was too weak";
  }
}

namespace {

// Computes the law of the document on the positions that the joint really has, and compares.
void expect_law(Rig& rig, const PidGains& gains, double velocity, double acceleration) {
  const double target = rig.motor.targets().position;
  double integral = 0.0;
  double previous_error = 0.0;
  double v = rig.motor.commanded_velocity();
  bool fast = false;
  bool hurried = false;
  for (int n = 0; n < 250; ++n) {
    const double error = target - rig.position();
    integral += error * kStep;
    // The document has previous_error - error here: docs/explanation/deviations.md, D term.
    const double derivative = (error - previous_error) / kStep;
    previous_error = error;
    const double wanted = gains.p * error + gains.i * integral + gains.d * derivative;
    const double bounded = std::clamp(wanted, -velocity, velocity);
    const double a = (bounded - v) / kStep;
    v += std::clamp(a, -acceleration, acceleration) * kStep;
    fast = fast || bounded != wanted;
    hurried = hurried || std::abs(a) > acceleration;
    rig.run(kStep);
    // Both do the same operations in a different order, on numbers below 100.
    ASSERT_NEAR(rig.motor.commanded_velocity(), v, 1e-10) << n;
    // The motor row slips by effort·CFM.
    ASSERT_NEAR(rig.velocity(), v, 2e-4) << n;
  }
  EXPECT_TRUE(fast && hurried) << "both limits took part";
}

}  // namespace

void the_law_runs_at_each_step(Kind kind, const PidGains& gains) {
  for (const Bench& bench : both_types(
           {.kind = kind, .motor = "maxForce 90 maxVelocity 1.6 acceleration 6 controlP 7"})) {
    Rig rig(bench);
    if (kind == Kind::Motor) {
      rig.motor.set_control_pid(gains);
    }
    rig.motor.set_position(0.9);
    expect_law(rig, gains, 1.6, 6.0);
  }
}

void the_laws_parameters_come_from_fields_and_functions(Kind kind) {
  for (const Bench& bench : both_types(
           {.kind = kind, .motor = "maxForce 90 maxVelocity 1.6 acceleration 6 controlP 7"})) {
    Rig fields(bench);
    fields.motor.set_position(0.7);
    expect_law(fields, {7.0, 0.0, 0.0}, 1.6, 6.0);
    Rig functions(bench);
    functions.motor.set_control_pid({11.0, 0.0, 0.0});
    functions.motor.set_velocity(1.1);
    functions.motor.set_acceleration(4.0);
    functions.motor.set_position(-0.8);
    expect_law(functions, {11.0, 0.0, 0.0}, 1.1, 4.0);
  }
}

void velocity_control_replaces_position_control(Kind kind) {
  for (const Bench& bench : both_types({.kind = kind, .motor = "maxForce 90"})) {
    Rig rig(bench);
    rig.endless(1.3);
    rig.run(0.4);
    const double start = rig.position();
    rig.run(2.0);
    // No target slows the joint down. ODE's small-angle turn loses (h·v)³/12 = 9e-8 in each of 250
    // steps.
    EXPECT_NEAR(rig.velocity(), 1.3, kind == Kind::Board ? kHeld : 1e-9);
    EXPECT_NEAR(rig.position() - start, 2.6, 3e-5);
  }
}

void velocity_control_takes_two_calls(Kind kind) {
  for (const Bench& bench : both_types({.kind = kind, .motor = "maxForce 90 maxVelocity 1.7"})) {
    Rig rig(bench);
    rig.motor.set_velocity(0.6);
    rig.run(1.0);
    EXPECT_NEAR(rig.position(), 0.0, kHeld) << "the second call alone bounds position control";
    rig.motor.set_position(INFINITY);
    rig.run(1.0);
    EXPECT_NEAR(rig.velocity(), 0.6, kHeld);
    rig.motor.set_velocity(-1.4);
    rig.run(0.5);
    EXPECT_NEAR(rig.velocity(), -1.4, kHeld) << "or negative";
  }
}

void velocity_control_moves_on_within_its_limits(Kind kind) {
  for (const Bench& bench : both_types({.kind = kind, .motor = "maxForce 60"})) {
    Rig rig(bench);
    rig.bound_acceleration(2.5);
    rig.endless(3.0);
    rig.run(0.4);
    EXPECT_NEAR(rig.velocity(), 2.5 * 0.4, kHeld) << "acceleration";
    rig.run(4.0);
    // A board controls the position, so it corrects the (h·v)³/12 that ODE's turn loses in a step.
    const double lost = rig.board ? std::pow(kStep * 3.0, 3) / 12.0 / kStep : 0.0;
    EXPECT_NEAR(rig.velocity(), 3.0, kHeld + lost) << "goes on";
    Rig weak(bench);
    weak.bound_force(0.06);
    weak.endless(3.0);
    weak.run(0.4);
    EXPECT_NEAR(weak.velocity(), 0.06 * 0.4 / weak.inertia(), 1e-6) << "force";
  }
}

void velocity_6_28_is_one_turn_a_second(Kind kind) {
  Rig rig({.kind = kind});
  rig.endless(6.28);
  rig.run(0.4);
  const double start = rig.position();
  rig.run(1.0);
  // ODE's small-angle turn loses (h·v)³/12 = 1.1e-5 in each of 125 steps.
  EXPECT_NEAR(rig.position() - start, 6.28, 2e-3);
}

void both_controls_drive_an_ode_motor(Kind kind) {
  for (const Bench& bench : both_types(
           {.kind = kind, .motor = "maxForce 400", .arm = true, .weighed = true, .cfm = 1e-3})) {
    Rig rig(bench);
    rig.run(5.0);
    // ODE's row is J·v + CFM·λ = P·e, so a held weight sags by CFM·weight/P. The moment of a sagged
    // arm is smaller by the square of that angle, and its anchor yields, too.
    const double sag = 1e-3 * rig.weight() / 10.0;
    EXPECT_NEAR(rig.position(), sag, 1e-2 * sag) << bench.linear;
    rig.endless(-1.2);
    rig.run(4 * kStep);
    EXPECT_NEAR(rig.velocity(), -1.2 + 1e-3 * rig.weight(), 2e-2) << bench.linear;
    EXPECT_LT(rig.velocity(), -1.0);
  }
}

void a_force_can_be_specified_directly(Kind kind) {
  for (const Bench& bench : both_types({.kind = kind})) {
    for (const double force : {1.5, -0.7}) {
      Rig rig(bench);
      rig.push(force);
      rig.run(30 * kStep);
      EXPECT_NEAR(rig.velocity(), 30 * kStep * force / rig.inertia(), 1e-9);
      EXPECT_NEAR(rig.effort(), force, 1e-9);
    }
  }
}

void a_force_switches_the_rest_off(Kind kind) {
  for (const Bench& bench : both_types({.kind = kind})) {
    Rig rig(bench);
    rig.go_to(-0.5);
    rig.run(0.2);
    rig.simulation.joint(0).set_state(0.1, 0.6);
    rig.push(0.3);
    rig.run(20 * kStep);
    // No target pulls, and no motor brakes.
    EXPECT_NEAR(rig.velocity(), 0.6 + 20 * kStep * 0.3 / rig.inertia(), 1e-9);
    EXPECT_EQ(rig.motor.targets().force_control, kind != Kind::Board);
  }
}

void a_position_restores_position_control(Kind kind) {
  for (const Bench& bench : both_types({.kind = kind})) {
    Rig rig(bench);
    rig.push(1.5);
    rig.run(0.1);
    EXPECT_GT(rig.velocity(), 0.05);
    rig.go_to(-0.25);
    rig.run(4.0);
    EXPECT_NEAR(rig.position(), -0.25, kHeld);
    EXPECT_FALSE(rig.motor.targets().force_control);
  }
}

void a_force_acts_continuously(Kind kind) {
  for (const Bench& bench : both_types({.kind = kind})) {
    Rig rig(bench);
    rig.push(0.4);
    const double gain = 25 * kStep * 0.4 / rig.inertia();
    for (int window = 1; window <= 4; ++window) {
      rig.run(25 * kStep);
      EXPECT_NEAR(rig.velocity(), window * gain, 1e-9) << "one call is enough";
    }
  }
}

void a_force_accelerates_without_end_unless_it_is_controlled(Kind kind) {
  for (const Bench& bench : both_types({.kind = kind})) {
    Rig rig(bench);
    rig.push(1.5);
    rig.run(30.0);
    EXPECT_NEAR(rig.velocity() / (30.0 * 1.5 / rig.inertia()), 1.0, 1e-6);
    Rig controlled(bench);
    for (int n = 0; n < 1000; ++n) {
      const double stiffness = 40.0 * controlled.inertia();
      controlled.push(stiffness * (0.4 - controlled.position()) -
                      0.3 * stiffness * controlled.velocity());
      controlled.run(kStep);
    }
    controlled.take_messages();  // the first steps may ask for more than the motor has
    EXPECT_NEAR(controlled.position(), 0.4, kHeld) << "a spring and damper of the controller's own";
  }
}

}  // namespace servosim::test
