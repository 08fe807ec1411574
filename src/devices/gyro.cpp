// SPDX-License-Identifier: Apache-2.0
#include "devices/device_types.h"
#include "physics/physics_world.h"
#include "servosim/body_sensor.h"

namespace servosim {

class Gyro : public BodySensor {
 public:
  explicit Gyro(const DeviceBinding& binding) : BodySensor(binding, 3) {}

 private:
  void sample(double /*elapsed*/) override {
    const std::optional<PointMotion> motion = physics().solid_motion(spec().solid);
    put_vector(motion ? motion->spin : Vec3{});
  }
};

SERVOSIM_MAKE_SENSOR(Gyro)

}  // namespace servosim
