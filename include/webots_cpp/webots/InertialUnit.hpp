// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_INERTIAL_UNIT_HPP
#define WEBOTS_INERTIAL_UNIT_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

// A sensor of the attitude in the world; webots/inertial_unit.h describes it. Pointers are valid
// until the next step.
class InertialUnit : public Device {
 public:
  explicit InertialUnit(const std::string &name) : Device(name) {}
  explicit InertialUnit(WbDeviceTag tag) : Device(tag) {}

  // Measures every `samplingPeriod` ms, 0 or more; 0 stops.
  virtual void enable(int samplingPeriod);
  // Stops measuring.
  virtual void disable();
  // The requested period [ms]; 0 while disabled.
  int getSamplingPeriod() const;
  // Roll, pitch and yaw in the world [rad]; NaN before the first sample.
  const double *getRollPitchYaw() const;
  // The quaternion x, y, z, w of the attitude in the world; NaN before the first sample.
  const double *getQuaternion() const;
  // The field noise [rad].
  double getNoise() const;
};

}  // namespace webots

#endif
