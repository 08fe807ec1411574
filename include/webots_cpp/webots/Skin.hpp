// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_SKIN_HPP
#define WEBOTS_SKIN_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

// A skin, which has no bones in servosim.
class Skin : public Device {
 public:
  explicit Skin(const std::string &name) : Device(name) {}
  explicit Skin(WbDeviceTag tag) : Device(tag) {}

  // Does nothing.
  virtual void setBoneOrientation(int index, const double orientation[4], bool absolute);
  virtual void setBonePosition(int index, const double position[3], bool absolute);
  // 0: a Skin has no bones here.
  int getBoneCount() const;
  // "": a Skin has no bones here.
  std::string getBoneName(int index) const;
  // Null.
  const double *getBoneOrientation(int index, bool absolute) const;
  const double *getBonePosition(int index, bool absolute) const;
};

}  // namespace webots

#endif
