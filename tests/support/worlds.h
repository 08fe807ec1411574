// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>

#include "servosim/simulation.h"
#include "support/solver.h"

// Small worlds for tests, as text. The z axis is up.

namespace servosim::test {

/// Describes a world with one joint. Its axis is z for a hinge and x for a slider, so that gravity
/// does no work unless `axis` is given.
struct OneJoint {
  bool slider = false;
  bool heavy_parent = false;  ///< the parent has Physics and 1e9 kg instead of being static
  std::string axis;           ///< default: "0 0 1" for a hinge, "1 0 0" for a slider
  std::string parameters;     ///< further joint parameters
  std::string motor;          ///< further motor fields
  std::string gravity = "0";
  double time_step_ms = 8.0;
  double mass = 2.0;
  std::string endpoint = "0 0 0";    ///< centre of the endpoint, which is a box; the axis is at 0 0
                                     ///< 0
  std::string rotation = "0 0 1 0";  ///< the endpoint's
  std::string child_physics;         ///< replaces the Physics node, e.g. "NULL"
};

inline std::string world_text(const OneJoint& w) {
  const std::string axis = !w.axis.empty() ? w.axis : w.slider ? "1 0 0" : "0 0 1";
  const std::string physics = !w.child_physics.empty()
                                  ? w.child_physics
                                  : fmt::format("Physics {{ density -1 mass {} }}", w.mass);
  // A heavy parent is at rest, because without gravity nothing moves it.
  return fmt::format(R"(#VRML_SIM R2023b utf8
WorldInfo {{ basicTimeStep {} gravity {} physicsDisableTime 0 }}
Robot {{
  name "r"
  children [
    {} {{
      jointParameters {} {{ axis {} {} }}
      device [
        {} {{ name "m" {} }}
        PositionSensor {{ name "s" }}
        Brake {{ name "b" }}
      ]
      endPoint Solid {{
        name "end"
        translation {}
        rotation {}
        boundingObject Box {{ size 0.6 0.2 0.1 }}
        physics {}
      }}
    }}
  ]
  boundingObject {}
  physics {}
}}
)",
                     w.time_step_ms, w.gravity, w.slider ? "SliderJoint" : "HingeJoint",
                     w.slider ? "JointParameters" : "HingeJointParameters", axis, w.parameters,
                     w.slider ? "LinearMotor" : "RotationalMotor", w.motor, w.endpoint, w.rotation,
                     physics, w.heavy_parent ? "Sphere { radius 1 }" : "NULL",
                     w.heavy_parent ? "Physics { density -1 mass 1e9 }" : "NULL");
}

/// Loads a text. Throws if anything is reported.
inline Simulation load(const std::string& text, Solver solver = solver_of_tests()) {
  LoadOptions options;
  options.solver = solver;
  options.integrator = integrator_of_tests(solver);
  options.notice = [](std::string_view message) {
    throw std::runtime_error("unexpected notice: " + std::string(message));
  };
  options.remark = [](std::string_view /*message*/) {};
  Simulation simulation = Simulation::from_text(text, std::move(options));
  if (!simulation.diagnostics().empty()) {
    throw std::runtime_error("unexpected: " + to_string(simulation.diagnostics().front()));
  }
  return simulation;
}

/// Loads a text and expects a report.
inline Simulation load_bad(const std::string& text) {
  LoadOptions options;
  options.solver = solver_of_tests();
  Simulation simulation = Simulation::from_text(text, std::move(options));
  if (simulation.diagnostics().empty()) {
    throw std::runtime_error("nothing is reported");
  }
  return simulation;
}

inline Simulation load(const OneJoint& w, Solver solver = solver_of_tests()) {
  return load(world_text(w), solver);
}

/// Returns the inertia about the joint: the mass, or the box's moment of inertia about z through
/// its centre.
inline double inertia(const OneJoint& w) {
  return w.slider ? w.mass : w.mass * (0.6 * 0.6 + 0.2 * 0.2) / 12.0;
}

}  // namespace servosim::test
