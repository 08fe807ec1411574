// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_GPS_HPP
#define WEBOTS_GPS_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

class GPS : public Device {
 public:
  typedef enum {
    LOCAL_COORDINATE = 0,
    WGS84_COORDINATE = 1,
    WGS84 = WGS84_COORDINATE,
    LOCAL = LOCAL_COORDINATE
  } CoordinateSystem;

  explicit GPS(const std::string &name) : Device(name) {}
  explicit GPS(WbDeviceTag tag) : Device(tag) {}

  virtual void enable(int samplingPeriod);
  virtual void disable();
  int getSamplingPeriod() const;
  const double *getValues() const;
  double getSpeed() const;
  const double *getSpeedVector() const;
  CoordinateSystem getCoordinateSystem() const;
  static std::string convertToDegreesMinutesSeconds(double decimalDegrees);
};

}  // namespace webots

#endif
