// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_GYRO_HPP
#define WEBOTS_GYRO_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

// A sensor of angular velocity; webots/gyro.h describes it.
class Gyro : public Device {
 public:
  explicit Gyro(const std::string &name) : Device(name) {}
  explicit Gyro(WbDeviceTag tag) : Device(tag) {}

  // Measures every `samplingPeriod` ms, 0 or more; 0 stops.
  virtual void enable(int samplingPeriod);
  // Stops measuring.
  virtual void disable();
  // The requested period [ms]; 0 while disabled.
  int getSamplingPeriod() const;
  // x, y, z [rad/s] in the frame of the sensor; NaN before the first sample.
  const double *getValues() const;
  // The number of rows of the lookup table, 0 or more.
  int getLookupTableSize() const;
  // The lookup table: physical value, reading, relative noise, row by row.
  const double *getLookupTable() const;
};

}  // namespace webots

#endif
