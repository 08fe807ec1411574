// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_DISTANCE_SENSOR_HPP
#define WEBOTS_DISTANCE_SENSOR_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

class DistanceSensor : public Device {
 public:
  typedef enum { GENERIC = 0, INFRA_RED, SONAR, LASER } Type;

  explicit DistanceSensor(const std::string &name) : Device(name) {}
  explicit DistanceSensor(WbDeviceTag tag) : Device(tag) {}

  virtual void enable(int samplingPeriod);
  virtual void disable();
  int getSamplingPeriod() const;
  double getValue() const;
  double getMaxValue() const;
  double getMinValue() const;
  double getAperture() const;
  int getLookupTableSize() const;
  const double *getLookupTable() const;
  Type getType() const;
  // Spellings before R2018a.
  double getMaxRange() const { return getMaxValue(); }
  double getMinRange() const { return getMinValue(); }
};

}  // namespace webots

#endif
