// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_ALTIMETER_HPP
#define WEBOTS_ALTIMETER_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

// A sensor of height; webots/altimeter.h describes it.
class Altimeter : public Device {
 public:
  explicit Altimeter(const std::string &name) : Device(name) {}
  explicit Altimeter(WbDeviceTag tag) : Device(tag) {}

  // Measures every `samplingPeriod` ms, 0 or more; 0 stops.
  virtual void enable(int samplingPeriod);
  // Stops measuring.
  virtual void disable();
  // The requested period [ms]; 0 while disabled.
  int getSamplingPeriod() const;
  // The last height [m]; NaN before the first sample.
  double getValue() const;
};

}  // namespace webots

#endif
