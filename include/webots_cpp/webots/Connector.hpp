// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_CONNECTOR_HPP
#define WEBOTS_CONNECTOR_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

// A connector, which holds another one; webots/connector.h describes it.
class Connector : public Device {
 public:
  explicit Connector(const std::string &name) : Device(name) {}
  explicit Connector(WbDeviceTag tag) : Device(tag) {}

  // Looks for a partner every `samplingPeriod` ms, 0 or more; 0 stops.
  virtual void enablePresence(int samplingPeriod);
  // Stops looking for a partner.
  virtual void disablePresence();
  // The requested period [ms]; 0 while disabled.
  int getPresenceSamplingPeriod() const;
  // 1: a partner fits or is attached; 0: none; -1: the connector is passive, or there was no
  // sample.
  int getPresence() const;
  // Holds the partner, now or, with autoLock, as soon as one is present.
  virtual void lock();
  // Releases the partner.
  virtual void unlock();
  // Whether the connector is told to lock; not whether it holds anything.
  bool isLocked() const;
};

}  // namespace webots

#endif
