// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_TOUCH_SENSOR_HPP
#define WEBOTS_TOUCH_SENSOR_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

class TouchSensor : public Device {
 public:
  typedef enum { BUMPER = 0, FORCE, FORCE3D } Type;

  explicit TouchSensor(const std::string &name) : Device(name) {}
  explicit TouchSensor(WbDeviceTag tag) : Device(tag) {}

  virtual void enable(int samplingPeriod);
  virtual void disable();
  int getSamplingPeriod() const;
  double getValue() const;
  const double *getValues() const;
  int getLookupTableSize() const;
  const double *getLookupTable() const;
  Type getType() const;
};

}  // namespace webots

#endif
