// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_CAMERA_HPP
#define WEBOTS_CAMERA_HPP

#include <string>
#include <webots/Device.hpp>

#include "../../c/webots/camera_recognition_object.h"

namespace webots {

typedef WbCameraRecognitionObject CameraRecognitionObject;

// A camera. webots/camera.h describes it. A
// picture stays at its address; it is null while the camera is disabled and before the step that
// enables it.
class Camera : public Device {
 public:
  explicit Camera(const std::string &name) : Device(name) {}
  explicit Camera(WbDeviceTag tag) : Device(tag) {}

  // Measures every `samplingPeriod` ms, 0 or more; 0 stops.
  virtual void enable(int samplingPeriod);
  // Stops measuring.
  virtual void disable();
  // The requested period [ms]; 0 while disabled.
  int getSamplingPeriod() const;
  const unsigned char *getImage() const;
  // The field width [pixels].
  int getWidth() const;
  // The field height [pixels].
  int getHeight() const;
  // The horizontal field of view [rad].
  double getFov() const;
  // The widest field of view of the Zoom node [rad]; without one, the present one.
  double getMaxFov() const;
  // The narrowest field of view of the Zoom node [rad]; without one, the present one.
  double getMinFov() const;
  // Sets the field of view [rad], getMinFov() to getMaxFov().
  virtual void setFov(double fov);
  // The exposure [J/m²], 0 or more.
  double getExposure() const;
  // Sets the exposure [J/m²], 0 or more.
  virtual void setExposure(double exposure);
  // The focal length of the Focus node [m]; 0 without one.
  double getFocalLength() const;
  // The focal distance of the Focus node [m]; 0 without one.
  double getFocalDistance() const;
  // The largest focal distance of the Focus node [m]; 0 without one.
  double getMaxFocalDistance() const;
  // The smallest focal distance of the Focus node [m]; 0 without one.
  double getMinFocalDistance() const;
  // Sets the focal distance [m], getMinFocalDistance() to getMaxFocalDistance().
  virtual void setFocalDistance(double focalDistance);
  // The field near [m].
  double getNear() const;
  // Writes the last picture to a .png or .jpg file. Returns 0, or -1 with a message.
  virtual int saveImage(const std::string &filename, int quality);
  // Whether the camera has a Recognition node.
  bool hasRecognition() const;
  // Recognizes every `samplingPeriod` ms, 0 or more; 0 stops.
  virtual void recognitionEnable(int samplingPeriod);
  // Stops recognizing.
  virtual void recognitionDisable();
  // The requested period [ms]; 0 while disabled.
  int getRecognitionSamplingPeriod() const;
  // How many objects were recognized in the last sample.
  int getRecognitionNumberOfObjects() const;
  // These objects; null without.
  const CameraRecognitionObject *getRecognitionObjects() const;
  // The field segmentation of the Recognition node.
  bool hasRecognitionSegmentation() const;
  // Makes segmented pictures from now on.
  virtual void enableRecognitionSegmentation();
  // Stops making segmented pictures.
  virtual void disableRecognitionSegmentation();
  // Whether segmented pictures are made.
  bool isRecognitionSegmentationEnabled() const;
  const unsigned char *getRecognitionSegmentationImage() const;
  // The same for the segmented picture.
  virtual int saveRecognitionSegmentationImage(const std::string &filename, int quality);

  // Before V8.4 a camera could be a range finder.
  enum { BOTH = 'b', COLOR = 'c', RANGE_FINDER = 'r' };
  // BOTH, COLOR or RANGE_FINDER. It hides getType() of Device.
  int getType() const;  // hides that of Device
  // The field maxRange [m], as before V8.4.
  double getMaxRange() const;
  // Distances [m] of a camera of type BOTH or RANGE_FINDER; null for others.
  const float *getRangeImage() const;
  // The distance [m] at `x`, `y` of a list of getRangeImage().
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
