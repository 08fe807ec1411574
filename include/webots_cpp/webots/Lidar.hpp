// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_LIDAR_HPP
#define WEBOTS_LIDAR_HPP

#include <string>
#include <webots/Device.hpp>

#include "../../c/webots/lidar_point.h"

namespace webots {

typedef WbLidarPoint LidarPoint;

// A lidar, which webots/lidar.h describes. Its distances and points stay at their addresses, and
// each sample overwrites them.
class Lidar : public Device {
 public:
  explicit Lidar(const std::string &name) : Device(name) {}
  explicit Lidar(WbDeviceTag tag) : Device(tag) {}

  // Measures every `samplingPeriod` ms, 0 or more; 0 stops.
  virtual void enable(int samplingPeriod);
  // Stops measuring.
  virtual void disable();
  // The requested period [ms]; 0 while disabled.
  int getSamplingPeriod() const;
  // Makes point clouds from now on.
  virtual void enablePointCloud();
  // Stops making point clouds.
  virtual void disablePointCloud();
  // Whether point clouds are made.
  bool isPointCloudEnabled() const;
  // Distances [m], layer by layer.
  const float *getRangeImage() const;
  // Distances of a layer, from 0 [m].
  const float *getLayerRangeImage(int layer) const;
  // All points, layer by layer.
  const LidarPoint *getPointCloud() const;
  // The points of a layer, from 0.
  const LidarPoint *getLayerPointCloud(int layer) const;
  // The number of points of a point cloud.
  int getNumberOfPoints() const;
  // The field horizontalResolution [pixels].
  int getHorizontalResolution() const;
  // The field numberOfLayers.
  int getNumberOfLayers() const;
  // The field minFrequency [Hz].
  double getMinFrequency() const;
  // The field maxFrequency [Hz].
  double getMaxFrequency() const;
  // The frequency that was set last [Hz].
  double getFrequency() const;
  // Sets the frequency [Hz], getMinFrequency() to getMaxFrequency().
  virtual void setFrequency(double frequency);
  // The field fieldOfView [rad].
  double getFov() const;
  // The vertical field of view [rad].
  double getVerticalFov() const;
  // The field minRange [m].
  double getMinRange() const;
  // The field maxRange [m].
  double getMaxRange() const;
};

}  // namespace webots

#endif
