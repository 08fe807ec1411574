// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_CAMERA_HPP
#define WEBOTS_CAMERA_HPP

#include <string>
#include <webots/Device.hpp>

#include "../../c/webots/camera_recognition_object.h"

namespace webots {

typedef WbCameraRecognitionObject CameraRecognitionObject;

class Camera : public Device {
 public:
  explicit Camera(const std::string &name) : Device(name) {}
  explicit Camera(WbDeviceTag tag) : Device(tag) {}

  virtual void enable(int samplingPeriod);
  virtual void disable();
  int getSamplingPeriod() const;
  const unsigned char *getImage() const;
  int getWidth() const;
  int getHeight() const;
  double getFov() const;
  double getMaxFov() const;
  double getMinFov() const;
  virtual void setFov(double fov);
  double getExposure() const;
  virtual void setExposure(double exposure);
  double getFocalLength() const;
  double getFocalDistance() const;
  double getMaxFocalDistance() const;
  double getMinFocalDistance() const;
  virtual void setFocalDistance(double focalDistance);
  double getNear() const;
  virtual int saveImage(const std::string &filename, int quality);
  bool hasRecognition() const;
  virtual void recognitionEnable(int samplingPeriod);
  virtual void recognitionDisable();
  int getRecognitionSamplingPeriod() const;
  int getRecognitionNumberOfObjects() const;
  const CameraRecognitionObject *getRecognitionObjects() const;
  bool hasRecognitionSegmentation() const;
  virtual void enableRecognitionSegmentation();
  virtual void disableRecognitionSegmentation();
  bool isRecognitionSegmentationEnabled() const;
  const unsigned char *getRecognitionSegmentationImage() const;
  virtual int saveRecognitionSegmentationImage(const std::string &filename, int quality);

  // Before V8.4 a camera could be a range finder.
  enum { BOTH = 'b', COLOR = 'c', RANGE_FINDER = 'r' };
  int getType() const;  // hides that of Device
  double getMaxRange() const;
  const float *getRangeImage() const;
  static float rangeImageGetDepth(const float *image, int width, int x, int y) {
    return image[y * width + x];
  }

  // A pixel is blue, green, red and alpha, a byte each.
  static unsigned char imageGetRed(const unsigned char *image, int width, int x, int y) {
    return image[4 * (y * width + x) + 2];
  }
  static unsigned char imageGetGreen(const unsigned char *image, int width, int x, int y) {
    return image[4 * (y * width + x) + 1];
  }
  static unsigned char imageGetBlue(const unsigned char *image, int width, int x, int y) {
    return image[4 * (y * width + x)];
  }
  static unsigned char imageGetGray(const unsigned char *image, int width, int x, int y) {
    return static_cast<unsigned char>((imageGetRed(image, width, x, y) +
                                       imageGetGreen(image, width, x, y) +
                                       imageGetBlue(image, width, x, y)) /
                                      3);
  }
  static unsigned char imageGetGrey(const unsigned char *image, int width, int x, int y) {
    return imageGetGray(image, width, x, y);
  }
};

}  // namespace webots

#endif
