// SPDX-License-Identifier: Apache-2.0
#include "servosim/motor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/assert.h"
#include "base/device_command.h"
#include "base/report_once.h"
#include "devices/device_archive.h"
#include "devices/device_binding.h"
#include "devices/measuring.h"
#include "devices/motor_law.h"
#include "devices/motor_reports.h"
#include "devices/servo_electronics.h"
#include "physics/physics_world.h"
#include "physics/servo_state.h"
#include "scene/scene.h"
#include "servo_models/catalogue.h"

namespace servosim {

namespace {

double bounded(double value, double most) { return std::clamp(value, -most, most); }

void wake(JointState* joint) {
  if (joint != nullptr) {
    joint->wake = true;
  }
}

void measure_joint(PhysicsWorld* physics, int number) {
  if (physics != nullptr && number >= 0) {
    physics->joints().measure(number);
  }
}

void tell_idle_gains(const ServoElectronics& servo, const PidGains& gains, MotorReports& reports) {
  if (reports.has(MotorReports::IdleGain)) {
    return;
  }
  if (const std::string news = servo.idle_gain_news(gains); !news.empty()) {
    reports.once(MotorReports::IdleGain, news + " (reported once)");
  }
}

}  // namespace

Motor::Motor(const MotorSpec& spec, std::string owner, JointState* joint, Notices& notices,
             const PropellerState* propeller)
    : Device(Turn::Motor), reports_(std::make_unique<MotorReports>(std::move(owner), notices)) {
  targets_.position = joint != nullptr ? joint->position : spec.fixed_position;
  targets_.velocity = spec.max_velocity;
  targets_.acceleration = spec.acceleration;
  targets_.available_force = spec.available_force;
  targets_.gains = spec.gains;
  bind(spec, joint, propeller);
}

Motor::Motor(const DeviceBinding& binding)
    : Motor(*binding.spec.motor, binding.owner, binding.joint(), binding.world->notices,
            binding.propeller()) {
  physics_ = binding.physics();
  joint_number_ = binding.spec.joint;
  bind_servo(binding);
  targets_.gains = servo_.first_gains(*spec_);
}

Motor::~Motor() = default;

void Motor::bind(const MotorSpec& spec, JointState* joint, const PropellerState* propeller) {
  SERVOSIM_ASSERT(propeller == nullptr || joint == &propeller->shaft,
                  "motor \"{}\" drives another joint than the shaft of its propeller", spec.name);
  spec_ = &spec;
  reports_->bind(spec);
  joint_ = joint;
  position_ = joint != nullptr ? &joint->shaft_position() : nullptr;
  propeller_ = propeller;
  coupled_ = nullptr;
}

// Where a joint cannot move as a servo does, its motor is one of Webots.
void Motor::bind_servo(const DeviceBinding& binding) {
  ServoState* const state =
      physics_ != nullptr && joint_number_ >= 0 ? physics_->servo(joint_number_) : nullptr;
  const bool is_asked_for = state != nullptr && spec_->servo != nullptr;
  servo_.bind(is_asked_for && state->is_simulated ? state : nullptr, &binding.world->random);
  if (is_asked_for && !state->is_simulated) {
    reports_->once(MotorReports::NoServo,
                   fmt::format("its servo {} has no effect, since it needs a HingeJoint without "
                               "suspension, or a SliderJoint, whose endPoint has Physics",
                               spec_->servo->name));
  }
}

void Motor::rebind(const DeviceBinding& binding) {
  physics_ = binding.physics();
  joint_number_ = binding.spec.joint;
  const MotorSpec& spec = *binding.spec.motor;
  if (binding.world == nullptr) {
    servo_.bind(nullptr, nullptr);
    return bind(spec, nullptr, nullptr);
  }
  const MotorSpec& before = *spec_;
  if (before.max_velocity != spec.max_velocity) {
    targets_.velocity = targets_.velocity == before.max_velocity
                            ? spec.max_velocity
                            : bounded(targets_.velocity, spec.max_velocity);
  }
  if (before.max_force != spec.max_force) {
    targets_.available_force = targets_.available_force == before.available_force
                                   ? spec.available_force
                                   : std::min(targets_.available_force, spec.max_force);
    targets_.force = bounded(targets_.force, std::max(0.0, targets_.available_force));
  }
  if (before.acceleration != spec.acceleration) {
    targets_.acceleration = spec.acceleration;
  }
  const PidGains had = servo_.first_gains(*spec_);
  reports_->set_owner(binding.owner);
  bind(spec, binding.joint(), binding.propeller());
  bind_servo(binding);
  if (const PidGains gains = servo_.first_gains(*spec_); gains != had) {
    targets_.gains = gains;
    law_.clear_errors();
  }
  if (spec.min_position != spec.max_position && std::isfinite(targets_.position)) {
    targets_.position = std::clamp(targets_.position, spec.min_position, spec.max_position);
  }
}

const std::string& Motor::name() const { return spec_->name; }
JointType Motor::type() const { return spec_->type; }
const std::string& Motor::owner() const { return reports_->owner(); }

MotorLimits Motor::limits() const { return limits_of_motor(*spec_); }

std::optional<double> Motor::position() const {
  return joint_ != nullptr ? std::optional(joint_->position) : std::nullopt;
}

// Coupled motors get the unscaled value.
void Motor::share(Shared kind, double value) {
  take(kind, value);
  if (coupled_) {
    for (Motor* const motor : *coupled_) {
      if (motor != this) {
        motor->take(kind, value);
      }
    }
  }
}

void Motor::take(Shared kind, double value) {
  switch (kind) {
    case Shared::Position:
      take_position(targets_, value, *spec_, servo_.model(), *reports_);
      break;
    case Shared::Velocity:
      take_velocity(targets_, value, *spec_, *reports_);
      break;
    case Shared::Force:
      take_force(targets_, value, *spec_, coupled_ != nullptr, *reports_);
      break;
  }
  wake(joint_);
}

void Motor::set_position(double target) {
  refuse_nan(target, "position");
  share(Shared::Position, target);
}

void Motor::set_velocity(double velocity) {
  refuse_nan(velocity, "velocity");
  share(Shared::Velocity, velocity);
}

void Motor::set_force(double force) {
  refuse_nan(force, "force");
  share(Shared::Force, force);
}

void Motor::set_acceleration(double acceleration) {
  refuse(std::isnan(acceleration) || (acceleration < 0.0 && acceleration != -1.0), "acceleration",
         acceleration, "-1 or a number >= 0");
  targets_.acceleration = acceleration;
  wake(joint_);
}

void Motor::set_available_force(double force) {
  refuse(std::isnan(force) || force < 0.0, "available force", force, "a number >= 0");
  const double capped = std::min(force, spec_->max_force);
  targets_.available_force = powered_ ? capped : 0.0;
  if (capped != force && !coupled_) {
    reports_->replaced(MotorReports::MaxForce, "available force beyond the maximum:", force,
                       capped);
  }
  wake(joint_);
}

void Motor::drive(const JointDrive& drive) {
  refuse(!std::isfinite(drive.velocity), "velocity", drive.velocity, "a finite number");
  refuse(!(drive.max_force >= 0.0), "largest force", drive.max_force, "a number >= 0");
  refuse_nan(drive.force, "force");
  const bool may_be_soft = joint_ == nullptr || joint_->backlash.width == 0.0;
  refuse(!(drive.softness >= 0.0) || std::isinf(drive.softness) ||
             (drive.softness > 0.0 && !may_be_soft),
         "softness", drive.softness,
         may_be_soft ? "a finite number >= 0" : "0, since the joint has backlash");
  if (!targets_.driven) {
    stop();
  }
  if (!targets_.driven || drive != targets_.drive) {
    targets_.drive = drive;
    wake(joint_);
  }
  targets_.driven = true;
  targets_.force_control = false;
  targets_.given.drive = true;
}

void Motor::set_servo_pulse(double width) {
  refuse(!(width > 0.0) || std::isinf(width), "pulse", width, "a finite number > 0 [µs]");
  const ServoModel* const servo = servo_.model();
  if (servo == nullptr || !servo->pulses.exist()) {
    std::string others;
    for (const ServoFile& file : ServoCatalogue::builtin()) {
      if (file.find("")->model.pulses.exist()) {
        others += (others.empty() ? "" : ", ") + file.name;
      }
    }
    throw std::invalid_argument(
        fmt::format("{}: {} takes no pulses; servos that do are {}, and those whose file has the "
                    "table [pulses]",
                    reports_->subject(),
                    servo != nullptr ? "its servo " + servo->name : "a plain motor", others));
  }
  reports_->replaced(MotorReports::Pulse, "pulse beyond those of its servo [µs]:", width,
                     std::clamp(width, servo->pulses.low, servo->pulses.high));
  const double position = servo->pulses.position_of(width);
  set_position(position / (spec_->multiplier != 0.0 ? spec_->multiplier : 1.0));
}

double Motor::servo_pulse() const {
  const ServoModel* const servo = servo_.model();
  const bool has_goal =
      !targets_.force_control && !targets_.driven && std::isfinite(targets_.position);
  return servo != nullptr && servo->pulses.exist() && has_goal
             ? servo->pulses.width_of(targets_.position)
             : std::numeric_limits<double>::quiet_NaN();
}

void Motor::set_control_pid(const PidGains& gains) {
  refuse(!(gains.p > 0.0), "P", gains.p, "a number > 0");
  refuse(!(gains.i >= 0.0), "I", gains.i, "a number >= 0");
  refuse(!(gains.d >= 0.0), "D", gains.d, "a number >= 0");
  if (ServoElectronics* const servo = servo_.electronics()) {
    tell_idle_gains(*servo, gains, *reports_);
  }
  targets_.gains = gains;
  law_.clear_errors();
  wake(joint_);
}

void Motor::enable(int period_ms, double now_ms) {
  if (period_ms > 0 && (joint_ == nullptr || !joint_->has_feedback)) {
    reports_->once(
        MotorReports::Feedback,
        fmt::format("no force feedback, because {}",
                    propeller_ != nullptr
                        ? "it turns a Propeller"
                        : "the endPoint and the Solid above the joint do not both have Physics"));
    return;
  }
  Device::enable(period_ms, now_ms);
}

void Motor::before_step(double h) {
  if (joint_ == nullptr) {
    return;
  }
  SERVOSIM_ASSERT(!std::isnan(targets_.position) && !std::isnan(targets_.velocity),
                  "motor \"{}\": target {} at {}", spec_->name, targets_.position,
                  targets_.velocity);
  if (ServoElectronics* const servo = servo_.electronics()) {
    if (const ServoOrder* const order = servo->taken_over()) {
      tell_idle_gains(*servo, order->gains, *reports_);
    }
    servo_.step(targets_, *spec_, *joint_, h);
  } else if (targets_.driven) {
    drive_joint(*joint_, targets_, h);
  } else if (joint_->dynamic) {
    command_joint(*joint_, *position_, targets_, law_, h);
  } else {
    move_joint(*joint_, targets_, *spec_, law_, propeller_ == nullptr || powered_, h);
  }
}

void Motor::measure(double now_ms) {
  if (joint_ != nullptr) {
    measure_joint(physics_, joint_number_);
    sampler_.store(joint_->constraint_effort, now_ms);
  }
}

CommandEffect Motor::command(const DeviceCommand& command, double now_ms) {
  static constexpr std::pair<CommandKind, void (Motor::*)(double)> kNumbers[] = {
      {CommandKind::Position, &Motor::set_position},
      {CommandKind::Velocity, &Motor::set_velocity},
      {CommandKind::AvailableForce, &Motor::set_available_force},
      {CommandKind::Force, &Motor::set_force},
      {CommandKind::Acceleration, &Motor::set_acceleration},
  };
  const auto& [first, second, third] = command.numbers;
  for (const auto& [kind, set] : kNumbers) {
    if (kind == command.kind) {
      (this->*set)(first);
      // The controller gets the resulting acceleration and gains with the next answer, as in
      // Webots.
      return {true, kind == CommandKind::Acceleration};
    }
  }
  if (command.kind == CommandKind::ControlPid) {
    set_control_pid({first, second, third});
    return {true, true};
  }
  if (command.kind == CommandKind::ForceFeedback) {
    enable(command.integer, now_ms);
    return {true};
  }
  return {};
}

void Motor::list_settings(std::vector<DeviceSetting>& settings) const {
  const PidGains& gains = targets_.gains;
  settings.push_back({{}, {spec_->min_position, spec_->max_position}, 2});
  settings.push_back({{}, {spec_->max_velocity, spec_->max_force, spec_->multiplier}, 3});
  settings.push_back({"acceleration", {targets_.acceleration}});
  settings.push_back({"controlPID", {gains.p, gains.i, gains.d}, 3});
}

void Motor::set_field(std::string_view field, std::span<const double> numbers) {
  if (field == "acceleration") {
    set_acceleration(numbers[0]);
  } else if (field == "controlPID") {
    set_control_pid({numbers[0], numbers[1], numbers[2]});
  }
}

void Motor::restart() {
  targets_.position = position().value_or(spec_->fixed_position);
  targets_.velocity = spec_->max_velocity;
  targets_.available_force = powered_ ? spec_->available_force : 0.0;
  targets_.force_control = false;
  targets_.force = 0.0;
  stop();
  set_acceleration(spec_->acceleration);
}

void Motor::hold(double position) {
  if (std::isfinite(targets_.position)) {
    targets_.position = position;
  }
}

std::function<void()> Motor::keep_settings() {
  return [this, gains = targets_.gains, measures = Device::keep_settings()] {
    if (targets_.gains != gains) {
      set_control_pid(gains);
    }
    measures();
  };
}

void Motor::stop() {
  law_.stop();
  law_.clear_errors();
  if (ServoElectronics* const servo = servo_.electronics()) {
    servo->stop();
  }
}

void Motor::set_power(bool on) {
  Device::set_power(on);
  targets_.available_force = on ? spec_->max_force : 0.0;
  wake(joint_);
}

void Motor::archive_state(DeviceArchive& archive) {
  MotorTargets& t = targets_;
  archive.notices(reports_->reported());
  archive.unhashed(t.driven);
  archive.hashed(law_);
  archive.hashed(t.position);
  archive.hashed(t.velocity);
  archive.hashed(t.acceleration);
  archive.hashed(t.available_force);
  archive.hashed(t.force);
  archive.hashed(t.force_control);
  archive.hashed(t.gains);
  archive.hashed_if(t.driven, t.drive);
  if (ServoElectronics* const servo = servo_.electronics()) {
    servo->archive(archive);
  }
}

double Motor::power_consumption() {
  if (const ServoElectronics* const servo = servo_.electronics()) {
    return servo->power();
  }
  if (spec_->consumption_factor > 0.0 && joint_ != nullptr && joint_->has_feedback) {
    measure_joint(physics_, joint_number_);
  }
  const double effort = propeller_ != nullptr
                            ? std::abs(propeller_->thrust) + std::abs(propeller_->torque)
                            : std::abs(feedback_effort(joint_));
  return effort * spec_->consumption_factor;
}

double Motor::commanded_velocity() const {
  if (targets_.driven) {
    return targets_.drive.velocity;
  }
  if (const ServoElectronics* const servo = servo_.electronics()) {
    return std::isinf(targets_.position) ? targets_.velocity : servo->target_rate();
  }
  return joint_ == nullptr || joint_->dynamic ? law_.velocity() : joint_->velocity;
}

double Motor::effort_limit() const {
  const ServoElectronics* const servo = servo_.electronics();
  return servo != nullptr && !targets_.driven ? servo->stall_torque() : targets_.available_force;
}

double Motor::muscle_status() const {
  return joint_ != nullptr ? servosim::muscle_status(*joint_, targets_, *spec_, law_) : 0.0;
}

}  // namespace servosim
