// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_LED_HPP
#define WEBOTS_LED_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

// A light, which only LightSensors see; webots/led.h describes it.
class LED : public Device {
 public:
  explicit LED(const std::string &name) : Device(name) {}
  explicit LED(WbDeviceTag tag) : Device(tag) {}

  // 0 or less: off; n: item n of the field color; with gradual TRUE, a brightness or 0xRRGGBB.
  virtual void set(int value);
  // The value set last; 0 before.
  int get() const;
};

}  // namespace webots

#endif
