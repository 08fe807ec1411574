// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_LIGHT_SENSOR_HPP
#define WEBOTS_LIGHT_SENSOR_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

class LightSensor : public Device {
 public:
  explicit LightSensor(const std::string &name) : Device(name) {}
  explicit LightSensor(WbDeviceTag tag) : Device(tag) {}

  virtual void enable(int samplingPeriod);
  virtual void disable();
  int getSamplingPeriod() const;
  double getValue() const;
  int getLookupTableSize() const;
  const double *getLookupTable() const;
};

}  // namespace webots

#endif
