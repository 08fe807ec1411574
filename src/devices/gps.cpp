// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "devices/device_archive.h"
#include "devices/device_types.h"
#include "devices/measuring.h"
#include "physics/physics_world.h"
#include "servosim/body_sensor.h"

namespace servosim {

class GPS : public BodySensor {
 public:
  explicit GPS(const DeviceBinding& binding) : BodySensor(binding, 7) {}

  // Without a body Webots measures no speed before the second sample.
  void enable(int period_ms, double now_ms) override {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    BodySensor::enable(period_ms, now_ms);
    before_ = is_in_tree() && physics().bodies().is_carried(spec().solid) ? pose().translation
                                                                          : Vec3{kNaN, kNaN, kNaN};
  }

 private:
  void sample(double elapsed) override {
    const Vec3 at = pose().translation;
    // Where no time has passed since a reset, nothing has moved.
    const Vec3 velocity = std::isinf(elapsed) ? Vec3{} : (1.0 / elapsed) * (at - before_);
    before_ = at;
    const double kept = std::pow(spec().noise_correlation, elapsed);
    const double fresh = spec().noise * std::sqrt(1.0 - kept * kept);
    noise_ = {noisy(kept * noise_.x, fresh), noisy(kept * noise_.y, fresh),
              noisy(kept * noise_.z, fresh)};
    const Vec3 place = reported(at + noise_);
    const auto position = [this](double x) { return quantized(x, spec().resolution); };
    const auto speed = [this](double x) {
      return quantized(noisy(x, spec().speed_noise), spec().speed_resolution);
    };
    values_ = {position(place.x), position(place.y), position(place.z), speed(norm(velocity)),
               speed(velocity.x), speed(velocity.y), speed(velocity.z)};
  }

  Vec3 reported(const Vec3& place) const {
    const WorldSettings& w = world();
    return w.gps_in_degrees
               ? place_on_earth(w.gps_reference,
                                {dot(place, w.east), dot(place, w.north), dot(place, w.up)})
               : place + w.gps_reference;
  }

  void archive_state(DeviceArchive& archive) override {
    BodySensor::archive_state(archive);
    archive.unhashed(before_);
    archive.unhashed(noise_);
  }

  Vec3 before_;  // position at the last sample [m]
  Vec3 noise_;   // at the last sample [m]
};

SERVOSIM_MAKE_SENSOR(GPS)

}  // namespace servosim
