// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_COMPASS_HPP
#define WEBOTS_COMPASS_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

class Compass : public Device {
 public:
  explicit Compass(const std::string &name) : Device(name) {}
  explicit Compass(WbDeviceTag tag) : Device(tag) {}

  virtual void enable(int samplingPeriod);
  virtual void disable();
  int getSamplingPeriod() const;
  const double *getValues() const;
  int getLookupTableSize() const;
  const double *getLookupTable() const;
};

}  // namespace webots

#endif
