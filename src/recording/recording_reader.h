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

/// The file is no recording, or a damaged one. what() tells where and what is wrong, as a clause.
class RecordingError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct RecordedFrame {
  double time = 0.0;                  ///< [s]
  std::size_t scene = 0;              ///< index in Recording::scenes
  std::vector<RecordedPose> poses;    ///< poses of the bodies that move, in the order of the scene
  std::vector<RecordedJoint> joints;  ///< in the order of the scene
  std::vector<RecordedServo> servos;  ///< of the joints that have one, in this order
  std::vector<RecordedContact> contacts;
};

/// A picture that a sensor has taken.
struct RecordedSight {
  RecordedPicture head;
  std::string name;  ///< `robot/sensor`
  std::string file;  ///< a PNG or JPEG file
};

struct RecordedBody {
  std::string name;
  bool moves = false;  ///< whether it has a pose in each frame
};

struct RecordedAxis {
  std::string name;
  bool turns = true;  ///< its unit is rad if true, else m
  bool has_servo = false;
};

struct RecordedScene {
  std::string json;  ///< valid JSON with the lists that the format requires
  std::vector<RecordedBody> bodies;
  std::size_t moving = 0;  ///< number of bodies that move
  std::size_t servos = 0;  ///< number of joints that have a real servo
  std::vector<RecordedAxis> joints;
};

/// Threads: a plain value.
struct Recording {
  std::vector<RecordedScene> scenes;  ///< at least one
  std::vector<RecordedFrame> frames;
  std::vector<RecordedSight> pictures;  ///< in the order of time, if the limits keep them
  std::string end;                      ///< JSON; empty if the run did not end by itself
  /// The file ends in the middle, for example because the run was killed; only its whole records
  /// are here.
  bool truncated = false;
};

/// Limits of an unpacked recording, since one packed byte may expand to a thousand bytes.
struct RecordingLimits {
  std::size_t bytes = std::size_t{2} << 30;
  /// Share of these bytes for all scenes together.
  std::size_t scene_bytes = std::size_t{256} << 20;
  std::size_t frames = 10'000'000;
  std::size_t pictures = 1'000'000;
  /// Whether Recording::pictures has them. They are checked and counted in any case.
  bool keeps_pictures = false;
};

/// @throws RecordingError
Recording read_recording(std::string_view bytes, const RecordingLimits& limits = {});

}  // namespace servosim
