// SPDX-License-Identifier: Apache-2.0
#include "devices/device_types.h"
#include "scene/scene.h"
#include "servosim/body_sensor.h"

namespace servosim {

class Compass : public BodySensor {
 public:
  explicit Compass(const DeviceBinding& binding) : BodySensor(binding, 3) {}

 private:
  void sample(double /*elapsed*/) override { put_vector(world().north); }
};

SERVOSIM_MAKE_SENSOR(Compass)

}  // namespace servosim
