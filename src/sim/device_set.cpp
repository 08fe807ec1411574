// SPDX-License-Identifier: Apache-2.0
#include "sim/device_set.h"

#include <fmt/format.h>

#include <utility>

#include "base/assert.h"
#include "devices/device_archive.h"
#include "devices/rolling.h"
#include "devices/servo_electronics.h"
#include "physics/physics_world.h"
#include "scene/scene.h"
#include "sim/devices.h"

namespace servosim {

DeviceSet::DeviceSet(const std::shared_ptr<const Scene>& scene,
                     const DeviceEnvironment& environment, const DeviceSet* like) {
  owners_.robots.reserve(scene->robots.size());
  for (const RobotSpec& spec : scene->robots) {
    owners_.robots.push_back(
        make_robot({scene, &spec}, static_cast<int>(owners_.robots.size()), environment));
  }
  for (const auto* list : {&scene->ownerless_motors, &scene->ownerless_connectors}) {
    for (const DeviceSpec& device : *list) {
      owners_.ownerless.push_back(make_node({scene, &device}, "world", environment));
    }
  }
  if (like != nullptr) {
    numbers_.copy_joints(like->numbers_);
  } else {
    numbers_.follow(*scene);
  }
}

void DeviceSet::assemble(const Scene& scene, PhysicsWorld& physics) {
  lists_.assemble(owners_.robots, owners_.ownerless, scene);
  numbers_.number_devices(lists_.nodes, physics);
}

void DeviceSet::begin(const Scene& scene, PhysicsWorld& physics) {
  assemble(scene, physics);
  start_connectors(lists_.connectors);
}

Rebinding DeviceSet::prepare(const Scene& present, std::shared_ptr<const Scene> next,
                             const DeviceEnvironment& environment) {
  return {owners_, present, std::move(next), environment};
}

std::vector<Connector*> DeviceSet::apply(Rebinding& change, const Scene& next,
                                         PhysicsWorld& physics) {
  const std::vector<Connector*> before = lists_.connectors;
  numbers_.follow(next);
  std::vector<Connector*> relocked = change.apply();
  assemble(next, physics);
  for (Connector* connector : lists_.connectors) {
    connector->renumber(before);
  }
  return relocked;
}

void DeviceSet::start_connectors(const std::vector<Connector*>& connectors) {
  const ConnectorSearch::Pass pass(lists_.connector_search);
  for (Connector* connector : connectors) {
    connector->start();
  }
}

void DeviceSet::stop_motors(const Scene& scene, const SolidRange& range) const {
  for (std::size_t j = 0; j < lists_.motor_of.size(); ++j) {
    if (lists_.motor_of[j] != nullptr && range.contains(scene.joints[j].child)) {
      lists_.motor_of[j]->stop();
    }
  }
}

void DeviceSet::before_physics(const Scene& scene, PhysicsWorld& physics, double step_ms,
                               double end_ms) {
  SERVOSIM_ASSERT(lists_.motor_of.size() == scene.joints.size(),
                  "lists of {} joints, {} in the scene", lists_.motor_of.size(),
                  scene.joints.size());
  const auto act = [this, h = step_ms / 1000.0](Turn turn) {
    for (Device* device : lists_.of(turn)) {
      device->before_step(h);
    }
  };
  Rolling rolling(scene, physics);
  act(Turn::Motor);
  rolling.roll();
  for (Emitter* emitter : lists_.emitters) {
    emitter->transmit(lists_.receivers, end_ms);
  }
  act(Turn::Wheels);
  act(Turn::Pen);
  const ConnectorSearch::Pass pass(lists_.connector_search);
  act(Turn::Connector);
}

void DeviceSet::drain_batteries(double step_ms, double now_ms, Notices& notices) const {
  for (Robot* robot : lists_.with_battery) {
    if (robot->drain_battery(step_ms / 1000.0)) {
      notices.report(fmt::format(
          "robot \"{}\": its battery is empty at {:.6g} s; its motors and sensors are off",
          robot->name(), now_ms / 1000.0));
    }
  }
}

void DeviceSet::report_protections(double now_ms, Notices& notices) const {
  for (const auto& [joint, servo] : lists_.servos) {
    if (const std::string news = servo->protection_news(now_ms); !news.empty()) {
      notices.report(fmt::format("servo of {} {}", joint, news));
    }
  }
}

void DeviceSet::measure(double now_ms) {
  const ConnectorSearch::Pass pass(lists_.connector_search);
  for (Device* device : lists_.devices) {
    device->after_step(now_ms);
  }
}

void DeviceSet::archive(DeviceArchive& archive) const {
  for (Device* device : lists_.devices) {
    device->archive(archive);
  }
  archive_batteries(archive);
}

void DeviceSet::archive_batteries(DeviceArchive& archive) const {
  for (Robot* robot : lists_.with_battery) {
    robot->own_battery()->archive(archive);
  }
}

void DeviceSet::add_to_hash(DeviceArchive& archive) const {
  for (const bool drives : {true, false}) {
    for (Device* device : lists_.devices) {
      if (device->drives() == drives) {
        device->archive(archive);
      }
    }
  }
  archive_batteries(archive);
}

}  // namespace servosim
