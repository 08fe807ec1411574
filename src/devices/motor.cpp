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
#include "devices/servo_electronics.h"
#include "physics/physics_world.h"
#include "physics/servo_state.h"
#include "scene/scene.h"
#include "servo_models/catalogue.h"

namespace servosim {

namespace {

enum NoticeKind : unsigned {
  kAbove = 1,
  kBelow = 2,
  kFast = 4,
  kForce = 8,
  kMaxForce = 16,
  kFeedback = 32,
  kNoServo = 64,
  kPulse = 128
};

// Keeps a finite target finite for any multiplier, since an infinite one means velocity control.
double finite(double target) {
  constexpr double kMax = std::numeric_limits<double>::max();
  return std::clamp(target, -kMax, kMax);
}

double bounded(double value, double most) { return std::clamp(value, -most, most); }

// Whether the requested value differs from the used one by more than a rounding error.
bool is_beyond(double asked, double used) {
  return std::abs(asked - used) > 1e-12 * std::max(1.0, std::abs(used));
}

}  // namespace

Motor::Motor(const MotorSpec& spec, std::string owner, JointState* joint, Notices& notices,
             const PropellerState* propeller)
    : Device(Turn::Motor),
      owner_(std::move(owner)),
      notices_(notices),
      state_{joint != nullptr ? joint->position : spec.fixed_position,
             spec.max_velocity,
             spec.acceleration,
             spec.available_force,
             spec.gains,
             false,
             0.0,
             {},
             0,
             false,
             {}} {
  bind(spec, joint, propeller);
}

Motor::Motor(const DeviceBinding& binding)
    : Motor(*binding.spec.motor, binding.owner, binding.joint(), binding.world->notices,
            binding.propeller()) {
  physics_ = binding.physics();
  joint_number_ = binding.spec.joint;
  bind_servo(binding);
  state_.gains = initial_gains();
}

Motor::~Motor() = default;

// The firmware of a real servo has gains of its own, as its registers have them.
PidGains Motor::initial_gains() const {
  if (servo_ == nullptr) {
    return spec_->gains;
  }
  const ServoFirmware& firmware = spec_->servo->firmware;
  return {firmware.p, firmware.i, firmware.d};
}

// A servo stays one, and keeps its orders, if the motor of the next tree is one. Where a joint
// cannot move as a servo does, its motor is one of Webots.
void Motor::bind_servo(const DeviceBinding& binding) {
  ServoState* const state =
      physics_ != nullptr && joint_number_ >= 0 ? physics_->servo(joint_number_) : nullptr;
  if (state == nullptr || spec_->servo == nullptr || !state->is_simulated) {
    servo_ = nullptr;
  } else if (servo_ != nullptr) {
    servo_->bind(*state, binding.world->random);
  } else {
    servo_ = std::make_unique<ServoElectronics>(*state, binding.world->random);
  }
  if (state != nullptr && spec_->servo != nullptr && !state->is_simulated &&
      (state_.noticed & kNoServo) == 0) {
    state_.noticed |= kNoServo;
    notices_.report(fmt::format(
        "robot \"{}\", motor \"{}\": its servo {} has no effect, since it needs a HingeJoint "
        "without suspension, or a SliderJoint, whose endPoint has Physics",
        owner_, spec_->name, spec_->servo->name));
  }
}

void Motor::bind(const MotorSpec& spec, JointState* joint, const PropellerState* propeller) {
  SERVOSIM_ASSERT(propeller == nullptr || joint == &propeller->shaft,
                  "motor \"{}\" drives another joint than the shaft of its propeller", spec.name);
  spec_ = &spec;
  joint_ = joint;
  position_ = joint != nullptr ? &joint->shaft_position() : nullptr;
  propeller_ = propeller;
  coupled_ = nullptr;
}

void Motor::rebind(const DeviceBinding& binding) {
  physics_ = binding.physics();
  joint_number_ = binding.spec.joint;
  const MotorSpec& spec = *binding.spec.motor;
  if (binding.world == nullptr) {
    servo_ = nullptr;
    return bind(spec, nullptr, nullptr);
  }
  const MotorSpec& before = *spec_;
  if (before.max_velocity != spec.max_velocity) {
    state_.target_velocity = state_.target_velocity == before.max_velocity
                                 ? spec.max_velocity
                                 : bounded(state_.target_velocity, spec.max_velocity);
  }
  if (before.max_force != spec.max_force) {
    state_.available_force = state_.available_force == before.available_force
                                 ? spec.available_force
                                 : std::min(state_.available_force, spec.max_force);
    state_.force = bounded(state_.force, std::max(0.0, state_.available_force));
  }
  if (before.acceleration != spec.acceleration) {
    state_.acceleration = spec.acceleration;
  }
  const PidGains had = initial_gains();
  owner_ = binding.owner;
  bind(spec, binding.joint(), binding.propeller());
  bind_servo(binding);
  if (const PidGains gains = initial_gains(); gains != had) {
    state_.gains = gains;
    state_.law.clear_errors();
  }
  if (spec.min_position != spec.max_position && std::isfinite(state_.target_position)) {
    state_.target_position =
        std::clamp(state_.target_position, spec.min_position, spec.max_position);
  }
}

const std::string& Motor::name() const { return spec_->name; }
JointType Motor::type() const { return spec_->type; }
double Motor::max_velocity() const { return spec_->max_velocity; }
double Motor::max_force() const { return spec_->max_force; }
double Motor::min_position() const { return spec_->min_position; }
double Motor::max_position() const { return spec_->max_position; }
double Motor::multiplier() const { return spec_->multiplier; }

void Motor::notice(unsigned kind, const char* what, double asked, double used) {
  if ((state_.noticed & kind) != 0 || !is_beyond(asked, used)) {
    return;
  }
  state_.noticed |= kind;
  notices_.report(fmt::format("robot \"{}\", motor \"{}\": {} {} replaced by {} (reported once)",
                              owner_, spec_->name, what, asked, used));
}

void Motor::wake() {
  if (joint_ != nullptr) {
    joint_->wake = true;
  }
}

double Motor::clamp_to_limits(double target) {
  if (spec_->min_position == spec_->max_position) {
    return target;
  }
  if (target > spec_->max_position) {
    notice(kAbove, "target position above maxPosition:", target, spec_->max_position);
    return spec_->max_position;
  }
  if (target < spec_->min_position) {
    notice(kBelow, "target position below minPosition:", target, spec_->min_position);
    return spec_->min_position;
  }
  return target;
}

std::optional<double> Motor::position() const {
  return joint_ != nullptr ? std::optional(joint_->position) : std::nullopt;
}

std::vector<Motor*> Motor::siblings() const {
  std::vector<Motor*> others = coupled_ ? *coupled_ : std::vector<Motor*>{};
  std::erase(others, this);
  return others;
}

// Gives a command to the coupled motors, unscaled.
void Motor::relay(void (Motor::*take)(double), double value) {
  for (Motor* motor : *coupled_) {
    if (motor != this) {
      (motor->*take)(value);
    }
  }
}

void Motor::set_position(double target) {
  refuse_nan(target, "position");
  take_position(target);
  if (coupled_) {
    relay(&Motor::take_position, target);
  }
}

void Motor::take_position(double target) {
  state_.target_position =
      std::isinf(target) ? target : clamp_to_limits(finite(target * spec_->multiplier));
  if (const ServoModel* const servo = servo_model();
      servo != nullptr && servo->pulses.exist() && std::isfinite(state_.target_position)) {
    const double asked = state_.target_position;
    notice(kPulse, "target position beyond the pulses of its servo:", asked,
           servo->pulses.position_of(servo->pulses.width_of(asked)));
  }
  state_.force_control = state_.driven = false;
  state_.force = 0.0;
  commands_.position = true;
  wake();
}

void Motor::set_velocity(double velocity) {
  refuse_nan(velocity, "velocity");
  take_velocity(velocity);
  if (coupled_) {
    relay(&Motor::take_velocity, velocity);
  }
}

void Motor::take_velocity(double velocity) {
  const double wanted = velocity * spec_->multiplier;
  state_.target_velocity = std::clamp(wanted, -spec_->max_velocity, spec_->max_velocity);
  if (state_.target_velocity != wanted) {
    notice(kFast, "velocity beyond maxVelocity:", wanted, state_.target_velocity);
  }
  commands_.velocity = commands_.velocity || wanted != 0.0;
  wake();
}

void Motor::set_acceleration(double acceleration) {
  refuse(std::isnan(acceleration) || (acceleration < 0.0 && acceleration != -1.0), "acceleration",
         acceleration, "-1 or a number >= 0");
  state_.acceleration = acceleration;
  wake();
}

void Motor::set_available_force(double force) {
  refuse(std::isnan(force) || force < 0.0, "available force", force, "a number >= 0");
  const double capped = std::min(force, spec_->max_force);
  state_.available_force = powered_ ? capped : 0.0;
  if (capped != force && !coupled_) {
    notice(kMaxForce, "available force beyond the maximum:", force, capped);
  }
  wake();
}

void Motor::set_force(double force) {
  refuse_nan(force, "force");
  take_force(force);
  if (coupled_) {
    relay(&Motor::take_force, force);
  }
}

void Motor::take_force(double force) {
  state_.force_control = true;
  state_.driven = false;
  commands_.force = true;
  const double wanted = force * spec_->multiplier;
  const double bound = std::max(0.0, state_.available_force);
  state_.force = std::clamp(wanted, -bound, bound);
  if (state_.force != wanted && !coupled_) {
    notice(kForce, "force beyond the available force:", wanted, state_.force);
  }
  wake();
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
  if (!state_.driven) {
    stop();
  }
  if (!state_.driven || drive != state_.drive) {
    state_.drive = drive;
    wake();
  }
  state_.driven = true;
  state_.force_control = false;
  commands_.drive = true;
}

void Motor::set_servo_pulse(double width) {
  refuse(!(width > 0.0) || std::isinf(width), "pulse", width, "a finite number > 0 [µs]");
  const ServoModel* const servo = servo_model();
  if (servo == nullptr || !servo->pulses.exist()) {
    std::string others;
    for (const ServoFile& file : ServoCatalogue::builtin()) {
      if (file.find("")->model.pulses.exist()) {
        others += (others.empty() ? "" : ", ") + file.name;
      }
    }
    throw std::invalid_argument(fmt::format(
        "robot \"{}\", motor \"{}\": {} takes no pulses; servos that do are {}, and those whose "
        "file has the table [pulses]",
        owner_, spec_->name, servo != nullptr ? "its servo " + servo->name : "a plain motor",
        others));
  }
  notice(kPulse, "pulse beyond those of its servo [µs]:", width,
         std::clamp(width, servo->pulses.low, servo->pulses.high));
  const double position = servo->pulses.position_of(width);
  set_position(position / (spec_->multiplier != 0.0 ? spec_->multiplier : 1.0));
}

double Motor::servo_pulse() const {
  const ServoModel* const servo = servo_model();
  const bool has_goal =
      !state_.force_control && !state_.driven && std::isfinite(state_.target_position);
  return servo != nullptr && servo->pulses.exist() && has_goal
             ? servo->pulses.width_of(state_.target_position)
             : std::numeric_limits<double>::quiet_NaN();
}

void Motor::set_control_pid(const PidGains& gains) {
  refuse(!(gains.p > 0.0), "P", gains.p, "a number > 0");
  refuse(!(gains.i >= 0.0), "I", gains.i, "a number >= 0");
  refuse(!(gains.d >= 0.0), "D", gains.d, "a number >= 0");
  state_.gains = gains;
  state_.law.clear_errors();
  wake();
}

void Motor::enable_force_feedback(int period_ms, double now_ms) {
  if (period_ms > 0 && (joint_ == nullptr || !joint_->has_feedback)) {
    if ((state_.noticed & kFeedback) == 0) {
      state_.noticed |= kFeedback;
      notices_.report(fmt::format(
          "robot \"{}\", motor \"{}\": no force feedback, because {}", owner_, spec_->name,
          propeller_ != nullptr
              ? "it turns a Propeller"
              : "the endPoint and the Solid above the joint do not both have Physics"));
    }
    return;
  }
  Device::enable(period_ms, now_ms);
}

void Motor::before_step(double h) {
  if (joint_ == nullptr) {
    return;
  }
  SERVOSIM_ASSERT(!std::isnan(state_.target_position) && !std::isnan(state_.target_velocity),
                  "motor \"{}\": target {} at {}", spec_->name, state_.target_position,
                  state_.target_velocity);
  if (servo_ != nullptr) {
    servo_step(h);
  } else if (state_.driven) {
    driven_step(h);
  } else if (joint_->dynamic) {
    dynamic_step(h);
  } else {
    kinematic_step(h);
  }
}

void Motor::driven_step(double h) {
  JointDrive wanted = state_.drive;
  const double most = std::max(0.0, state_.available_force);
  wanted.max_force = std::min(wanted.max_force, most);
  wanted.force = std::clamp(wanted.force, -most, most);
  if (!joint_->dynamic) {
    joint_->velocity = wanted.max_force > 0.0 ? wanted.velocity : 0.0;
    joint_->position += joint_->velocity * h;
    return;
  }
  if (wanted.max_force == 0.0) {
    wanted = {0.0, joint_->static_friction, wanted.force, 0.0};
  }
  joint_->drive = wanted;
}

void Motor::dynamic_step(double h) {
  JointState::Drive& drive = joint_->drive;
  if (state_.force_control) {
    drive = {0.0, joint_->static_friction, state_.force, 0.0};
    return;
  }
  if (state_.available_force == 0.0) {
    state_.law.stop();
  } else {
    state_.law.track(state_.target_position, *position_, state_.target_velocity,
                     state_.acceleration, state_.gains, h);
  }
  drive = {state_.law.velocity(), std::max(joint_->static_friction, state_.available_force), 0.0,
           0.0};
}

// Returns the share of the PWM limit of its servo that the available force is.
double Motor::torque_share() const {
  return spec_->max_force > 0.0 ? std::min(1.0, state_.available_force / spec_->max_force) : 0.0;
}

// A drive takes the place of the servo, which is then as if it were not there.
void Motor::servo_step(double h) {
  if (const ServoOrder* const order = servo_->taken_over()) {
    servo_->before_step(*order, joint_->position, h);
    joint_->drive = {};
    return;
  }
  if (state_.driven) {
    servo_->leave_step(joint_->position);
    driven_step(h);
    return;
  }
  constexpr double kNone = std::numeric_limits<double>::infinity();
  ServoOrder order;
  order.gains = state_.gains;
  // As in the registers of servos, 0 is no limit of its own; nor is −1.
  order.acceleration = state_.acceleration > 0.0 ? state_.acceleration : kNone;
  const double limit = std::abs(state_.target_velocity);
  order.speed = limit < spec_->max_velocity ? limit : kNone;
  order.share = torque_share();
  if (state_.force_control) {
    order.mode = ServoOrder::Mode::Force;
    order.value = state_.force;
  } else if (std::isinf(state_.target_position)) {
    order.mode = ServoOrder::Mode::Velocity;
    order.value = state_.target_velocity;
  } else {
    order.value = state_.target_position;
  }
  servo_->before_step(order, joint_->position, h);
  joint_->drive = {};
}

void Motor::kinematic_step(double h) {
  const double p = joint_->position;
  const bool unpowered_propeller = propeller_ != nullptr && !powered_;
  const bool at_rest = std::isinf(state_.target_position)
                           ? spec_->min_position != spec_->max_position &&
                                 ((p >= spec_->max_position && state_.target_velocity >= 0.0) ||
                                  (p <= spec_->min_position && state_.target_velocity <= 0.0))
                           : std::abs(state_.target_position - p) < 1e-6;
  if (at_rest || unpowered_propeller) {
    state_.law.stop();
    joint_->velocity = 0.0;
    return;
  }
  // Webots takes the number of the available force as the acceleration here.
  const double a = state_.acceleration == -1.0 || state_.acceleration > state_.available_force
                       ? state_.available_force
                       : state_.acceleration;
  joint_->position =
      state_.law.move(state_.target_position, p, state_.target_velocity, std::max(0.0, a), h);
  joint_->velocity = (joint_->position - p) / h;
}

void Motor::measure(double now_ms) {
  if (joint_ != nullptr) {
    measure_joint();
    sampler_.store(joint_->constraint_effort, now_ms);
  }
}

void Motor::measure_joint() {
  if (physics_ != nullptr && joint_number_ >= 0) {
    physics_->joints().measure(joint_number_);
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
    enable_force_feedback(command.integer, now_ms);
    return {true};
  }
  return {};
}

void Motor::list_settings(std::vector<DeviceSetting>& settings) const {
  const PidGains& gains = control_pid();
  settings.push_back({{}, {min_position(), max_position()}, 2});
  settings.push_back({{}, {max_velocity(), max_force(), multiplier()}, 3});
  settings.push_back({"acceleration", {acceleration()}});
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
  state_.target_position = position().value_or(spec_->fixed_position);
  state_.target_velocity = spec_->max_velocity;
  state_.available_force = powered_ ? spec_->available_force : 0.0;
  state_.force_control = false;
  state_.force = 0.0;
  stop();
  set_acceleration(spec_->acceleration);
}

void Motor::hold(double position) {
  if (std::isfinite(state_.target_position)) {
    state_.target_position = position;
  }
}

std::function<void()> Motor::keep_settings() {
  return [this, gains = control_pid(), measures = Device::keep_settings()] {
    if (control_pid() != gains) {
      set_control_pid(gains);
    }
    measures();
  };
}

void Motor::stop() {
  state_.law.stop();
  state_.law.clear_errors();
  if (servo_ != nullptr) {
    servo_->stop();
  }
}

void Motor::set_power(bool on) {
  Device::set_power(on);
  state_.available_force = on ? spec_->max_force : 0.0;
  wake();
}

void Motor::archive_state(DeviceArchive& archive) {
  State& s = state_;
  archive.notices(s.noticed);
  archive.unhashed(s.driven);
  archive.hashed(s.law);
  archive.hashed(s.target_position);
  archive.hashed(s.target_velocity);
  archive.hashed(s.acceleration);
  archive.hashed(s.available_force);
  archive.hashed(s.force);
  archive.hashed(s.force_control);
  archive.hashed(s.gains);
  archive.hashed_if(s.driven, s.drive);
  if (servo_ != nullptr) {
    servo_->archive(archive);
  }
}

// As in Webots, the effort is 0 where the Solid above the joint has no Physics.
double Motor::feedback_effort() const {
  return joint_ != nullptr && joint_->has_feedback ? joint_->constraint_effort : 0.0;
}

const ServoModel* Motor::servo_model() const {
  return servo_ != nullptr ? &servo_->model() : nullptr;
}

std::optional<ServoReading> Motor::servo_reading() const {
  return servo_ != nullptr ? std::optional(servo_->reading()) : std::nullopt;
}

double Motor::power_consumption() {
  if (servo_ != nullptr) {
    return servo_->power();
  }
  if (spec_->consumption_factor > 0.0 && joint_ != nullptr && joint_->has_feedback) {
    measure_joint();
  }
  const double effort = propeller_ != nullptr
                            ? std::abs(propeller_->thrust) + std::abs(propeller_->torque)
                            : std::abs(feedback_effort());
  return effort * spec_->consumption_factor;
}

double Motor::commanded_velocity() const {
  if (state_.driven) {
    return state_.drive.velocity;
  }
  if (servo_ != nullptr) {
    return std::isinf(state_.target_position) ? state_.target_velocity : servo_->target_rate();
  }
  return joint_ == nullptr || joint_->dynamic ? state_.law.velocity() : joint_->velocity;
}

double Motor::effort_limit() const {
  return servo_ != nullptr && !state_.driven ? servo_->stall_torque() : state_.available_force;
}

double Motor::muscle_status() const {
  const auto share = [](double value, double most) {
    return most > 0.0 ? std::clamp(value / most, -1.0, 1.0) : 0.0;
  };
  if (joint_ == nullptr) {
    return 0.0;
  }
  if (!joint_->dynamic) {
    // The law's speed is positive towards the target; the joint's velocity has the sign.
    return share(state_.driven ? state_.drive.velocity
                               : std::copysign(state_.law.velocity(), joint_->velocity),
                 spec_->max_velocity);
  }
  if (state_.force_control) {
    return share(state_.force, spec_->max_force);
  }
  // Webots has the opposite sign for sliders.
  return share(spec_->type == JointType::Linear ? -feedback_effort() : feedback_effort(),
               spec_->max_force);
}

}  // namespace servosim
