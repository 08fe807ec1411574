// SPDX-License-Identifier: Apache-2.0
#include "devices/device_types.h"
#include "devices/measuring.h"
#include "scene/scene.h"
#include "servosim/body_sensor.h"

namespace servosim {

class Altimeter : public BodySensor {
 public:
  explicit Altimeter(const DeviceBinding& binding) : BodySensor(binding, 1) {}

 private:
  void sample(double /*elapsed*/) override {
    const double height = dot(pose().translation, world().up);
    values_[0] = quantized(noisy(height, spec().noise), spec().resolution);
  }
};

SERVOSIM_MAKE_SENSOR(Altimeter)

}  // namespace servosim
