// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_RANGE_FINDER_HPP
#define WEBOTS_RANGE_FINDER_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

// A range finder, which webots/range_finder.h describes. Its distances stay at their address, and
// each sample overwrites them.
class RangeFinder : public Device {
 public:
  explicit RangeFinder(const std::string &name) : Device(name) {}
  explicit RangeFinder(WbDeviceTag tag) : Device(tag) {}

  // Measures every `samplingPeriod` ms, 0 or more; 0 stops.
  virtual void enable(int samplingPeriod);
  // Stops measuring.
  virtual void disable();
  // The requested period [ms]; 0 while disabled.
  int getSamplingPeriod() const;
  // Distances [m], row by row.
  const float *getRangeImage() const;
  // The field width [pixels].
  int getWidth() const;
  // The field height [pixels].
  int getHeight() const;
  // The field fieldOfView [rad].
  double getFov() const;
  // The field minRange [m].
  double getMinRange() const;
  // The field maxRange [m].
  double getMaxRange() const;
  // Writes the distances to a .png or .hdr file. Returns 0, or -1 with a message.
  virtual int saveImage(const std::string &filename, int quality);
  // The distance of a pixel of getRangeImage() [m].
  static float rangeImageGetDepth(const float *image, int width, int x, int y) {
    return image[y * width + x];
  }
  static float rangeImageGetValue(const float *image, int width, int x, int y) {
    return rangeImageGetDepth(image, width, x, y);
  }
};

}  // namespace webots

#endif
