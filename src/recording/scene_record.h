// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "scene/drawing.h"
#include "servosim/math.h"

namespace servosim {

class Simulation;

/// What a recording says of its world beside the scene itself.
struct RecordingInfo {
  std::string world;            ///< the name of its file
  double frame_interval = 0.0;  ///< [s]
};

/// The scene of a recording, and what the frames after it hold.
struct SceneRecord {
  std::string json;
  std::vector<int> moving;  ///< Solids whose poses are in each frame
  struct Fixed {
    int solid;
    Pose pose;  ///< in the world
  };
  std::vector<Fixed> fixed;  ///< the others
  std::vector<int> joints;   ///< by joint of the scene its number in the simulation; -1: none
};

/// Describes a simulation as it is now. `moved`: nodes of Solids that move though nothing in the
/// scene moves them.
SceneRecord describe_scene(Simulation& simulation, const RecordingInfo& info,
                           const std::set<std::uint32_t>& moved, DrawingStore& store);

}  // namespace servosim
