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

// `servosim info` shows a loaded world as text and as JSON.

namespace servosim {

/// How a Solid can move; see docs/explanation/conventions.md.
enum class Mobility : std::uint8_t {
  Static,     ///< does not move
  Kinematic,  ///< has no body of its own and moves with the joint or body above
  Dynamic,    ///< moves as a part of a body
};

/// The relations between the parts of a loaded world. Indices are those of Scene.
///
/// Invariants: a Solid with a body is Dynamic; each list of below_ has the order of the scene.
class WorldView {
 public:
  /// `simulation` must outlive this object.
  explicit WorldView(const Simulation& simulation);

  const Scene& scene() const { return scene_; }
  const std::vector<RigidBody>& bodies() const { return bodies_; }
  /// Returns the index of the body that a Solid belongs to; -1 for none.
  int body_of(int solid) const { return body_of_[solid]; }
  Mobility mobility(int solid) const { return mobility_[solid]; }
  /// Returns the Robot that a Solid belongs to; for a Robot, returns that Robot.
  int robot_of(int solid) const { return scene_.solids[solid].robot; }
  /// Returns the Solids directly below a Solid, without the endpoints of joints; -1 means the
  /// world.
  const std::vector<int>& solids_below(int solid) const { return below(solid).solids; }
  /// Returns the first axes of the joints directly below a Solid; -1 means the world.
  const std::vector<int>& joints_below(int solid) const { return below(solid).joints; }
  /// Returns the bodies whose owner belongs to a Robot; -1 means those that belong to no Robot.
  std::vector<int> bodies_of(int robot) const;
  /// Returns how many islands of joints each solver gets while nothing touches.
  const SolverCounts& islands() const { return islands_; }
  /// Returns the total mass of bodies_of(robot) at the start, in the frame of the Robot or the
  /// world.
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
  std::vector<Below> below_;      // the first element is the world
  std::vector<Pose> world_pose_;  // poses at the start
  SolverCounts islands_;
};

const char* name_of(BodyHold hold);

/// Returns the world for people: its settings and, for each Robot, its devices, joint tree and
/// bodies. `path` is the world's name as the user gave it.
std::string info_text(const WorldView& view, const std::string& path);

/// Returns the world for programs, as docs/reference/info-json.md describes it. `view` is null if
/// the world cannot be simulated.
/// @param buses  the list of its buses
nlohmann::ordered_json info_json(const WorldView* view, const std::string& path,
                                 const std::vector<Diagnostic>& diagnostics,
                                 const nlohmann::ordered_json& buses);

/// Returns what is also shown for a robot's own file: its reach, the efforts that hold its
/// joints against gravity next to the limits of motors, and meshes of unlikely sizes.
std::string robot_file_text(const Simulation& simulation);

}  // namespace servosim
