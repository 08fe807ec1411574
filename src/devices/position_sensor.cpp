// SPDX-License-Identifier: Apache-2.0
// PositionSensor, the Sampler of every sensor, and Brake.
#include "servosim/position_sensor.h"

#include "base/assert.h"
#include "base/limits.h"
#include "base/random.h"
#include "devices/measuring.h"
#include "physics/state.h"
#include "scene/scene.h"
#include "servosim/brake.h"

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
    : random_(random) {
  rebind(spec, joint);
}

void PositionSensor::rebind(const SensorSpec& spec, const JointState* joint) {
  SERVOSIM_ASSERT(spec.noise >= 0.0, "noise {}", spec.noise);
  spec_ = &spec;
  position_ = joint != nullptr ? &joint->shaft_position() : nullptr;
  detached_ = false;
}

void PositionSensor::detach(const SensorSpec& spec) {
  rebind(spec, nullptr);
  detached_ = true;
}

JointType PositionSensor::type() const { return spec_->type; }

void PositionSensor::enable(int period_ms, double now_ms) {
  refuse(period_ms < 0, "sampling period", period_ms, "a number >= 0");
  state_.sampler.enable(period_ms, now_ms);
}

void PositionSensor::sample(double now_ms) {
  if (detached_) {
    return;
  }
  double value = position_ != nullptr ? *position_ : spec_->fixed_position;
  if (spec_->noise > 0.0) {
    value += spec_->noise * random_.normal();
  }
  state_.sampler.store(quantized(value, spec_->resolution), now_ms);
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
