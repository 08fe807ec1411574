// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "scene.h"
#include "servosim/solver.h"

namespace servosim::bench {

/// A scene in one of the engines that are compared.
class Engine {
 public:
  virtual ~Engine() = default;
  /// Commands to every motor, then one time step.
  virtual void step() = 0;
  /// Every joint's angle [rad] of arms, x and y of every chassis [m] of rovers.
  virtual std::vector<double> positions() const = 0;
};

std::unique_ptr<Engine> make_ode(const Scene& scene);
std::unique_ptr<Engine> make_servosim(const Scene& scene, Solver solver = Solver::Tree);
/// As MuJoCo says it, without the last number.
std::string mujoco_version();
/// Velocity servos with a force limit, implicit integrator.
std::unique_ptr<Engine> make_mujoco_servo(const Scene& scene);
/// Servos that are unlimited joint dampers, Euler integrator.
std::unique_ptr<Engine> make_mujoco_damper(const Scene& scene);
/// btMultiBody in double precision with so many iterations of its solver.
std::unique_ptr<Engine> make_bullet(const Scene& scene, int iterations);
/// As its headers say it, without the last number.
std::string dart_version();
/// Skeletons of DART whose joints are servos with a force limit.
std::unique_ptr<Engine> make_dart(const Scene& scene);

}  // namespace servosim::bench
