// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_RADAR_HPP
#define WEBOTS_RADAR_HPP

#include <string>
#include <webots/Device.hpp>

#include "../../c/webots/radar_target.h"

namespace webots {

typedef WbRadarTarget RadarTarget;

class Radar : public Device {
 public:
  explicit Radar(const std::string &name) : Device(name) {}
  explicit Radar(WbDeviceTag tag) : Device(tag) {}

  virtual void enable(int samplingPeriod);
  virtual void disable();
  int getSamplingPeriod() const;
  int getNumberOfTargets() const;
  const RadarTarget *getTargets() const;
  double getMinRange() const;
  double getMaxRange() const;
  double getHorizontalFov() const;
  double getVerticalFov() const;
};

}  // namespace webots

#endif
