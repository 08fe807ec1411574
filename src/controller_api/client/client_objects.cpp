// SPDX-License-Identifier: Apache-2.0
#include "controller_api/client/client_objects.h"

#include <algorithm>
#include <utility>

#include "controller_api/protocol/protocol.h"

namespace servosim {

void ClientObjects::take(std::string_view text) {
  std::vector<WireObject> objects;
  if (!decode_objects(text, objects)) {
    return;
  }
  list_.clear();
  colors_.clear();
  models_.clear();
  for (WireObject& object : objects) {
    std::vector<double>& colors = colors_.emplace_back(std::move(object.colors));
    std::string& model = models_.emplace_back(object.model);
    WbCameraRecognitionObject& made = list_.emplace_back();
    made.id = object.id;
    std::copy(object.position.begin(), object.position.end(), made.position);
    std::copy(object.orientation.begin(), object.orientation.end(), made.orientation);
    std::copy(object.size.begin(), object.size.end(), made.size);
    std::copy_n(object.position_on_image.begin(), 2, made.position_on_image);
    std::copy_n(object.size_on_image.begin(), 2, made.size_on_image);
    made.number_of_colors = static_cast<int>(colors.size() / 3);
    made.colors = colors.data();
    made.model = model.data();
  }
}

void ClientObjects::take_targets(std::string_view text) {
  std::vector<WireTarget> targets;
  if (!decode_targets(text, targets)) {
    return;
  }
  targets_.clear();
  for (const WireTarget& target : targets) {
    targets_.push_back({target.distance, target.received_power, target.speed, target.azimuth});
  }
}

}  // namespace servosim
