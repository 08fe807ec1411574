// SPDX-License-Identifier: Apache-2.0
// The control of errors of the integrator "joint": docs/explanation/integrators.md has the numbers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "analytic/joint_worlds.h"
#include "servosim/joint.h"
#include "servosim/motor.h"
#include "servosim/robot.h"
#include "servosim/simulation.h"

namespace servosim::test {
namespace joint_accuracy_test {

using namespace joint_worlds;

constexpr double kAccuracy = 2e-4;  // [rad]

struct Fall {
  double worst = 0.0;  // of the energy, as a share of the depth
  JointCounts counts;
};

Fall fall_of(int rods, double step_ms, double accuracy) {
  Simulation simulation = free_chain(rods, step_ms, 9.81, 0, accuracy);
  const double start = energy(simulation);
  Fall fall;
  while (simulation.time() < 10.0 - 1e-6) {
    simulation.step();
    fall.worst = std::max(fall.worst, std::abs(energy(simulation) - start) / depth_of(rods));
  }
  fall.counts = counts_of(simulation).joint;
  return fall;
}

TEST(JointIntegratorAccuracy, KeepsTheEnergyOfFallingPendulums) {
  for (const int rods : {2, 3}) {
    for (const double step_ms : {8.0, 16.0}) {
      const Fall free = fall_of(rods, step_ms, 0.0);
      const Fall held = fall_of(rods, step_ms, kAccuracy);
      const std::string which = fmt::format("{} rods at {} ms", rods, step_ms);
      EXPECT_LT(held.worst, step_ms == 8.0 ? 0.001 : 0.01) << which;
      EXPECT_LT(held.counts.mean_evaluations(), 3.0 * free.counts.mean_evaluations()) << which;
      EXPECT_GT(held.counts.divided, free.counts.divided) << which;
      RecordProperty(
          fmt::format("rods_{}_step_{}", rods, step_ms),
          fmt::format("{} evaluations and {} divided of {}, instead of {} and {}",
                      held.counts.mean_evaluations(), held.counts.divided, held.counts.islands,
                      free.counts.mean_evaluations(), free.counts.divided));
    }
  }
}

// Returns how far the joints are from where they are with short steps after about a second.
double error_of(int rods, double step_ms, double accuracy) {
  Simulation simulation = free_chain(rods, step_ms, 9.81, 0, accuracy);
  Simulation fine = free_chain(rods, 0.25, 9.81);
  simulation.step(64);
  fine.step(std::lround(64.0 * step_ms / 0.25));
  double worst = 0.0;
  for (int j = 0; j < rods; ++j) {
    worst = std::max(worst, std::abs(simulation.joint(j).position() - fine.joint(j).position()));
  }
  return worst;
}

TEST(JointIntegratorAccuracy, ComesNearerToTheTruth) {
  for (const int rods : {2, 3}) {
    const double free = error_of(rods, 16.0, 0.0);
    const double held = error_of(rods, 16.0, kAccuracy);
    const double fine = error_of(rods, 16.0, kAccuracy / 20.0);
    EXPECT_LT(held, 0.6 * free) << rods;
    EXPECT_LT(fine, 0.2 * held) << rods;
    RecordProperty(fmt::format("rods_{}", rods), fmt::format("{} {} {}", free, held, fine));
  }
}

// A step is divided if its estimated error is too large, which is near the true one. Nothing is
// known of a motion before a set state, nor after a single step of it.
TEST(JointIntegratorAccuracy, DividesByTheErrorOfTheStep) {
  const auto after = [](double step_ms, std::int64_t steps, double accuracy, JointCounts* counts) {
    Simulation simulation = free_chain(1, step_ms, 9.81, 0, accuracy);
    simulation.joint(0).set_state(0.5, 3.0);
    simulation.step(steps);
    if (counts != nullptr) {
      *counts = counts_of(simulation).joint;
    }
    return simulation.joint(0).position();
  };
  const double error = std::abs(after(16.0, 1, 0.0, nullptr) - after(0.25, 64, 0.0, nullptr));
  EXPECT_GT(error, 1e-6);
  JointCounts counts;
  after(16.0, 1, 1.3 * error, &counts);
  EXPECT_EQ(counts.divided, 0u);
  const double divided = after(16.0, 1, 0.75 * error, &counts);
  EXPECT_EQ(counts.divided, 1u);
  // Two parts have a quarter of the error.
  EXPECT_NEAR(std::abs(divided - after(0.25, 64, 0.0, nullptr)), 0.25 * error, 0.06 * error);
}

// The error of Euler's rule in free fall is h²·g/2. Of four parts it is a quarter.
TEST(JointIntegratorAccuracy, DividesStepsOfOneEvaluation) {
  const auto fall = [](double accuracy) {
    Simulation simulation = load_joint_world(
        world_text(
            8.0, 10.0,
            "SliderJoint { jointParameters JointParameters { axis 0 0 1 } endPoint Solid { "
            "physics Physics { density -1 mass 2 } boundingObject Box { size 0.1 0.1 0.1 } } }"),
        1, accuracy);
    simulation.step(100);
    return simulation.joint(0).position();
  };
  EXPECT_NEAR(fall(3.3e-4), -10.0 * 0.008 * 0.008 * 5050.0, 1e-12);
  EXPECT_NEAR(fall(1.0e-4), -10.0 * 0.002 * 0.002 * 80200.0, 1e-12);
}

TEST(JointIntegratorAccuracy, LeavesStepsWithoutErrorWhole) {
  constexpr double kFine = 1e-9;
  // Free fall, an arm that turns freely, and a motor that drives another.
  Simulation fall = load_joint_world(
      world_text(
          16.0, 9.81,
          "SliderJoint { jointParameters JointParameters { axis 0 0 1 } endPoint Solid { "
          "physics Physics { density -1 mass 2 } boundingObject Box { size 0.1 0.1 0.1 } } }"),
      0, kFine);
  Simulation arm = free_chain(1, 16.0, 0.0, 0, kFine);
  arm.joint(0).set_state(0.0, 10.0);
  Simulation driven = load_joint_world(world_text(16.0, 9.81, chain(1)), 0, kFine);
  Motor& motor = driven.robot("r").motor("m1");
  motor.set_position(std::numeric_limits<double>::infinity());
  motor.set_velocity(5.0);
  for (Simulation* const simulation : {&fall, &arm, &driven}) {
    simulation->step(50);
    EXPECT_EQ(counts_of(*simulation).joint.divided, 0u);
    EXPECT_EQ(counts_of(*simulation).joint.islands, 50u);
  }
}

// An arm that turns by 1.28 rad in a step has no error, but an estimate could not tell.
TEST(JointIntegratorAccuracy, DividesLongTurns) {
  Simulation simulation = free_chain(1, 32.0, 0.0, 0, 0.5);
  simulation.joint(0).set_state(0.0, 40.0);
  simulation.step(20);
  EXPECT_EQ(counts_of(simulation).joint.divided, 20u);
  EXPECT_NEAR(simulation.joint(0).position(), 20 * 1.28, 1e-9);
}

TEST(JointIntegratorAccuracy, DividesIntoAtMostSixtyFourParts) {
  Simulation simulation = free_chain(3, 32.0, 9.81, 0, 1e-15);
  simulation.step(100);
  EXPECT_TRUE(std::isfinite(energy(simulation)));
  EXPECT_EQ(counts_of(simulation).joint.islands, 100u);
  EXPECT_LT(counts_of(simulation).joint.mean_evaluations(), 64.0 * 8.0);
  EXPECT_GT(counts_of(simulation).joint.mean_evaluations(), 64.0);
}

TEST(JointIntegratorAccuracy, GoesOnBitForBit) {
  Simulation simulation = free_chain(3, 16.0, 9.81, 0, kAccuracy);
  simulation.step(100);
  expect_goes_on(simulation, 200);
  EXPECT_GT(counts_of(simulation).joint.divided, 0u);
}

// A spring that a step does not resolve swings in parts that do.
TEST(JointIntegratorAccuracy, ResolvesAStiffSpring) {
  const double inertia = kRodInertia + kRodMass * 0.25 * kRod * kRod;
  const double stiffness = inertia * 4e4;  // 200 rad/s: 3.2 rad of its phase in 16 ms
  const auto swing = [&](double accuracy) {
    Simulation simulation = load_joint_world(
        world_text(16.0, 0.0, chain(1, fmt::format("springConstant {}", stiffness))), 0, accuracy);
    simulation.robot("r").motor("m1").set_available_force(0.0);
    simulation.joint(0).set_state(0.1, 0.0);
    double greatest = 0.0;
    for (int n = 0; n < 60; ++n) {
      simulation.step();
      greatest = std::max(n < 40 ? 0.0 : greatest, std::abs(simulation.joint(0).position()));
    }
    return greatest;
  };
  EXPECT_LT(swing(0.0), 0.05);
  EXPECT_GT(swing(1e-5), 0.099);
}

// A stop throws back at most ERP of the way that the joint goes in a step, however the step is
// divided: 0.2·1.4·9.4 rad/s here.
TEST(JointIntegratorAccuracy, GetsNoEnergyFromAStop) {
  for (const double step_ms : {1.0, 2.0, 4.0, 8.0}) {
    for (const double accuracy : {1e-5, 1e-6, 1e-7}) {
      Simulation simulation = load_joint_world(
          world_text(
              step_ms, 9.81,
              "HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 minStop -3 maxStop "
              "0.5 } endPoint Solid { translation 0.1 0 0 physics Physics { density -1 mass 0.1 "
              "centerOfMass [ 0 0 0 ] inertiaMatrix [ 1e-4 1e-4 1e-4, 0 0 0 ] } } }"),
          0, accuracy);
      double fastest = 0.0;
      double back = 0.0;
      while (simulation.time() < 0.8 - 1e-6) {
        simulation.step();
        fastest = std::max(fastest, simulation.joint(0).velocity());
        back = std::max(back, -simulation.joint(0).velocity());
      }
      const std::string which = fmt::format("accuracy {} at {} ms", accuracy, step_ms);
      EXPECT_GT(fastest, 8.5) << which;
      EXPECT_LT(fastest, 9.8) << which;
      EXPECT_LT(back, 2.8) << which;
    }
  }
}

// A spring of one evaluation loses energy by the implicit rule, and less in the parts of a step.
TEST(JointIntegratorAccuracy, KeepsASpringOfOneEvaluation) {
  const auto amplitude = [](double accuracy) {
    Simulation simulation = load_joint_world(
        world_text(
            16.0, 0.0,
            "SliderJoint { jointParameters JointParameters { axis 1 0 0 springConstant 100 } "
            "endPoint Solid { physics Physics { density -1 mass 1 centerOfMass [ 0 0 0 ] "
            "inertiaMatrix [ 0.01 0.01 0.01, 0 0 0 ] } } }"),
        1, accuracy);
    simulation.joint(0).set_state(0.1, 0.0);
    simulation.step(125);
    const double rate = simulation.joint(0).velocity() / 10.0;
    return std::hypot(simulation.joint(0).position(), rate);
  };
  EXPECT_LT(amplitude(0.0), 0.03);
  EXPECT_GT(amplitude(1e-6), 0.09);
}

// The law of a servo is made for the whole step, so no accuracy divides its steps.
TEST(JointIntegratorAccuracy, LeavesTheStepsOfServosWhole) {
  for (const int evaluations : {0, 1}) {
    const auto turn = [evaluations](double accuracy, JointCounts& counts) {
      LoadOptions options = joint_options(evaluations, accuracy);
      options.notice = [](std::string_view) {};
      Simulation simulation = Simulation::from_text(
          world_text(16.0, 9.81,
                     "HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 } device "
                     "RotationalMotor { name \"m\" servo \"XL330-M288\" } endPoint Solid { "
                     "translation 0.1 0 0 physics Physics { density -1 mass 0.1 centerOfMass [ 0 0 "
                     "0 ] inertiaMatrix [ 1e-4 1e-4 1e-4, 0 0 0 ] } } }"),
          options);
      simulation.robot("r").motor("m").set_position(1.0);
      simulation.step(4);
      counts = counts_of(simulation).joint;
      return simulation.joint(0).position();
    };
    JointCounts free;
    JointCounts held;
    const double position = turn(0.0, free);
    EXPECT_GT(position, 0.2);
    EXPECT_NEAR(turn(1e-7, held), position, 1e-3) << evaluations;  // without this, 0.015 away
    EXPECT_EQ(held.divided, free.divided) << evaluations;
  }
}

TEST(JointIntegratorAccuracy, IsChosenByTheWorld) {
  const auto divided = [](const std::string& fields) {
    Simulation simulation = load_joint_world(
        fmt::format("#VRML_SIM R2025a utf8\nWorldInfo {{ integrator \"joint\" {} }}\nRobot {{ name "
                    "\"r\" children [ {} ] }}\n",
                    fields, chain(2)));
    for (const char* const motor : {"m1", "m2"}) {
      simulation.robot("r").motor(motor).set_available_force(0.0);
    }
    simulation.step(40);
    return counts_of(simulation).joint.divided;
  };
  EXPECT_LT(divided(""), divided("accuracy 1e-5"));
}

}  // namespace joint_accuracy_test
}  // namespace servosim::test
