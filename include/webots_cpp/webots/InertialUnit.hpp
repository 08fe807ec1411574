// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_INERTIAL_UNIT_HPP
#define WEBOTS_INERTIAL_UNIT_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

class InertialUnit : public Device {
 public:
  explicit InertialUnit(const std::string &name) : Device(name) {}
  explicit InertialUnit(WbDeviceTag tag) : Device(tag) {}

  virtual void enable(int samplingPeriod);
  virtual void disable();
  int getSamplingPeriod() const;
  const double *getRollPitchYaw() const;
  const double *getQuaternion() const;
  double getNoise() const;
};

}  // namespace webots

#endif
