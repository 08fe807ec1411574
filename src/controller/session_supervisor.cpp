// SPDX-License-Identifier: Apache-2.0
// Session: what concerns supervisors.
#include <algorithm>
#include <cstdio>

#include "controller/custom_data.h"
#include "controller/session.h"
#include "controller/supervisor_desk.h"
#include "core/printable.h"
#include "scene/scene.h"

namespace servosim {

Session::Outcome Session::handle(const Ask& ask) {
  if (desk_ == nullptr) {
    return garbage("a question of a robot that is no supervisor");
  }
  if (over()) {
    encode_failure(writer_,
                   ending_ ? "the simulation is over." : "the robot is no longer in the world.");
    return Outcome::Answered;
  }
  desk_->answer(ask, writer_);
  refuse_long_reply();
  return Outcome::Answered;
}

// No message is answered here: errors go to stderr.
void Session::settle() {
  try {
    if (desk_ != nullptr) {
      desk_->settle();
    }
  } catch (const std::exception& error) {
    print_to_stderr("Error", "supervisor \"" + robot_.name() + "\": " + error.what());
  }
}

// A supervisor may look at it.
void Session::share_custom_data() {
  const auto& robots = simulation_.scene().robots;
  if (robot_.index() >= 0 &&
      std::any_of(robots.begin(), robots.end(), [](const RobotSpec& r) { return r.supervisor; })) {
    set_custom_data(simulation_, robot_.spec().node, custom_data_);
    seen_tree_ = simulation_.world_file();
  }
}

// A supervisor may have changed it.
void Session::follow_custom_data() {
  if (seen_tree_ == simulation_.world_file() || robot_.index() < 0) {
    return;
  }
  seen_tree_ = simulation_.world_file();
  const std::string* now = custom_data_of(simulation_, robot_.spec().node);
  if (now != nullptr && *now != custom_data_) {
    custom_data_ = *now;
    Reading reading;
    reading.kind = ReadingKind::CustomData;
    reading.text = custom_data_;
    encode_reading(writer_, reading);
  }
}

}  // namespace servosim
