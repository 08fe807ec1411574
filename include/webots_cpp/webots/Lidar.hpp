// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_LIDAR_HPP
#define WEBOTS_LIDAR_HPP

#include <string>
#include <webots/Device.hpp>

#include "../../c/webots/lidar_point.h"

namespace webots {

typedef WbLidarPoint LidarPoint;

class Lidar : public Device {
 public:
  explicit Lidar(const std::string &name) : Device(name) {}
  explicit Lidar(WbDeviceTag tag) : Device(tag) {}

  virtual void enable(int samplingPeriod);
  virtual void disable();
  int getSamplingPeriod() const;
  virtual void enablePointCloud();
  virtual void disablePointCloud();
  bool isPointCloudEnabled() const;
  const float *getRangeImage() const;
  const float *getLayerRangeImage(int layer) const;
  const LidarPoint *getPointCloud() const;
  const LidarPoint *getLayerPointCloud(int layer) const;
  int getNumberOfPoints() const;
  int getHorizontalResolution() const;
  int getNumberOfLayers() const;
  double getMinFrequency() const;
  double getMaxFrequency() const;
  double getFrequency() const;
  virtual void setFrequency(double frequency);
  double getFov() const;
  double getVerticalFov() const;
  double getMinRange() const;
  double getMaxRange() const;
};

}  // namespace webots

#endif
