// SPDX-License-Identifier: Apache-2.0
#include "sim/rebinding.h"

#include <tuple>
#include <utility>

#include "base/assert.h"
#include "physics/physics_world.h"
#include "sim/devices.h"

namespace servosim {

namespace {

// Whether a limit of a motor has changed. Its joint must not sleep then, since the motor may move
// it.
bool has_other_limits(const DeviceSpec& before, const DeviceSpec& now) {
  return before.motor && now.motor &&
         (before.motor->max_force != now.motor->max_force ||
          before.motor->max_velocity != now.motor->max_velocity ||
          before.motor->min_position != now.motor->min_position ||
          before.motor->max_position != now.motor->max_position);
}

// The id of the node of a device, the type of the node, and the number of its use: a node that is
// used several times is several devices.
using DeviceKey = std::tuple<std::uint32_t, std::string, int>;

// Returns the keys of the devices of a list, in the order of the list.
class DeviceKeys {
 public:
  DeviceKey next(const DeviceSpec& spec) {
    DeviceKey key{spec.node, spec.node_type, 0};
    std::get<2>(key) = used_[key]++;
    return key;
  }

 private:
  std::map<DeviceKey, int> used_;
};

std::vector<const DeviceSpec*> ownerless_devices(const Scene& scene) {
  std::vector<const DeviceSpec*> specs;
  for (const auto* list : {&scene.ownerless_motors, &scene.ownerless_connectors}) {
    for (const DeviceSpec& spec : *list) {
      specs.push_back(&spec);
    }
  }
  return specs;
}

}  // namespace

Rebinding::Rebinding(DeviceOwners& owners, const Scene& present, std::shared_ptr<const Scene> next,
                     const DeviceEnvironment& environment)
    : owners_(owners), scene_(std::move(next)), environment_(environment) {
  match_robots(present);
  ownerless_ = match_devices(owners_.ownerless, ownerless_devices(*scene_), "world");
}

void Rebinding::match_robots(const Scene& present) {
  std::map<NodeKey, Robot*> known;
  for (const DetachedRobot& detached : owners_.detached) {
    known.emplace(detached.key, detached.robot.get());
  }
  present_robots_ = robot_keys(present);
  for (std::size_t r = 0; r < present_robots_.size(); ++r) {
    known[present_robots_[r]] = owners_.robots[r].get();
  }
  const Scene& scene = *scene_;
  const std::vector<NodeKey> keys = robot_keys(scene);
  for (std::size_t r = 0; r < keys.size(); ++r) {
    const RobotSpec& spec = scene.robots[r];
    const auto found = known.find(keys[r]);
    NextRobot& robot = robots_.emplace_back(
        NextRobot{keys[r], found != known.end() ? found->second : nullptr, nullptr, {}});
    if (robot.known == nullptr) {
      robot.made = make_robot({scene_, &spec}, static_cast<int>(r), environment_);
      continue;
    }
    std::vector<const DeviceSpec*> specs;
    for (const DeviceSpec& device : spec.devices) {
      specs.push_back(&device);
    }
    robot.devices = match_devices(robot.known->devices(), specs, spec.name);
  }
}

std::vector<Rebinding::NextDevice> Rebinding::match_devices(
    const std::vector<DeviceNode>& known, const std::vector<const DeviceSpec*>& specs,
    const std::string& owner) {
  std::map<DeviceKey, std::size_t> places;
  DeviceKeys known_keys;
  for (std::size_t i = 0; i < known.size(); ++i) {
    places.emplace(known_keys.next(*known[i].spec), i);
  }
  std::vector<NextDevice> devices;
  DeviceKeys keys;
  for (const DeviceSpec* spec : specs) {
    NextDevice& device = devices.emplace_back(NextDevice{{scene_, spec}, {}, {}});
    if (const auto found = places.find(keys.next(*spec)); found != places.end()) {
      device.known = found->second;
    } else {
      device.made = make_node(device.spec, owner, environment_);
    }
  }
  return devices;
}

std::vector<Connector*> Rebinding::apply() {
  apply_to_robots();
  apply_to_devices(owners_.ownerless, ownerless_, "world");
  return std::move(relocked_);
}

void Rebinding::apply_to_robots() {
  std::map<NodeKey, std::unique_ptr<Robot>> known;
  for (DetachedRobot& detached : owners_.detached) {
    known.emplace(detached.key, std::move(detached.robot));
  }
  owners_.detached.clear();
  for (std::size_t r = 0; r < present_robots_.size(); ++r) {
    SERVOSIM_ASSERT(!known.contains(present_robots_[r]), "robot \"{}\" is gone and in the tree",
                    owners_.robots[r]->name());
    known[present_robots_[r]] = std::move(owners_.robots[r]);
  }
  owners_.robots.clear();
  for (NextRobot& next : robots_) {
    const int index = static_cast<int>(owners_.robots.size());
    if (next.known != nullptr) {
      apply_to_robot(*next.known, next, index);
      next.made = std::move(known.extract(next.key).mapped());
    }
    owners_.robots.push_back(std::move(next.made));
  }
  for (auto& [key, robot] : known) {
    if (robot->index() >= 0) {
      detach_robot(*robot);
    }
    owners_.detached.push_back({key, std::move(robot)});
  }
}

void Rebinding::apply_to_robot(Robot& robot, NextRobot& next, int index) {
  const RobotSpec& spec = scene_->robots[index];
  apply_to_devices(robot.own_devices(), next.devices, spec.name);
  SERVOSIM_ASSERT(robot.drive().has_value() == spec.drive.has_value(),
                  "robot \"{}\" becomes a robot of another type", spec.name);
  if (robot.drive()) {
    rebind_node(*robot.drive(), {scene_, &*spec.drive}, spec.name, environment_);
  }
  const bool was_empty = robot.battery() != nullptr && robot.battery()->exhausted();
  std::optional<Battery> battery = make_battery(spec);
  if (battery && robot.battery() != nullptr && robot.spec().battery == spec.battery) {
    battery->continue_from(*robot.battery());
  }
  robot.set_battery(battery);
  if (was_empty && (!battery || !battery->exhausted())) {
    robot.set_power(true);
  }
  robot.rebind({scene_, &spec}, index);
}

// Devices that were there keep their tags and addresses. New ones follow behind.
void Rebinding::apply_to_devices(std::vector<DeviceNode>& known, std::vector<NextDevice>& next,
                                 const std::string& owner) {
  std::vector<bool> there(known.size(), false);
  for (NextDevice& device : next) {
    if (device.known) {
      there[*device.known] = true;
      apply_to_device(known[*device.known], device, owner);
    } else {
      known.push_back(std::move(device.made));
    }
  }
  for (std::size_t i = 0; i < there.size(); ++i) {
    if (!there[i]) {
      detach_node(known[i]);
    }
  }
}

void Rebinding::apply_to_device(DeviceNode& node, NextDevice& next, const std::string& owner) {
  const std::shared_ptr<const DeviceSpec> before = node.spec;
  const DeviceSpec& now = *next.spec;
  rebind_node(node, next.spec, owner, environment_);
  if (before->connector && now.connector && before->connector->locked != now.connector->locked) {
    relocked_.push_back(node.get<Connector>());
  }
  if (now.joint >= 0 && has_other_limits(*before, now)) {
    environment_.physics.joints()[now.joint].wake = true;
  }
}

}  // namespace servosim
