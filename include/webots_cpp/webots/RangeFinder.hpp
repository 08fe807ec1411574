// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_RANGE_FINDER_HPP
#define WEBOTS_RANGE_FINDER_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

class RangeFinder : public Device {
 public:
  explicit RangeFinder(const std::string &name) : Device(name) {}
  explicit RangeFinder(WbDeviceTag tag) : Device(tag) {}

  virtual void enable(int samplingPeriod);
  virtual void disable();
  int getSamplingPeriod() const;
  const float *getRangeImage() const;
  int getWidth() const;
  int getHeight() const;
  double getFov() const;
  double getMinRange() const;
  double getMaxRange() const;
  virtual int saveImage(const std::string &filename, int quality);
  static float rangeImageGetDepth(const float *image, int width, int x, int y) {
    return image[y * width + x];
  }
  static float rangeImageGetValue(const float *image, int width, int x, int y) {
    return rangeImageGetDepth(image, width, x, y);
  }
};

}  // namespace webots

#endif
