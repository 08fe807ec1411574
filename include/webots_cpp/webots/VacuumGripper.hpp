// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_VACUUM_GRIPPER_HPP
#define WEBOTS_VACUUM_GRIPPER_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

// A gripper that holds what it touches while it is on; webots/vacuum_gripper.h describes it.
class VacuumGripper : public Device {
 public:
  explicit VacuumGripper(const std::string &name) : Device(name) {}
  explicit VacuumGripper(WbDeviceTag tag) : Device(tag) {}

  // Senses what it holds every `samplingPeriod` ms, 0 or more; 0 stops.
  virtual void enablePresence(int samplingPeriod);
  // Stops sensing.
  virtual void disablePresence();
  // The requested period [ms]; 0 while disabled.
  int getPresenceSamplingPeriod() const;
  // Whether it held something at the last sample; False before the first.
  bool getPresence() const;
  // Whether the gripper is on.
  bool isOn() const;
  // Grips what it touches, from now on.
  virtual void turnOn();
  // Releases what it holds.
  virtual void turnOff();
};

}  // namespace webots

#endif
