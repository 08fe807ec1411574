// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_GPS_HPP
#define WEBOTS_GPS_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

// A sensor of place and velocity; webots/gps.h describes it. Pointers are valid until the next
// step.
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

  // Measures every `samplingPeriod` ms, 0 or more; 0 stops.
  virtual void enable(int samplingPeriod);
  // Stops measuring.
  virtual void disable();
  // The requested period [ms]; 0 while disabled.
  int getSamplingPeriod() const;
  // x, y, z [m], or latitude, longitude [°], altitude [m]; NaN before the first sample.
  const double *getValues() const;
  // The speed since the sample before [m/s]; NaN before the first sample.
  double getSpeed() const;
  // The velocity since the sample before [m/s], in the axes of the world.
  const double *getSpeedVector() const;
  // LOCAL_COORDINATE or WGS84_COORDINATE.
  CoordinateSystem getCoordinateSystem() const;
  // An angle [°] as text, such as 46° 31′ 12″.
  static std::string convertToDegreesMinutesSeconds(double decimalDegrees);
};

}  // namespace webots

#endif
