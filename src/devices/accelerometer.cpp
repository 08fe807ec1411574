// SPDX-License-Identifier: Apache-2.0
#include "devices/device_archive.h"
#include "devices/device_types.h"
#include "physics/physics_world.h"
#include "servosim/body_sensor.h"

namespace servosim {

class Accelerometer : public BodySensor {
 public:
  explicit Accelerometer(const DeviceBinding& binding) : BodySensor(binding, 3) {}

  void enable(int period_ms, double now_ms) override {
    BodySensor::enable(period_ms, now_ms);
    before_ = velocity();
  }

 private:
  // Measures the mean acceleration since the last sample.
  void sample(double elapsed) override {
    const Vec3 now = velocity();
    const Vec3 change = now - before_;
    before_ = now;
    put_vector((1.0 / elapsed) * change - world().gravity);
  }

  Vec3 velocity() const {
    const std::optional<PointMotion> motion =
        is_in_tree() ? physics().solid_motion(spec().solid) : std::nullopt;
    return motion ? motion->velocity : Vec3{};
  }

  void archive_state(DeviceArchive& archive) override {
    BodySensor::archive_state(archive);
    archive.unhashed(before_);
  }

  Vec3 before_;  // velocity at the last sample [m/s]
};

SERVOSIM_MAKE_SENSOR(Accelerometer)

}  // namespace servosim
