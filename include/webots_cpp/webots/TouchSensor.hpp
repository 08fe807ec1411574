// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_TOUCH_SENSOR_HPP
#define WEBOTS_TOUCH_SENSOR_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

// A sensor that feels touch, or a force; webots/touch_sensor.h describes it. Pointers are valid
// until the next step.
class TouchSensor : public Device {
 public:
  typedef enum { BUMPER = 0, FORCE, FORCE3D } Type;

  explicit TouchSensor(const std::string &name) : Device(name) {}
  explicit TouchSensor(WbDeviceTag tag) : Device(tag) {}

  // Measures every `samplingPeriod` ms, 0 or more; 0 stops.
  virtual void enable(int samplingPeriod);
  // Stops measuring.
  virtual void disable();
  // The requested period [ms]; 0 while disabled.
  int getSamplingPeriod() const;
  // Bumper: 1 if touched, else 0; other types: force [N]; NaN before the first sample.
  double getValue() const;
  // x, y, z in the frame of a force-3d sensor [N]; NaN before the first sample.
  const double *getValues() const;
  // The number of rows of the lookup table, 0 or more.
  int getLookupTableSize() const;
  // The lookup table: physical value, reading, relative noise, row by row.
  const double *getLookupTable() const;
  // BUMPER, FORCE or FORCE3D.
  Type getType() const;
};

}  // namespace webots

#endif
