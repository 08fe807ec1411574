// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_DEVICE_HPP
#define WEBOTS_DEVICE_HPP

#include <string>

#include "../../c/webots/types.h"

namespace webots {

// What a Robot hands out. Units, ranges and errors of each function are those of its namesake in
// webots/*.h of the C API. Threads: as in the C API; devices are handed out by one thread at a
// time.
class Device {
 public:
  virtual ~Device() = default;
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  const std::string &getName() const { return name_; }
  std::string getModel() const;
  // A Node::Type.
  int getNodeType() const;
  int getType() const { return getNodeType(); }  // its name before V8
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
