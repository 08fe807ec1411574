// SPDX-License-Identifier: Apache-2.0
#include "servosim/position_sensor.h"

#include "base/assert.h"
#include "base/random.h"
#include "devices/device_binding.h"
#include "devices/measuring.h"
#include "devices/servo_electronics.h"
#include "physics/physics_world.h"
#include "physics/servo_state.h"
#include "physics/state.h"
#include "scene/scene.h"

namespace servosim {

PositionSensor::PositionSensor(const SensorSpec& spec, const JointState* joint, Random& random)
    : Device(Turn::PositionSensor), random_(random) {
  bind(spec, joint);
}

PositionSensor::PositionSensor(const DeviceBinding& binding)
    : PositionSensor(*binding.spec.sensor, binding.joint(), binding.world->random) {
  bind_servo(binding);
}

void PositionSensor::bind_servo(const DeviceBinding& binding) {
  const PhysicsWorld* const physics = binding.physics();
  const ServoState* const servo =
      physics != nullptr && binding.spec.joint >= 0 ? physics->servo(binding.spec.joint) : nullptr;
  servo_ = servo != nullptr && servo->is_simulated ? servo->model : nullptr;
}

void PositionSensor::bind(const SensorSpec& spec, const JointState* joint) {
  SERVOSIM_ASSERT(spec.noise >= 0.0, "noise {}", spec.noise);
  spec_ = &spec;
  position_ = joint != nullptr ? &joint->shaft_position() : nullptr;
}

void PositionSensor::rebind(const DeviceBinding& binding) {
  bind(*binding.spec.sensor, binding.joint());
  bind_servo(binding);
  detached_ = binding.world == nullptr;
}

JointType PositionSensor::type() const { return spec_->type; }

void PositionSensor::measure(double now_ms) {
  if (detached_) {
    return;
  }
  double value = position_ != nullptr ? *position_ : spec_->fixed_position;
  if (servo_ != nullptr) {
    value = read_encoder(*servo_, value, random_);
  }
  if (spec_->noise > 0.0) {
    value += spec_->noise * random_.normal();
  }
  sampler_.store(quantized(value, spec_->resolution), now_ms);
}

}  // namespace servosim
