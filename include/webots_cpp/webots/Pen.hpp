// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_PEN_HPP
#define WEBOTS_PEN_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

// A pen, whose ink Cameras and infra-red DistanceSensors see.
class Pen : public Device {
 public:
  explicit Pen(const std::string &name) : Device(name) {}
  explicit Pen(WbDeviceTag tag) : Device(tag) {}

  // Says whether it writes from the next step on.
  virtual void write(bool write);
  // Sets a color 0xRRGGBB and a density from 0 to 1 of what it writes next.
  virtual void setInkColor(int color, double density);
};

}  // namespace webots

#endif
