// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_DISTANCE_SENSOR_HPP
#define WEBOTS_DISTANCE_SENSOR_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

// A sensor of the distance to what its rays hit; webots/distance_sensor.h describes it.
class DistanceSensor : public Device {
 public:
  typedef enum { GENERIC = 0, INFRA_RED, SONAR, LASER } Type;

  explicit DistanceSensor(const std::string &name) : Device(name) {}
  explicit DistanceSensor(WbDeviceTag tag) : Device(tag) {}

  // Measures every `samplingPeriod` ms, 0 or more; 0 stops.
  virtual void enable(int samplingPeriod);
  // Stops measuring.
  virtual void disable();
  // The requested period [ms]; 0 while disabled.
  int getSamplingPeriod() const;
  // The reading by the lookup table of the distance [m]; NaN before the first sample.
  double getValue() const;
  // The largest reading of the lookup table; infinity without a table.
  double getMaxValue() const;
  // The smallest reading of the lookup table; 0 without a table.
  double getMinValue() const;
  // The field aperture [rad].
  double getAperture() const;
  // The number of rows of the lookup table, 0 or more.
  int getLookupTableSize() const;
  // The lookup table: physical value, reading, relative noise, row by row.
  const double *getLookupTable() const;
  // GENERIC, INFRA_RED, SONAR or LASER.
  Type getType() const;
  // Before R2018a the two functions had these names.
  double getMaxRange() const { return getMaxValue(); }
  // The smallest reading of the lookup table, by its name before R2018a.
  double getMinRange() const { return getMinValue(); }
};

}  // namespace webots

#endif
