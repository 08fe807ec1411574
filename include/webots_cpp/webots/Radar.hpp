// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_RADAR_HPP
#define WEBOTS_RADAR_HPP

#include <string>
#include <webots/Device.hpp>

#include "../../c/webots/radar_target.h"

namespace webots {

typedef WbRadarTarget RadarTarget;

// A radar; webots/radar.h describes it.
class Radar : public Device {
 public:
  explicit Radar(const std::string &name) : Device(name) {}
  explicit Radar(WbDeviceTag tag) : Device(tag) {}

  // Measures every `samplingPeriod` ms, 0 or more; 0 stops.
  virtual void enable(int samplingPeriod);
  // Stops measuring.
  virtual void disable();
  // The requested period [ms]; 0 while disabled.
  int getSamplingPeriod() const;
  // How many targets the last sample has.
  int getNumberOfTargets() const;
  // The targets of the last sample, valid until the next step; null if there is none.
  const RadarTarget *getTargets() const;
  // The field minRange [m].
  double getMinRange() const;
  // The field maxRange [m].
  double getMaxRange() const;
  // The field horizontalFieldOfView [rad].
  double getHorizontalFov() const;
  // The field verticalFieldOfView [rad].
  double getVerticalFov() const;
};

}  // namespace webots

#endif
