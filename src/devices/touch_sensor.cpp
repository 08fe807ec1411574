// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "devices/device_archive.h"
#include "devices/device_types.h"
#include "physics/physics_world.h"
#include "physics/rows/joint_rows.h"
#include "servosim/body_sensor.h"

namespace servosim {

class TouchSensor : public BodySensor {
 public:
  explicit TouchSensor(const DeviceBinding& binding)
      : BodySensor(binding, count_of(binding), true), is_fixed_(binding.spec.joint < 0) {}

  void rebind(const DeviceBinding& binding) override {
    BodySensor::rebind(binding);
    count_ = count_of(binding);
    is_fixed_ = binding.spec.joint < 0;
  }

  void enable(int period_ms, double now_ms) override {
    BodySensor::enable(period_ms, now_ms);
    touched_ = false;
  }

 private:
  static std::size_t count_of(const DeviceBinding& binding) {
    switch (binding.spec.body_sensor->touch_type) {
      case TouchType::Force3d:
        return 3;
      case TouchType::ForceTorque:
        return 6;
      case TouchType::Bumper:
      case TouchType::Force:
        break;
    }
    return 1;
  }

  void follow() override {
    if (spec().touch_type == TouchType::Bumper) {
      touched_ |= is_in_tree() && physics().contacts().is_touched(spec().solid);
    }
  }

  void sample(double /*elapsed*/) override {
    if (spec().touch_type == TouchType::Bumper) {
      values_[0] = std::exchange(touched_, false) ? 1.0 : 0.0;
      return;
    }
    if (spec().touch_type == TouchType::ForceTorque) {
      const TransmittedLoads& loads = physics().joints().loads();
      const auto [force, torque] =
          is_fixed_
              ? loads.of_fixed(spec().solid, physics().attachments().mounting_load(spec().solid))
              : loads.of(spec().solid);
      values_ = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
      return;
    }
    const Vec3 force = physics().attachments().mounting_load(spec().solid).force;
    if (spec().touch_type == TouchType::Force3d) {
      put_vector(force);
    } else {  // tension does not count
      put_number(std::max(0.0, -dot(force, pose().rotation * spec().axis)));
    }
  }

  void archive_state(DeviceArchive& archive) override {
    BodySensor::archive_state(archive);
    archive.unhashed(touched_);
  }

  bool is_fixed_;         // whether no joint carries the Solid
  bool touched_ = false;  // since the last sample
};

SERVOSIM_MAKE_SENSOR(TouchSensor)

}  // namespace servosim
