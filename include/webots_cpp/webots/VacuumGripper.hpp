// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_VACUUM_GRIPPER_HPP
#define WEBOTS_VACUUM_GRIPPER_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

class VacuumGripper : public Device {
 public:
  explicit VacuumGripper(const std::string &name) : Device(name) {}
  explicit VacuumGripper(WbDeviceTag tag) : Device(tag) {}

  virtual void enablePresence(int samplingPeriod);
  virtual void disablePresence();
  int getPresenceSamplingPeriod() const;
  bool getPresence() const;
  bool isOn() const;
  virtual void turnOn();
  virtual void turnOff();
};

}  // namespace webots

#endif
