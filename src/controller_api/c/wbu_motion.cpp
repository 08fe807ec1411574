// SPDX-License-Identifier: Apache-2.0
#include <webots/utils/motion.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "controller_api/client/api_call.h"
#include "controller_api/client/client.h"
#include "controller_api/client/motion.h"

using servosim::api_call;
using servosim::ClientDevice;
using servosim::ControllerClient;
using servosim::Motion;

struct WbMotionStructPrivate {
  Motion motion;
  std::vector<WbDeviceTag> tags;  // by motor; 0: the robot has none of that name
};

namespace {

// The client's mutex guards the list. It is never destroyed, since other threads may run after
// main().
std::vector<std::unique_ptr<WbMotionStructPrivate>>& motions() {
  static auto* list = new std::vector<std::unique_ptr<WbMotionStructPrivate>>;
  return *list;
}

// @throws CallError if wbu_motion_new() has not returned `motion`
auto find_motion(WbMotionRef motion) {
  auto& list = motions();
  const auto found =
      std::find_if(list.begin(), list.end(), [=](const auto& m) { return m.get() == motion; });
  servosim::refuse(found == list.end(), "this is no motion of wbu_motion_new().");
  return found;
}

template <typename Body>
auto with_motion(const char* function, WbMotionRef motion, Body body) {
  return api_call(function, [=](ControllerClient&, ControllerClient::Lock&) {
    return body((*find_motion(motion))->motion);
  });
}

WbDeviceTag motor_named(ControllerClient& client, const std::string& name) {
  const servosim::ClientDevices& devices = client.devices();
  const auto found = std::find_if(devices.begin(), devices.end(), [&](const ClientDevice& device) {
    return device.joint.has_motor && device.name == name;
  });
  if (found == devices.end()) {
    servosim::warn("wbu_motion_new(): the robot has no motor \"" + name + "\"; it is left out.");
    return 0;
  }
  return static_cast<WbDeviceTag>(found - devices.begin() + 1);
}

}  // namespace

void servosim::play_motions(ControllerClient& client, int duration_ms) {
  for (const auto& played : motions()) {
    if (!played->motion.playing()) {
      continue;
    }
    for (std::size_t i = 0; i < played->tags.size(); ++i) {
      const std::optional<double> position = played->motion.position(i);
      if (played->tags[i] != 0 && position) {
        client.devices().set_motor_position(client.devices().motor(played->tags[i]), *position);
      }
    }
    played->motion.advance(duration_ms);
  }
}

WbMotionRef wbu_motion_new(const char* filename) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) -> WbMotionRef {
    servosim::refuse(filename == nullptr || *filename == '\0', "the file name is NULL or empty.");
    auto made = std::make_unique<WbMotionStructPrivate>();
    made->motion = Motion::read(filename);
    for (const std::string& name : made->motion.motors()) {
      made->tags.push_back(motor_named(client, name));
    }
    motions().push_back(std::move(made));
    return motions().back().get();
  });
}

void wbu_motion_delete(WbMotionRef motion) {
  api_call(__func__, [=](ControllerClient&, ControllerClient::Lock&) {
    motions().erase(find_motion(motion));
  });
}

void wbu_motion_play(WbMotionRef motion) {
  with_motion(__func__, motion, [](Motion& m) { m.play(); });
}

void wbu_motion_stop(WbMotionRef motion) {
  with_motion(__func__, motion, [](Motion& m) { m.stop(); });
}

void wbu_motion_set_loop(WbMotionRef motion, bool loop) {
  with_motion(__func__, motion, [=](Motion& m) { m.set_loop(loop); });
}

void wbu_motion_set_reverse(WbMotionRef motion, bool reverse) {
  with_motion(__func__, motion, [=](Motion& m) { m.set_reverse(reverse); });
}

bool wbu_motion_is_over(WbMotionRef motion) {
  return with_motion(__func__, motion, [](Motion& m) { return m.over(); });
}

int wbu_motion_get_duration(WbMotionRef motion) {
  return with_motion(__func__, motion, [](Motion& m) { return m.duration(); });
}

int wbu_motion_get_time(WbMotionRef motion) {
  return with_motion(__func__, motion, [](Motion& m) { return m.time(); });
}

void wbu_motion_set_time(WbMotionRef motion, int time) {
  with_motion(__func__, motion, [=](Motion& m) { m.set_time(time); });
}
