// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <webots/camera_recognition_object.h>
#include <webots/radar_target.h>

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace servosim {

/// The objects that a Camera has recognised, or the targets that a Radar has found, as the C API
/// gives them.
///
/// Invariant: the objects point to their own colours and models.
class ClientObjects {
 public:
  const std::vector<WbCameraRecognitionObject>& list() const { return list_; }
  const std::vector<WbRadarTarget>& targets() const { return targets_; }
  /// Replaces them by those of a text for decode_objects(), unless that is malformed.
  void take(std::string_view text);
  /// The same for the targets and decode_targets().
  void take_targets(std::string_view text);

 private:
  std::vector<WbCameraRecognitionObject> list_;
  std::deque<std::vector<double>> colors_;
  std::deque<std::string> models_;
  std::vector<WbRadarTarget> targets_;
};

}  // namespace servosim
