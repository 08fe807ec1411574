// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_LIGHT_SENSOR_HPP
#define WEBOTS_LIGHT_SENSOR_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

// A sensor of the light along its x axis; webots/light_sensor.h describes it.
class LightSensor : public Device {
 public:
  explicit LightSensor(const std::string &name) : Device(name) {}
  explicit LightSensor(WbDeviceTag tag) : Device(tag) {}

  // Measures every `samplingPeriod` ms, 0 or more; 0 stops.
  virtual void enable(int samplingPeriod);
  // Stops measuring.
  virtual void disable();
  // The requested period [ms]; 0 while disabled.
  int getSamplingPeriod() const;
  // The reading by the lookup table of the irradiance [W/m²]; NaN before the first sample.
  double getValue() const;
  // The number of rows of the lookup table, 0 or more.
  int getLookupTableSize() const;
  // The lookup table: physical value, reading, relative noise, row by row.
  const double *getLookupTable() const;
};

}  // namespace webots

#endif
