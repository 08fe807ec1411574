// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "physics/mass.h"
#include "scene/scene.h"
#include "servosim/simulation.h"
#include "sim/report.h"

namespace servosim {

/// How a Solid can move: docs/explanation/conventions.md.
enum class Mobility : std::uint8_t {
  Static,     ///< not at all
  Kinematic,  ///< without a body of its own, with the joint or body above it
  Dynamic,    ///< as part of a body
};

/// A loaded world, and what its parts are to each other. Indices as in Scene.
class WorldView {
 public:
  /// `simulation` must outlive it.
  explicit WorldView(const Simulation& simulation);

  const Scene& scene() const { return scene_; }
  const std::vector<RigidBody>& bodies() const { return bodies_; }
  /// Index of the body that a Solid is part of; -1 for none.
  int body_of(int solid) const { return body_of_[solid]; }
  Mobility mobility(int solid) const { return mobility_[solid]; }
  /// The Robot a Solid belongs to or, for a Robot, is.
  int robot_of(int solid) const { return scene_.solids[solid].robot; }
  /// Solids right below a Solid that no joint moves; -1: below the world.
  const std::vector<int>& solids_below(int solid) const { return below(solid).solids; }
  /// First axes of the joints that a Solid carries; -1: the world.
  const std::vector<int>& joints_below(int solid) const { return below(solid).joints; }
  /// Bodies whose owner belongs to a Robot; -1: to none.
  std::vector<int> bodies_of(int robot) const;
  /// Those bodies as one at the start, in the frame of the Robot or the world.
  MassProperties total_mass(int robot) const;

 private:
  struct Below {
    std::vector<int> solids;
    std::vector<int> joints;
  };
  const Below& below(int solid) const { return below_[static_cast<std::size_t>(solid + 1)]; }

  const Scene& scene_;
  const std::vector<RigidBody>& bodies_;
  std::vector<int> body_of_;
  std::vector<Mobility> mobility_;
  std::vector<Below> below_;      // the world first
  std::vector<Pose> world_pose_;  // at the start
};

/// What the joints that are watched did during a run.
class JointSummary {
 public:
  /// `simulation` must outlive it; the positions now are the start.
  JointSummary(const Simulation& simulation, const Watch& watched);
  /// To be called after each step.
  void update();
  /// A table with a line for each; one sentence if there are none.
  std::string table() const;

 private:
  struct Extremes {
    int joint;
    double start;
    double min;
    double max;
    double velocity = 0.0;  // largest magnitude
    double effort = 0.0;    // largest magnitude
  };

  const Simulation& simulation_;
  std::vector<Extremes> joints_;
  std::size_t propellers_;
};

}  // namespace servosim
