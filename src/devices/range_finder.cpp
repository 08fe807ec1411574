// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <memory>

#include "devices/device_archive.h"
#include "devices/device_types.h"
#include "devices/sight.h"
#include "scene/scene.h"
#include "servosim/ranging_sensor.h"

namespace servosim {

class RangeFinder : public RangingSensor {
 public:
  explicit RangeFinder(const DeviceBinding& binding) : RangingSensor(binding) {}

  void rebind(const DeviceBinding& binding) override {
    RangingSensor::rebind(binding);
    is_first_ = true;
  }

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
    // In the time motionBlur, all but 0.5 % of a picture fades.
    const double fading = spec().motion_blur > 0.0 && !is_first_
                              ? std::pow(0.005, sampler_.period_ms() / spec().motion_blur)
                              : 0.0;
    take({}, 0, width(), fading);
    is_first_ = false;
    sampler_.store(0.0, now_ms);
  }

  void archive_state(DeviceArchive& archive) override {
    RangingSensor::archive_state(archive);
    is_first_ |= archive.restores();
  }

  bool is_first_ = true;  // there is no picture that could stay in the next one
};

SERVOSIM_MAKE_SENSOR(RangeFinder)

}  // namespace servosim
