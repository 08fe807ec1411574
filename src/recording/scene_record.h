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

/// What a recording tells about its world in addition to the scene.
struct RecordingInfo {
  std::string world;            ///< the name of its file
  double frame_interval = 0.0;  ///< [s]
};

/// The scene of a recording, and what the frames after it contain.
struct SceneRecord {
  std::string json;
  std::vector<int> moving;  ///< Solids whose poses are in each frame
  struct Fixed {
    int solid;
    Pose pose;  ///< in the world
  };
  std::vector<Fixed> fixed;  ///< Solids whose poses are not in the frames
  std::vector<int> servos;   ///< number in the simulation of each joint that has a real servo
  std::vector<int> joints;   ///< number in the simulation of each joint of the scene; -1 means none
};

/// Describes a simulation in its present state. `moved` contains nodes of Solids that move although
/// nothing in the scene moves them.
SceneRecord describe_scene(Simulation& simulation, const RecordingInfo& info,
                           const std::set<std::uint32_t>& moved, DrawingStore& store);

}  // namespace servosim
