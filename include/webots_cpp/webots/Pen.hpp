// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_PEN_HPP
#define WEBOTS_PEN_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

// A pen, which paints nothing in servosim. Arguments are checked.
class Pen : public Device {
 public:
  explicit Pen(const std::string &name) : Device(name) {}
  explicit Pen(WbDeviceTag tag) : Device(tag) {}

  // Checks its argument only: nothing is painted.
  virtual void write(bool write);
  // Checks a color 0xRRGGBB and a density from 0 to 1 only: nothing is painted.
  virtual void setInkColor(int color, double density);
};

}  // namespace webots

#endif
