// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "physics/mass.h"
#include "physics/solver_counts.h"
#include "scene/scene.h"
#include "servosim/diagnostics.h"
#include "servosim/simulation.h"

// A loaded world as `servosim info` shows it: as text and as JSON.

namespace servosim {

/// How a Solid can move: docs/explanation/conventions.md.
enum class Mobility : std::uint8_t {
  Static,     ///< not at all
  Kinematic,  ///< without a body of its own, with the joint or body above
  Dynamic,    ///< as part of a body
};

/// The relations between the parts of a loaded world. Indices as in Scene.
///
/// Invariants: a Solid with a body is Dynamic; each list of below_ is in the order of the scene.
class WorldView {
 public:
  /// `simulation` must outlive it.
  explicit WorldView(const Simulation& simulation);

  const Scene& scene() const { return scene_; }
  const std::vector<RigidBody>& bodies() const { return bodies_; }
  /// Index of the body that a Solid belongs to; -1 for none.
  int body_of(int solid) const { return body_of_[solid]; }
  Mobility mobility(int solid) const { return mobility_[solid]; }
  /// The Robot a Solid belongs to or, for a Robot, is.
  int robot_of(int solid) const { return scene_.solids[solid].robot; }
  /// Solids directly below a Solid, without endpoints of joints; -1: below the world.
  const std::vector<int>& solids_below(int solid) const { return below(solid).solids; }
  /// First axes of the joints directly below a Solid; -1: below the world.
  const std::vector<int>& joints_below(int solid) const { return below(solid).joints; }
  /// Bodies whose owner belongs to a Robot; -1: to no Robot.
  std::vector<int> bodies_of(int robot) const;
  /// How many islands of joints each solver gets while nothing touches.
  const SolverCounts& islands() const { return islands_; }
  /// The total mass of those bodies at the start, in the frame of the Robot or the world.
  MassProperties total_mass(int robot) const;

 private:
  struct Below {
    std::vector<int> solids;
    std::vector<int> joints;
  };
  const Below& below(int solid) const {
    SERVOSIM_ASSERT(solid >= -1 && solid + 1 < static_cast<int>(below_.size()), "Solid {} of {}",
                    solid, below_.size() - 1);
    return below_[static_cast<std::size_t>(solid + 1)];
  }

  const Scene& scene_;
  const std::vector<RigidBody>& bodies_;
  std::vector<int> body_of_;
  std::vector<Mobility> mobility_;
  std::vector<Below> below_;      // the world first
  std::vector<Pose> world_pose_;  // at the start
  SolverCounts islands_;
};

const char* name_of(BodyHold hold);

/// The world for people: settings, and for each Robot its devices, joint tree and bodies. `path` is
/// the world as the user calls it.
std::string info_text(const WorldView& view, const std::string& path);

/// The world for programs, as docs/reference/info-json.md describes it. `view` is null for a world
/// that cannot be simulated.
nlohmann::ordered_json info_json(const WorldView* view, const std::string& path,
                                 const std::vector<Diagnostic>& diagnostics);

/// Whether a device is a Camera with a Recognition node.
bool has_recognition(const DeviceSpec& device);

}  // namespace servosim
