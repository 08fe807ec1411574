// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_DEVICE_HPP
#define WEBOTS_DEVICE_HPP

#include <string>

#include "../../c/webots/types.h"

namespace webots {

// A device of the robot. Units, ranges and errors of each function are those of the C function of
// the same name in webots/*.h: a call that cannot be done prints an error, changes nothing, and
// returns null, 0, false, "" or NaN.
//
// Threads: any, as in the C API, but only one thread at a time may look up devices.
class Device {
 public:
  virtual ~Device() = default;
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  // The field name of the device.
  const std::string &getName() const { return name_; }
  // The field model of the device.
  std::string getModel() const;
  // The type of the node, a Node::Type.
  int getNodeType() const;
  // The type of the node, as before V8; for some devices a type of their own.
  int getType() const { return getNodeType(); }  // its name before V8
  // The number of the device, 1 or more; 0: the robot has no device of that name.
  WbDeviceTag getTag() const { return tag_; }

 protected:
  explicit Device(const std::string &name);
  explicit Device(WbDeviceTag tag);

 private:
  std::string name_;
  WbDeviceTag tag_;
};

}  // namespace webots

#endif
