// SPDX-License-Identifier: Apache-2.0
// Worlds for tests of the integrator "joint".
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "physics/physics_world.h"
#include "servosim/motor.h"
#include "servosim/robot.h"
#include "servosim/simulation.h"
#include "sim/world_inspector.h"

namespace servosim::test::joint_worlds {

inline LoadOptions joint_options(int evaluations = 0, double accuracy = 0.0) {
  LoadOptions options;
  options.integrator = Integrator::Joint;
  options.evaluations = evaluations;
  if (accuracy > 0.0) {
    options.accuracy = accuracy;  // else that of the world
  }
  return options;
}

// Loads a text; nothing may be reported.
inline Simulation load_joint_world(const std::string& text, int evaluations = 0,
                                   double accuracy = 0.0) {
  LoadOptions options = joint_options(evaluations, accuracy);
  options.notice = [](std::string_view message) { ADD_FAILURE() << message; };
  Simulation simulation = Simulation::from_text(text, options);
  for (const Diagnostic& diagnostic : simulation.diagnostics()) {
    ADD_FAILURE() << to_string(diagnostic);
  }
  return simulation;
}

inline std::string world_text(double step_ms, double gravity, const std::string& children) {
  return fmt::format(
      "#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep {} gravity {} physicsDisableTime 0 }}\n"
      "Robot {{ name \"r\" children [ {} ] }}\n",
      step_ms, gravity, children);
}

inline constexpr double kRod = 0.5;      // [m]
inline constexpr double kRodMass = 1.0;  // [kg]
inline constexpr double kRodInertia = kRodMass * kRod * kRod / 12.0;

// Returns rods along x that hang on hinges about y, one on the next.
inline std::string chain(int rods, const std::string& parameters = "", int number = 1) {
  return rods == 0
             ? ""
             : fmt::format(
                   "HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 anchor {} 0 0 "
                   "{} }} device RotationalMotor {{ name \"m{}\" maxTorque 100 maxVelocity 1000 }} "
                   "endPoint Solid {{ name \"s{}\" translation {} 0 0 children [ {} ] physics "
                   "Physics {{ density -1 mass {} centerOfMass [ 0 0 0 ] inertiaMatrix [ 1e-4 {} "
                   "{}, 0 0 0 ] }} }} }}",
                   number == 1 ? 0.0 : 0.5 * kRod, parameters, number, number,
                   number == 1 ? 0.5 * kRod : kRod, chain(rods - 1, parameters, number + 1),
                   kRodMass, kRodInertia, kRodInertia);
}

inline Simulation free_chain(int rods, double step_ms, double gravity, int evaluations = 0,
                             double accuracy = 0.0) {
  Simulation simulation =
      load_joint_world(world_text(step_ms, gravity, chain(rods)), evaluations, accuracy);
  for (int i = 1; i <= rods; ++i) {
    simulation.robot("r").motor("m" + std::to_string(i)).set_available_force(0.0);
  }
  return simulation;
}

// Returns the energy of a chain of rods [J].
inline double energy(const Simulation& simulation) {
  double sum = 0.0;
  for (const Body& body : WorldInspector(simulation).physics().bodies()) {
    const double* const v = body.velocity;
    const double* const w = body.spin;
    sum += 0.5 * kRodMass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) +
           0.5 * kRodInertia * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) +
           kRodMass * 9.81 * body.position[2];
  }
  return sum;
}

inline SolverCounts counts_of(const Simulation& simulation) {
  return *WorldInspector(simulation).physics().solver_counts();
}

/// Returns the energy that a chain loses on its way down, if it has none of it left [J].
inline double depth_of(int rods) {
  double depth = 0.0;
  for (int i = 0; i < rods; ++i) {
    depth += 9.81 * kRodMass * kRod * (i + 0.5);
  }
  return depth;
}

/// A saved state, a clone and the simulation itself must go on to the same bits.
inline void expect_goes_on(Simulation& simulation, std::int64_t steps) {
  const SimulationState saved = simulation.save();
  Simulation twin = simulation.clone();
  simulation.step(steps);
  const std::uint64_t hash = simulation.state_hash();
  twin.step(steps);
  EXPECT_EQ(twin.state_hash(), hash);
  simulation.restore(saved);
  simulation.step(steps);
  EXPECT_EQ(simulation.state_hash(), hash);
}

}  // namespace servosim::test::joint_worlds
