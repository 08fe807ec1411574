// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_PEN_HPP
#define WEBOTS_PEN_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

class Pen : public Device {
 public:
  explicit Pen(const std::string &name) : Device(name) {}
  explicit Pen(WbDeviceTag tag) : Device(tag) {}

  virtual void write(bool write);
  virtual void setInkColor(int color, double density);
};

}  // namespace webots

#endif
