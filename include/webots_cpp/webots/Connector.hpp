// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_CONNECTOR_HPP
#define WEBOTS_CONNECTOR_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

class Connector : public Device {
 public:
  explicit Connector(const std::string &name) : Device(name) {}
  explicit Connector(WbDeviceTag tag) : Device(tag) {}

  virtual void enablePresence(int samplingPeriod);
  virtual void disablePresence();
  int getPresenceSamplingPeriod() const;
  int getPresence() const;
  virtual void lock();
  virtual void unlock();
  bool isLocked() const;
};

}  // namespace webots

#endif
