// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "devices/device_types.h"
#include "devices/sight.h"
#include "scene/scene.h"
#include "servosim/ranging_sensor.h"

namespace servosim {

class RangeFinder : public RangingSensor {
 public:
  explicit RangeFinder(const DeviceBinding& binding) : RangingSensor(binding) {}

 private:
  std::unique_ptr<Eye> open(Sight& sight) const override {
    RayPattern pattern;
    pattern.projection = spec().projection;
    pattern.width = width();
    pattern.height = height();
    pattern.field_of_view = spec().field_of_view;
    pattern.lens = spec().lens;
    return sight.open(pattern);
  }

  void measure(double now_ms) override {
    if (!is_in_tree()) {
      return;
    }
    take({}, 0, width(), fading());
    sampler_.store(0.0, now_ms);
  }
};

SERVOSIM_MAKE_SENSOR(RangeFinder)

}  // namespace servosim
