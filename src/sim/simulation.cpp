// SPDX-License-Identifier: Apache-2.0
#include "servosim/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "scene/scene_builder.h"
#include "sim/simulation_impl.h"
#include "wbt/world_file.h"

namespace servosim {

namespace {

std::uint64_t seed_of(const Scene& scene, const LoadOptions& options) {
  const std::int64_t seed = options.random_seed.value_or(scene.world.random_seed);
  if (seed >= 0) {
    return static_cast<std::uint64_t>(seed);
  }
  return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
}

std::shared_ptr<const Scene> load_scene(const wbt::WorldFile& file, Diagnostics& diagnostics) {
  std::shared_ptr<const Scene> scene;
  if (diagnostics.errors() == 0) {
    scene = std::make_shared<const Scene>(build_scene(file, diagnostics));
  }
  if (diagnostics.errors() > 0) {
    throw LoadError(diagnostics.list());
  }
  return scene;
}

// For an error message.
std::string names_of(const std::vector<std::unique_ptr<Robot>>& robots) {
  std::string names;
  for (const auto& robot : robots) {
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", robot->name());
  }
  return names.empty() ? "none" : names;
}

}  // namespace

std::unique_ptr<Simulation::Impl> Simulation::Impl::load(const wbt::WorldFile& file,
                                                         Diagnostics& diagnostics,
                                                         LoadOptions options) {
  std::shared_ptr<const Scene> scene = load_scene(file, diagnostics);
  const std::uint64_t seed = seed_of(*scene, options);
  return std::make_unique<Impl>(
      std::move(scene), diagnostics,
      Settings{Notices(std::move(options.notice)), seed, options.compat_webots});
}

Simulation::Impl::Impl(std::shared_ptr<const Scene> the_scene, Diagnostics& diagnostics,
                       Settings the_settings)
    : shared_scene(std::move(the_scene)),
      scene(*shared_scene),
      settings(std::move(the_settings)),
      random(settings.seed),
      physics(scene, diagnostics, {settings.compat_webots, &settings.notices}),
      diagnostics_list(diagnostics.list()),
      h(scene.world.basic_time_step_ms / 1000.0),
      motor_of(scene.joints.size(), nullptr),
      motor_spec_of(scene.joints.size(), nullptr) {
  for (const RobotSpec& spec : scene.robots) {
    robots.push_back(std::make_unique<Robot>(spec, static_cast<int>(robots.size())));
    for (const DeviceSpec& device : spec.devices) {
      robots.back()->add(create_device(device, spec.name));
    }
    connect_devices(spec, *robots.back());
  }
  for (const auto* devices : {&scene.ownerless_motors, &scene.ownerless_connectors}) {
    for (const DeviceSpec& device : *devices) {
      ownerless.push_back(create_device(device, "world"));
    }
  }
  connect_connectors();
  save(initial);
}

Device Simulation::Impl::create_device(const DeviceSpec& d, const std::string& owner) {
  Device device;
  device.name = d.name;
  device.model = d.model;
  device.node_type = d.node_type;
  device.joint = d.joint;
  device.spec = &d;
  // A joint without an endpoint stands still, as in Webots, whatever its motor is told.
  JointState* joint = d.propeller >= 0        ? &physics.propellers()[d.propeller].shaft
                      : has_endpoint(d.joint) ? &physics.joints()[d.joint]
                                              : nullptr;
  if (d.motor) {
    device.motor = std::make_unique<Motor>(*d.motor, owner, joint, settings.notices);
    motors.push_back(device.motor.get());
    if (d.joint >= 0) {
      motor_of[d.joint] = device.motor.get();
      motor_spec_of[d.joint] = &*d.motor;
    }
    if (d.propeller >= 0) {
      connect_propeller(d, owner, *device.motor);
    }
  }
  if (d.sensor) {
    device.sensor = std::make_unique<PositionSensor>(*d.sensor, joint, random);
    sensors.push_back(device.sensor.get());
  }
  if (d.brake) {
    device.brake = std::make_unique<Brake>(*d.brake, joint);
    brakes.push_back(device.brake.get());
  }
  if (d.solid_sensor) {
    device.solid_sensor =
        std::make_unique<SolidSensor>(*d.solid_sensor, scene.world, physics, random);
    solid_sensors.push_back(device.solid_sensor.get());
  }
  if (d.emitter) {
    device.emitter = std::make_unique<Emitter>(*d.emitter, scene, physics);
    emitters.push_back(device.emitter.get());
  }
  if (d.receiver) {
    device.receiver = std::make_unique<Receiver>(*d.receiver, physics, random);
    receivers.push_back(device.receiver.get());
  }
  if (d.connector) {
    device.connector = std::make_unique<Connector>(*d.connector, physics);
    connectors.push_back(device.connector.get());
  }
  return device;
}

// Those that are locked from the start hold what is in front of them.
void Simulation::Impl::connect_connectors() {
  for (std::size_t i = 0; i < connectors.size(); ++i) {
    connectors[i]->meet(connectors, static_cast<int>(i));
  }
  for (Connector* connector : connectors) {
    connector->start();
  }
}

void Simulation::Impl::connect_propeller(const DeviceSpec& spec, const std::string& owner,
                                         Motor& motor) {
  const PropellerState& state = physics.propellers()[spec.propeller];
  motor.set_propeller(state);
  turned_propellers.push_back({owner + '/' + spec.name, &state});
}

// What the devices of a robot have to do with each other: couplings, and power.
void Simulation::Impl::connect_devices(const RobotSpec& spec, Robot& robot) {
  for (std::size_t i = 0; i < spec.devices.size(); ++i) {
    const auto group_of = [&spec](std::size_t k) {
      return spec.devices[k].motor ? spec.devices[k].motor->coupling : 0;
    };
    if (group_of(i) == 0) {
      continue;
    }
    std::vector<Motor*> siblings;
    for (std::size_t k = 0; k < spec.devices.size(); ++k) {
      if (k != i && group_of(k) == group_of(i)) {
        siblings.push_back(robot.devices()[k].motor.get());
      }
    }
    robot.devices()[i].motor->set_siblings(std::move(siblings));
  }
  if (spec.wheels) {
    robot.set_wheels(std::make_unique<DifferentialWheels>(*spec.wheels, spec.name, physics, random,
                                                          settings.notices));
    wheels.push_back(robot.wheels());
  }
  if (!spec.battery.empty() && spec.battery.front() >= 0.0) {
    robot.set_battery({spec.battery.front(), spec.cpu_consumption});
    with_battery.push_back(&robot);
  }
}

void Simulation::Impl::drain_batteries() {
  for (Robot* robot : with_battery) {
    if (robot->battery()->exhausted()) {
      continue;
    }
    for (const Device& device : robot->devices()) {
      if (device.motor != nullptr && device.joint >= 0 && device.motor->consumes_by_effort()) {
        physics.measure(device.joint);
      }
    }
    if (robot->drain_battery(h)) {
      settings.notices.say(fmt::format(
          "robot \"{}\": its battery is empty at {:.6g} s; its motors and sensors are off",
          robot->name(), now_ms() / 1000.0));
    }
  }
}

// One basic step, in Webots' order.
void Simulation::Impl::step() {
  for (Motor* motor : motors) {
    motor->before_step(h);
  }
  for (Emitter* emitter : emitters) {
    emitter->transmit(receivers, now_ms() + scene.world.basic_time_step_ms);
  }
  for (DifferentialWheels* pair : wheels) {
    pair->before_step(h);
  }
  for (Connector* connector : connectors) {
    connector->before_step();
  }
  int torn_loop = -1;
  try {
    torn_loop = physics.step();
  } catch (const Unstable& unstable) {
    diverged(unstable.solid);
  }
  ++steps;
  if (!with_battery.empty()) {
    drain_batteries();
  }
  if (torn_loop >= 0) {
    settings.notices.say(
        fmt::format("joint \"{}\" closes a loop that cannot close: its ends are {:.3g} m "
                    "apart (said once)",
                    scene.joints[torn_loop].name, physics.loop_gap(torn_loop)));
  }
  const double now = now_ms();
  for (std::size_t j = 0; j < motor_of.size(); ++j) {
    if (motor_of[j] != nullptr && motor_of[j]->feedback().due(now)) {
      physics.measure(static_cast<int>(j));
      motor_of[j]->after_step(now);
    }
  }
  for (PositionSensor* sensor : sensors) {
    sensor->after_step(now);
  }
  for (SolidSensor* sensor : solid_sensors) {
    sensor->after_step(now);
  }
  for (Receiver* receiver : receivers) {
    receiver->after_step(now);
  }
  for (Connector* connector : connectors) {
    connector->after_step(now);
  }
  for (DifferentialWheels* pair : wheels) {
    pair->after_step(now);
  }
}

void Simulation::Impl::diverged(int solid) {
  const double t = (static_cast<double>(steps) + 1.0) * h;
  const SolidSpec* spec = &scene.solids[solid];
  while (spec->joint < 0 && spec->parent >= 0) {
    spec = &scene.solids[spec->parent];
  }
  const std::string joint =
      spec->joint >= 0 ? fmt::format("joint \"{}\" of ", scene.joints[spec->joint].name) : "";
  throw Diverged(fmt::format(
      "the simulation diverged at {}Solid \"{}\", {:.6g} s: its speed or position left the "
      "range that can be simulated. Try a smaller basicTimeStep, smaller forces or heavier parts",
      joint, scene.solids[solid].name, t));
}

Simulation::Simulation(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

Simulation::Simulation(const std::string& world_path, LoadOptions options) {
  Diagnostics diagnostics;
  const wbt::WorldFile file = wbt::read_world(world_path, {options.proto_paths}, diagnostics);
  impl_ = Impl::load(file, diagnostics, std::move(options));
}

Simulation Simulation::from_text(std::string world_text, LoadOptions options,
                                 const std::string& folder) {
  Diagnostics diagnostics;
  const wbt::WorldFile file = wbt::read_world_text(std::move(world_text), "world", folder,
                                                   {options.proto_paths}, diagnostics);
  return Simulation(Impl::load(file, diagnostics, std::move(options)));
}

const std::vector<Diagnostic>& Simulation::diagnostics() const { return impl_->diagnostics_list; }

void Simulation::step() { impl_->step(); }

void Simulation::step(std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    impl_->step();
  }
}

double Simulation::time() const { return impl_->now_ms() / 1000.0; }
double Simulation::basic_time_step_ms() const { return impl_->scene.world.basic_time_step_ms; }
std::int64_t Simulation::step_count() const { return impl_->steps; }

int Simulation::robot_count() const { return static_cast<int>(impl_->robots.size()); }

Robot& Simulation::robot(int index) {
  return *impl_->robots[checked_index("robot", index, impl_->robots.size())];
}

Robot& Simulation::robot(std::string_view name) {
  for (const auto& robot : impl_->robots) {
    if (robot->name() == name) {
      return *robot;
    }
  }
  throw std::out_of_range(
      fmt::format("no robot \"{}\" in this world; it has {}", name, names_of(impl_->robots)));
}

int Simulation::joint_count() const { return static_cast<int>(impl_->scene.joints.size()); }

const std::string& Simulation::joint_name(int joint) const { return impl_->joint_spec(joint).name; }

JointType Simulation::joint_type(int joint) const { return impl_->joint_spec(joint).type; }

int Simulation::joint_index(std::string_view name) const {
  int found = -1;
  for (int j = 0; j < joint_count(); ++j) {
    const std::string_view full = joint_name(j);
    if (full == name) {
      return j;
    }
    if (full.substr(full.find('/') + 1) == name) {
      found = found == -1 ? j : -2;
    }
  }
  if (found < 0) {
    throw std::out_of_range(
        fmt::format("{} joint is called \"{}\"", found == -1 ? "no" : "more than one", name));
  }
  return found;
}

void Simulation::set_joint_state(int joint, double position, double velocity) {
  if (!std::isfinite(position) || !std::isfinite(velocity)) {
    throw std::invalid_argument("a joint's position and velocity must be finite");
  }
  if (impl_->joint_spec(joint).reference) {
    throw std::invalid_argument(fmt::format(
        "joint \"{}\" closes a loop: its position follows from the others", joint_name(joint)));
  }
  impl_->physics.set_joint_state(joint, position, velocity);
}

const Scene& Simulation::scene() const { return impl_->scene; }
const std::vector<RigidBody>& Simulation::bodies() const { return impl_->physics.bodies(); }

void Simulation::pin_robot(int robot, bool pinned) {
  const auto& robots = impl_->scene.robots;
  impl_->physics.pin(robots[checked_index("robot", robot, robots.size())].solid, pinned);
}

Pose Simulation::solid_pose(std::string_view solid_name) const {
  const auto& solids = impl_->scene.solids;
  const auto found = std::find_if(solids.begin(), solids.end(),
                                  [&](const SolidSpec& s) { return s.name == solid_name; });
  if (found == solids.end()) {
    throw std::out_of_range(fmt::format("no Solid is called \"{}\"", solid_name));
  }
  return impl_->physics.solid_pose(static_cast<int>(found - solids.begin()));
}

}  // namespace servosim
