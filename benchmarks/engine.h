// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "scene.h"
#include "servosim/solver.h"

namespace servosim::bench {

/// A scene in one of the compared engines.
class Engine {
 public:
  virtual ~Engine() = default;
  /// Gives commands to every motor, and then takes one time step.
  virtual void step() = 0;
  /// The angle of every joint of arms [rad]; x and y of every chassis of rovers [m].
  virtual std::vector<double> positions() const = 0;
};

std::unique_ptr<Engine> make_ode(const Scene& scene);
std::unique_ptr<Engine> make_servosim(const Scene& scene, Solver solver = Solver::Tree);
/// The version that MuJoCo reports, without the last number.
std::string mujoco_version();
/// Velocity servos with a force limit, and the implicit integrator.
std::unique_ptr<Engine> make_mujoco_servo(const Scene& scene);
/// Servos that are joint dampers without a limit, and Euler's integrator.
std::unique_ptr<Engine> make_mujoco_damper(const Scene& scene);
/// btMultiBody in double precision, with this many iterations of its solver.
std::unique_ptr<Engine> make_bullet(const Scene& scene, int iterations);
/// The version in its headers, without the last number.
std::string dart_version();
/// Skeletons of DART, whose joints are servos with a force limit.
std::unique_ptr<Engine> make_dart(const Scene& scene);

}  // namespace servosim::bench
