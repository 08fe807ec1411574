// SPDX-License-Identifier: Apache-2.0
#include "servosim/differential_wheels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/assert.h"
#include "base/device_command.h"
#include "base/random.h"
#include "base/report_once.h"
#include "devices/device_archive.h"
#include "devices/device_binding.h"
#include "devices/measuring.h"
#include "devices/rolling.h"
#include "physics/physics_world.h"
#include "scene/scene.h"

namespace servosim {

namespace {

constexpr int kSides = 2;
constexpr double kMaxWheelSpeed = 1e100;  // [rad/s]; keeps a speed finite for any noise

// The frame of the axle in that of the node, where forward is -z, the left wheel is at -x, and +y
// is upwards.
constexpr Pose kAxle{{{0, -1, 0, 0, 0, 1, -1, 0, 0}}, {}};

}  // namespace

DifferentialWheels::DifferentialWheels(const DeviceBinding& binding)
    : Device(Turn::Wheels, true),
      random_(&binding.world->random),
      notices_(&binding.world->notices) {
  state_.encoders.fill(std::numeric_limits<double>::quiet_NaN());
  rebind(binding);
}

void DifferentialWheels::rebind(const DeviceBinding& binding) {
  spec_ = &*binding.spec.wheels;
  robot_ = binding.world != nullptr ? binding.owner : robot_;
  physics_ = binding.physics();
}

double DifferentialWheels::max_speed() const { return spec_->max_speed; }
double DifferentialWheels::speed_unit() const { return spec_->speed_unit; }

double DifferentialWheels::clamped(double speed) {
  const double wanted = speed * spec_->speed_unit;
  const double used = std::clamp(wanted, -spec_->max_speed, spec_->max_speed);
  if (used != wanted && !std::exchange(state_.noticed, true)) {
    notices_->report(
        fmt::format("robot \"{}\": wheel speed beyond maxSpeed: {} replaced by {} (reported once)",
                    robot_, wanted, used));
  }
  return std::isnan(used) ? 0.0 : used;  // NaN: infinity times a speedUnit of 0
}

void DifferentialWheels::set_speed(double left, double right) {
  refuse_nan(left, "left speed");
  refuse_nan(right, "right speed");
  state_.command = {clamped(left), clamped(right)};
  for (const int joint : spec_->joints) {
    if (physics_ != nullptr && joint >= 0) {
      physics_->joints()[joint].wake = true;
    }
  }
}

void DifferentialWheels::enable_encoders(int period_ms, double now_ms) {
  if (period_ms > 0 && !spec_->has_encoders()) {
    notices_->report(
        fmt::format("robot \"{}\" has no encoders: encoderNoise and encoderResolution "
                    "must both be >= 0",
                    robot_));
  }
  Device::enable(spec_->has_encoders() ? period_ms : std::min(0, period_ms), now_ms);
}

void DifferentialWheels::set_encoders(double left, double right) {
  refuse(!std::isfinite(left), "left encoder", left, "a finite number");
  refuse(!std::isfinite(right), "right encoder", right, "a finite number");
  state_.pulses = {left, right};
}

double DifferentialWheels::power_consumption() {
  const std::array<double, kSides> still{};
  const bool turns = powered_ && (state_.command != still || state_.speed != still);
  return turns ? spec_->motor_consumption : 0.0;
}

CommandEffect DifferentialWheels::command(const DeviceCommand& command, double now_ms) {
  const auto& [left, right, unused] = command.numbers;
  switch (command.kind) {
    case CommandKind::WheelSpeeds:
      set_speed(left, right);
      return {true};
    case CommandKind::SetEncoders:
      set_encoders(left, right);
      return {true};
    case CommandKind::EncoderSampling:
      enable_encoders(command.integer, now_ms);
      return {true};
    default:
      return {};
  }
}

void DifferentialWheels::archive_state(DeviceArchive& archive) {
  archive.hashed(state_.command);
  archive.hashed(state_.speed);
  archive.unhashed(state_.turned);
  archive.unhashed(state_.pulses);
  archive.unhashed(state_.encoders);
  archive.notices(state_.noticed);
}

// A wheel at rest does not slip, and draws no random number.
double DifferentialWheels::slipping(double speed) {
  if (spec_->slip_noise == 0.0 || speed == 0.0) {
    return speed;
  }
  const double slipped = speed * (1.0 + spec_->slip_noise * random_->uniform());
  return std::clamp(slipped, -kMaxWheelSpeed, kMaxWheelSpeed);
}

void DifferentialWheels::before_step(double h) {
  if (physics_ == nullptr) {
    return;
  }
  if (spec_->kinematic) {
    roll(h);
    return;
  }
  for (int side = 0; side < kSides; ++side) {
    if (spec_->joints[side] >= 0) {
      drive_joint(side);
    }
  }
}

void DifferentialWheels::drive_joint(int side) {
  JointState& joint = physics_->joints()[spec_->joints[side]];
  state_.turned[side] = joint.position;
  const double force = powered_ ? spec_->max_force : 0.0;
  joint.drive = {slipping(state_.command[side]), force, 0.0, 0.0};
}

void DifferentialWheels::roll(double h) {
  std::array<double, 2> turn{};
  for (int side = 0; side < kSides; ++side) {
    const double most = spec_->max_acceleration * h;
    double& speed = state_.speed[side];
    const double wanted = powered_ ? state_.command[side] : 0.0;
    speed += std::clamp(wanted - speed, -most, most);
    turn[side] = slipping(speed) * h;
  }
  if ((turn[0] != 0.0 || turn[1] != 0.0) && !move(turn)) {
    turn = {};
  }
  for (int side = 0; side < kSides; ++side) {
    count(side, turn[side]);
    if (const int joint = spec_->joints[side]; joint >= 0) {
      physics_->joints()[joint].position += turn[side];
      physics_->joints()[joint].velocity = turn[side] / h;
    }
  }
}

bool DifferentialWheels::move(const std::array<double, 2>& turn) {
  const Pose motion = rolled(turn[0], turn[1], spec_->wheel_radius, spec_->axle_length);
  return move_unless_blocked(*physics_, spec_->solid, kAxle * motion * inverse(kAxle));
}

void DifferentialWheels::count(int side, double turn) {
  const double noise =
      spec_->encoder_noise > 0.0 && turn != 0.0 ? spec_->encoder_noise * random_->uniform() : 0.0;
  state_.pulses[side] += turn * (1.0 + noise) * std::max(0.0, spec_->encoder_resolution);
}

void DifferentialWheels::follow() {
  if (physics_ == nullptr) {
    return;
  }
  for (int side = 0; side < kSides && !spec_->kinematic; ++side) {
    if (const int joint = spec_->joints[side]; joint >= 0) {
      count(side, physics_->joints()[joint].position - state_.turned[side]);
    }
  }
}

void DifferentialWheels::measure(double now_ms) {
  if (physics_ != nullptr) {
    state_.encoders = {std::trunc(state_.pulses[0]), std::trunc(state_.pulses[1])};
    sampler_.store(state_.encoders[0], now_ms);
  }
}

}  // namespace servosim
