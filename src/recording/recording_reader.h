// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "recording/recording_format.h"

namespace servosim {

/// A file is no recording, or a damaged one; what() says where and what is wrong, as a clause.
class RecordingError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct RecordedFrame {
  double time = 0.0;                  ///< [s]
  std::size_t scene = 0;              ///< in Recording::scenes
  std::vector<RecordedPose> poses;    ///< of the bodies that move, in the order of the scene
  std::vector<RecordedJoint> joints;  ///< in the order of the scene
  std::vector<RecordedContact> contacts;
};

struct RecordedBody {
  std::string name;
  bool moves = false;  ///< it has a pose in each frame
};

struct RecordedAxis {
  std::string name;
  bool turns = true;  ///< its unit is rad, else m
};

struct RecordedScene {
  std::string json;  ///< valid JSON, with the lists that the format asks for
  std::vector<RecordedBody> bodies;
  std::size_t moving = 0;  ///< of the bodies
  std::vector<RecordedAxis> joints;
};

/// Threads: a plain value.
struct Recording {
  std::vector<RecordedScene> scenes;  ///< at least one
  std::vector<RecordedFrame> frames;
  std::string end;         ///< JSON; empty where the run did not end by itself
  bool truncated = false;  ///< the file ends in the middle, as of a run that was killed: what is
                           ///< here are its whole records
};

/// What a recording may have at most when it is unpacked: a packed byte may become a thousand.
struct RecordingLimits {
  std::size_t bytes = std::size_t{2} << 30;
  std::size_t scene_bytes = std::size_t{256} << 20;  ///< of these, in all scenes
  std::size_t frames = 10'000'000;
};

/// @throws RecordingError
Recording read_recording(std::string_view bytes, const RecordingLimits& limits = {});

}  // namespace servosim
