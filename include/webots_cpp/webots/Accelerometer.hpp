// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_ACCELEROMETER_HPP
#define WEBOTS_ACCELEROMETER_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

// A sensor of acceleration and gravity; webots/accelerometer.h has its units and errors.
class Accelerometer : public Device {
 public:
  explicit Accelerometer(const std::string &name) : Device(name) {}
  explicit Accelerometer(WbDeviceTag tag) : Device(tag) {}

  // Measures every `samplingPeriod` ms, 0 or more; 0 stops.
  virtual void enable(int samplingPeriod);
  // Stops measuring.
  virtual void disable();
  // The requested period [ms]; 0 while disabled.
  int getSamplingPeriod() const;
  // x, y, z [m/s²] in the frame of the sensor, with gravity; NaN before the first sample.
  const double *getValues() const;
  // The number of rows of the lookup table, 0 or more.
  int getLookupTableSize() const;
  // The lookup table: physical value, reading, relative noise, row by row.
  const double *getLookupTable() const;
};

}  // namespace webots

#endif
