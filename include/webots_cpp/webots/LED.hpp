// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_LED_HPP
#define WEBOTS_LED_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

class LED : public Device {
 public:
  explicit LED(const std::string &name) : Device(name) {}
  explicit LED(WbDeviceTag tag) : Device(tag) {}

  virtual void set(int value);
  int get() const;
};

}  // namespace webots

#endif
