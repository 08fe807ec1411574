// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_GYRO_HPP
#define WEBOTS_GYRO_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

class Gyro : public Device {
 public:
  explicit Gyro(const std::string &name) : Device(name) {}
  explicit Gyro(WbDeviceTag tag) : Device(tag) {}

  virtual void enable(int samplingPeriod);
  virtual void disable();
  int getSamplingPeriod() const;
  const double *getValues() const;
  int getLookupTableSize() const;
  const double *getLookupTable() const;
};

}  // namespace webots

#endif
