// SPDX-License-Identifier: Apache-2.0
#include "base/limits.h"
#include "base/random.h"
#include "devices/measuring.h"
#include "physics/state.h"
#include "scene/scene.h"
#include "servosim/robot.h"

namespace servosim {

void Sampler::enable(int period_ms, double now_ms) {
  period_ms_ = period_ms;
  last_ms_ = now_ms;
}

bool Sampler::period_is_over(double now_ms) const { return is_due(now_ms, last_ms_ + period_ms_); }

void Sampler::store(double value, double now_ms) {
  value_ = value;
  last_ms_ = now_ms;
  ++count_;
}

PositionSensor::PositionSensor(const SensorSpec& spec, const JointState* joint, Random& random)
    : type_(spec.type),
      noise_(spec.noise),
      resolution_(spec.resolution),
      fixed_position_(spec.fixed_position),
      position_(joint != nullptr ? &joint->shaft_position() : nullptr),
      random_(random) {}

void PositionSensor::enable(int period_ms, double now_ms) {
  refuse(period_ms < 0, "sampling period", period_ms, "a number >= 0");
  state_.sampler.enable(period_ms, now_ms);
}

void PositionSensor::sample(double now_ms) {
  double value = position_ != nullptr ? *position_ : fixed_position_;
  if (noise_ > 0.0) {
    value += noise_ * random_.normal();
  }
  state_.sampler.store(in_grains(value, resolution_), now_ms);
}

void Brake::set_damping_constant(double damping) {
  refuse_nan(damping, "damping constant");
  state_.damping = damping;
  if (joint_ != nullptr) {
    joint_->brake_damping = damping;
    joint_->brake_changed = true;
    joint_->wake = true;
  }
}

}  // namespace servosim
