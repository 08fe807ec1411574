// SPDX-License-Identifier: Apache-2.0
#include "sim/lane_group.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/assert.h"
#include "physics/world_in_lanes.h"
#include "scene/scene.h"
#include "sim/simulation_core.h"

namespace servosim {

namespace {

// Returns whether a device does nothing in a step as long as it is not enabled.
bool only_measures(const Device& device) {
  if (device.follows()) {
    return false;
  }
  switch (device.turn()) {
    case Turn::PositionSensor:
    case Turn::BodySensor:
    case Turn::Brake:
    case Turn::Led:
    case Turn::Ranging:
    case Turn::Camera:
    case Turn::Recognition:
    case Turn::Radar:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::shared_ptr<const LaneWorld> LaneWorld::of(Simulation& simulation, const Notices& notices,
                                               std::string& why) {
  SimulationCore& core = SimulationCore::of(simulation);
  auto world = std::make_shared<LaneWorld>();
  world->scene_ = core.built_->scene;
  world->notices_ = std::make_unique<Notices>(notices);
  if (const char* const refused = WorldInLanes(core.physics()).describe(world->model_);
      refused != nullptr) {
    why = refused;
    return nullptr;
  }
  if (!world->scene_->measured_solids.empty()) {
    why = "it has a force-torque sensor";
    return nullptr;
  }
  const DeviceLists& devices = core.devices().lists();
  for (const Device* const device : devices.devices) {
    if (device->turn() != Turn::Motor && !only_measures(*device)) {
      why = "a device acts in each step";
      return nullptr;
    }
  }
  if (!devices.with_battery.empty()) {
    why = "a robot has a battery";
    return nullptr;
  }
  const std::vector<JointSpec>& joints = core.scene().joints;
  world->axis_of_.assign(joints.size(), -1);
  for (const JointLaneTree& tree : world->model_.trees) {
    for (const JointLaneAxis& axis : tree.axes) {
      const auto joint = static_cast<std::size_t>(axis.joint);
      world->axis_of_[joint] = static_cast<int>(world->axes_.size());
      Axis& added = world->axes_.emplace_back();
      added.axis = &axis;
      added.friction = core.physics().joints()[axis.joint].static_friction;
      if (const Motor* const motor = devices.motor_of[joint]; motor != nullptr) {
        world->reports_.push_back(MotorInLane::reports_of(*motor, *world->notices_));
        added.motor = static_cast<int>(world->motors_++);
        world->friction_of_motor_.push_back(added.friction);
      } else {
        std::ranges::fill(added.resists.max_force, added.friction);
        added.resists.any_row = added.friction > 0.0;
      }
    }
  }
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const Motor* const motor = devices.motor_of[j];
    if (motor != nullptr && (world->axis_of_[j] < 0 || !MotorInLane::suits(*motor))) {
      why = "a motor is coupled, or drives a joint without Physics";
      return nullptr;
    }
  }
  if (static_cast<std::size_t>(std::ranges::count(devices.devices, Turn::Motor, &Device::turn)) !=
      world->motors_) {
    why = "a motor drives no joint, or a joint has several";
    return nullptr;
  }
  return world;
}

int LaneWorld::motor_of(int joint) const {
  const int axis = axis_of(joint);
  return axis >= 0 ? axes_[static_cast<std::size_t>(axis)].motor : -1;
}

namespace {

// The state of one lane in an array that has one block after the other.
JointLaneState state_in(std::vector<double>& numbers, std::size_t axes) {
  const auto block = [&](std::size_t b) {
    return b * axes < numbers.size() ? &numbers[b * axes] : nullptr;
  };
  return {block(0), block(1), block(2), block(3)};
}

}  // namespace

// Devices that are enabled measure in steps, which lanes do not do.
std::optional<LaneMember> LaneWorld::read(const Simulation& simulation) const {
  SimulationCore& core = SimulationCore::of(simulation);
  if (core.built_->scene != scene_) {
    return std::nullopt;
  }
  const DeviceLists& devices = core.devices().lists();
  if (std::ranges::any_of(devices.devices, [](const Device* device) {
        return device->sampler().period_ms() != 0;
      })) {
    return std::nullopt;
  }
  LaneMember member;
  member.numbers.resize((model_.has_history() ? 4 : 2) * axes());
  if (!WorldInLanes(core.physics()).read(model_, state_in(member.numbers, axes()), member.begins)) {
    return std::nullopt;
  }
  member.step_count = core.step_count();
  for (const Axis& axis : axes_) {
    if (axis.motor >= 0) {
      const Motor& motor = *devices.motor_of[static_cast<std::size_t>(axis.axis->joint)];
      member.motors.emplace_back(motor);
      member.laws.push_back(MotorInLane::law_of(motor));
    }
  }
  return member;
}

LaneGroup::LaneGroup(const LaneWorld& world, LaneSet lanes)
    : world_(world),
      lanes_(JointLaneSolver::lanes(lanes)),
      blocks_(world.model().has_history() ? 4 : 2),
      block_size_((world.axes() * lanes_ + 7) / 8 * 8),
      lines_(2 * blocks_ * block_size_ / 8),
      slots_(lanes_),
      reports_(world.reports_),
      motors_(lanes_ * world.motors()),
      drives_(world.motors()),
      laws_(world.motors()),
      one_numbers_(world.motors()) {}

namespace {

// The numbers of one lane of a law.
detail::VelocityNumbers<double> numbers_at(const JointLaneLaw::Numbers& from, std::size_t lane) {
  return {from.velocity[lane], from.integral[lane], from.previous_error[lane]};
}
void set_numbers(JointLaneLaw::Numbers& to, std::size_t lane,
                 const detail::VelocityNumbers<double>& numbers) {
  to.velocity[lane] = numbers.velocity;
  to.integral[lane] = numbers.integral;
  to.previous_error[lane] = numbers.previous_error;
}

}  // namespace

void LaneGroup::gather(const double* blocks, std::size_t lane, std::vector<double>& numbers) const {
  numbers.resize(blocks_ * world_.axes());
  double* to = numbers.data();
  for (std::size_t b = 0; b < blocks_; ++b) {
    for (std::size_t a = 0; a < world_.axes(); ++a) {
      *to++ = blocks[b * block_size_ + a * lanes_ + lane];
    }
  }
}

void LaneGroup::scatter(const std::vector<double>& numbers, std::size_t lane) {
  std::size_t n = 0;
  for (std::size_t b = 0; b < blocks_; ++b) {
    for (std::size_t a = 0; a < world_.axes(); ++a) {
      block(b)[a * lanes_ + lane] = numbers.empty() ? 0.0 : numbers[n++];
    }
  }
}

void LaneGroup::take_number(std::size_t lane, std::size_t motor) {
  const OneNumber kind = one_numbers_[motor].kind[lane];
  if (kind != OneNumber::None) {
    motors_[lane * world_.motors() + motor].set_number(numbers_of(motor, kind)[lane]);
  }
}

// A step that goes on without a law keeps its numbers.
void LaneGroup::read_motor(std::size_t lane, std::size_t motor) {
  const MotorInLane& from = motors_[lane * world_.motors() + motor];
  JointLaneMotor& drive = drives_[motor];
  const JointDrive wanted = from.drive(world_.friction_of_motor_[motor]);
  drive.force[lane] = wanted.force;
  drive.velocity[lane] = wanted.velocity;
  drive.max_force[lane] = wanted.max_force;
  drive.softness[lane] = wanted.softness;
  JointLaneLaw& law = laws_[motor];
  const MotorCommandOf<double> command = command_of(from.targets());
  law.holds[lane] = from.follows_law() ? 1.0 : 0.0;
  law.position[lane] = command.position;
  law.velocity[lane] = command.velocity;
  law.acceleration[lane] = command.acceleration;
  law.available_force[lane] = command.available_force;
  law.p[lane] = command.gains.p;
  law.i[lane] = command.gains.i;
  law.d[lane] = command.gains.d;
  set_numbers(law.before, lane, numbers_at(law.numbers, lane));
  OneNumbers& numbers = one_numbers_[motor];
  const MotorLimits limits = from.limits();
  numbers.kind[lane] = from.one_number();
  if (numbers.kind[lane] == OneNumber::Force) {
    numbers.high[lane] = std::max(0.0, command.available_force);
    numbers.low[lane] = -numbers.high[lane];
  } else {
    constexpr double kAny = std::numeric_limits<double>::infinity();
    numbers.low[lane] = limits.has_range() ? limits.min_position : -kAny;
    numbers.high[lane] = limits.has_range() ? limits.max_position : kAny;
  }
  count_lanes(motor);
}

void LaneGroup::stop_motor(std::size_t lane, std::size_t motor) {
  JointLaneMotor& drive = drives_[motor];
  drive.force[lane] = drive.max_force[lane] = 0.0;
  laws_[motor].holds[lane] = 0.0;
  one_numbers_[motor].kind[lane] = OneNumber::None;
  count_lanes(motor);
}

void LaneGroup::count_lanes(std::size_t motor) {
  JointLaneMotor& drive = drives_[motor];
  OneNumbers& numbers = one_numbers_[motor];
  drive.any_row = drive.any_law = false;
  std::ranges::fill(numbers.count, 0U);
  for (std::size_t l = 0; l < lanes_; ++l) {
    drive.any_row = drive.any_row || drive.max_force[l] > 0.0;
    drive.any_law = drive.any_law || laws_[motor].holds[l] > 0.0;
    ++numbers.count[static_cast<std::size_t>(numbers.kind[l])];
  }
}

void LaneGroup::take(std::size_t lane, const LaneMember& member) {
  Slot& slot = slots_[lane];
  in_ += slot.is_in ? 0 : 1;
  begins_ -= slot.begins ? 1 : 0;
  begins_ += member.begins ? 1 : 0;
  slot = {true, false, member.begins, member.step_count - steps_, steps_};
  scatter(member.numbers, lane);
  for (std::size_t m = 0; m < world_.motors(); ++m) {
    MotorInLane& motor = motors_[lane * world_.motors() + m];
    motor = member.motors[m];
    motor.report_to(reports_[m]);
    set_numbers(laws_[m].numbers, lane, member.laws[m]);
    read_motor(lane, m);
  }
}

void LaneGroup::give_back(std::size_t lane, Simulation& simulation) {
  SERVOSIM_ASSERT(has(lane), "lane {} has no simulation", lane);
  SimulationCore& core = SimulationCore::of(simulation);
  const Slot slot = slots_[lane];
  const DeviceLists& devices = core.devices().lists();
  for (const LaneWorld::Axis& axis : world_.axes_) {
    if (axis.motor >= 0) {
      const auto m = static_cast<std::size_t>(axis.motor);
      take_number(lane, m);
      motors_[lane * world_.motors() + m].write(
          numbers_at(laws_[m].before, lane),
          *devices.motor_of[static_cast<std::size_t>(axis.axis->joint)]);
    }
  }
  std::vector<double> numbers;
  gather(state_before(), lane, numbers);
  drop(lane);
  if (slot.came == steps_) {
    return;
  }
  if (slot.came != steps_ - 1) {  // else the objects have that state
    WorldInLanes(core.physics()).write(world_.model_, state_in(numbers, world_.axes()));
  }
  core.steps_ = slot.begin + steps_ - 1;
  core.step();
}

// A lane without a simulation takes steps of a world at rest, since all lanes do.
void LaneGroup::drop(std::size_t lane) {
  if (!has(lane)) {
    return;
  }
  begins_ -= slots_[lane].begins ? 1 : 0;
  slots_[lane] = {};
  --in_;
  for (std::size_t m = 0; m < world_.motors(); ++m) {
    stop_motor(lane, m);
  }
  scatter({}, lane);
}

void LaneGroup::set_demand(std::size_t a, JointLaneDemand& demand) {
  const LaneWorld::Axis& axis = world_.axes_[a];
  const Stops& stops = axis.axis->stops;
  const StepSettings& settings = world_.model_.settings;
  const double* const p = positions() + a * lanes_;
  const auto m = static_cast<std::size_t>(axis.motor);
  demand.motor = axis.motor >= 0 ? &drives_[m] : &axis.resists;
  demand.law = demand.motor->any_law ? &laws_[m] : nullptr;
  demand.any_stop = false;
  if (axis.axis->spring.active && !axis.axis->spring.counts_turns) {
    for (std::size_t l = 0; l < lanes_; ++l) {
      demand.from_rest[l] = axis.axis->spring.stretch(p[l]);
    }
  }
  if (stops.exist()) {
    for (std::size_t l = 0; l < lanes_; ++l) {
      const bool holds = stops.hold(p[l]);
      demand.is_at_stop[l] = holds ? 1.0 : 0.0;
      demand.any_stop = demand.any_stop || holds;
      if (holds) {
        const RowTerms row = stops.row(p[l], settings);
        demand.stop_target[l] = row.target;
        demand.stop_low[l] = row.low;
        demand.stop_high[l] = row.high;
      }
    }
  }
}

void LaneGroup::repeat_history() {
  for (std::size_t l = 0; l < lanes_; ++l) {
    for (std::size_t a = 0; slots_[l].begins && a < world_.axes(); ++a) {
      block(3)[a * lanes_ + l] = block(2)[a * lanes_ + l];
    }
    slots_[l].begins = false;
  }
  begins_ = 0;
}

bool LaneGroup::step(JointLaneSolver& solver) {
  for (std::size_t a = 0; a < world_.axes(); ++a) {
    set_demand(a, solver.demand(a));
  }
  std::copy_n(block(0), blocks_ * block_size_, state_before());
  std::array<bool, kMaxLanes> good;
  const bool all_good = solver.step(state(), good.data());
  ++steps_;
  if (begins_ > 0) {
    repeat_history();
  }
  if (all_good && is_full()) {
    return false;
  }
  bool any_stuck = false;
  for (std::size_t l = 0; l < lanes_; ++l) {
    Slot& slot = slots_[l];
    if (slot.is_in) {
      slot.is_stuck = !good[l];
      any_stuck = any_stuck || slot.is_stuck;
    } else {
      scatter({}, l);
    }
  }
  return any_stuck;
}

}  // namespace servosim
