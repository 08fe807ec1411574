// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_COMPASS_HPP
#define WEBOTS_COMPASS_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

// A sensor of the direction of north; webots/compass.h describes it.
class Compass : public Device {
 public:
  explicit Compass(const std::string &name) : Device(name) {}
  explicit Compass(WbDeviceTag tag) : Device(tag) {}

  // Measures every `samplingPeriod` ms, 0 or more; 0 stops.
  virtual void enable(int samplingPeriod);
  // Stops measuring.
  virtual void disable();
  // The requested period [ms]; 0 while disabled.
  int getSamplingPeriod() const;
  // The direction of north in the frame of the sensor; NaN before the first sample.
  const double *getValues() const;
  // The number of rows of the lookup table, 0 or more.
  int getLookupTableSize() const;
  // The lookup table: physical value, reading, relative noise, row by row.
  const double *getLookupTable() const;
};

}  // namespace webots

#endif
