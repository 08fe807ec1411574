// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_ALTIMETER_HPP
#define WEBOTS_ALTIMETER_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

class Altimeter : public Device {
 public:
  explicit Altimeter(const std::string &name) : Device(name) {}
  explicit Altimeter(WbDeviceTag tag) : Device(tag) {}

  virtual void enable(int samplingPeriod);
  virtual void disable();
  int getSamplingPeriod() const;
  double getValue() const;
};

}  // namespace webots

#endif
