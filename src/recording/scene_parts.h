// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "recording/recording_reader.h"
#include "scene/drawn_shape.h"
#include "servosim/math.h"

// What a recorded scene looks like, for programs that draw it: docs/reference/recordings.md.

namespace servosim {

struct PartBody {
  std::string name;
  int parent = -1;
  bool moves = false;
  Pose pose;                           ///< in the world, when the scene was written
  std::optional<double> mass;          ///< [kg]
  std::optional<Vec3> center_of_mass;  ///< in its own frame
};

struct PartJoint {
  std::string name;
  bool turns = true;          ///< its unit is rad if true, else m
  int parent = -1;            ///< body, or -1 for the world
  int body = -1;              ///< body that it moves, or -1
  Vec3 anchor;                ///< in the frame of the parent
  Vec3 axis;                  ///< in the frame of the parent, length one
  std::optional<Vec3> zero;   ///< perpendicular to the axis, length one
  std::optional<double> min;  ///< [rad|m]
  std::optional<double> max;
};

/// The parts of a scene. Numbers are finite, and indices are in their lists or -1.
struct SceneParts {
  std::string world;  ///< the name of the file
  Vec3 up{0.0, 0.0, 1.0};
  std::optional<Vec3> background;  ///< colour of the sky
  std::vector<PartBody> bodies;
  std::vector<PartJoint> joints;
  /// `solid` is the body that carries a shape. Those without an extent are left out.
  std::vector<DrawnShape> shapes;
};

/// Reads the parts of a scene. @throws RecordingError with the part that is wrong
SceneParts read_scene_parts(const RecordedScene& scene);

/// Returns the shapes that show a body: those of its boundingObject only if it has no other.
/// @return indices of SceneParts::shapes
std::vector<std::size_t> shown_shapes(const SceneParts& parts);

/// A recording at one time, between two frames.
struct RecordedMoment {
  double time = 0.0;              ///< [s]
  std::size_t scene = 0;          ///< index in Recording::scenes
  std::size_t frame = 0;          ///< the last frame that is not after the time
  std::vector<Pose> bodies;       ///< in the world, in the order of the scene
  std::vector<double> positions;  ///< of the joints [rad|m]; NaN: unknown
};

/// Returns the last frame that is not after a time [s]; the first one before all frames.
std::size_t frame_at(const Recording& recording, double time);

/// Returns the number of frames before the first one with a place of a body that is not finite, or
/// too far away to draw.
std::size_t count_placed_frames(const Recording& recording);

/// Finds where everything is at a time [s]. Beyond the first and the last frame it is as in these.
/// @param parts  of the scene of the frame at that time
/// @throws RecordingError for a place that is not finite
RecordedMoment moment_at(const Recording& recording, const SceneParts& parts, double time);

}  // namespace servosim
