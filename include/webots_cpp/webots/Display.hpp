// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_DISPLAY_HPP
#define WEBOTS_DISPLAY_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

class Camera;
class ImageRef;

class Display : public Device {
 public:
  enum { RGB = 3, RGBA = 4, ARGB = 5, BGRA = 6, ABGR = 7 };

  explicit Display(const std::string &name) : Device(name) {}
  explicit Display(WbDeviceTag tag) : Device(tag) {}

  int getWidth() const;
  int getHeight() const;
  virtual void setColor(int color);
  virtual void setAlpha(double alpha);
  virtual void setOpacity(double opacity);
  virtual void setFont(const std::string &font, int size, bool antiAliasing);
  virtual void detachCamera();
  virtual void drawPixel(int x, int y);
  virtual void drawLine(int x1, int y1, int x2, int y2);
  virtual void drawRectangle(int x, int y, int width, int height);
  virtual void drawOval(int cx, int cy, int a, int b);
  virtual void drawText(const std::string &text, int x, int y);
  virtual void fillRectangle(int x, int y, int width, int height);
  virtual void fillOval(int cx, int cy, int a, int b);
  virtual void attachCamera(Camera *camera);
  virtual void drawPolygon(const int *x, const int *y, int size);
  virtual void fillPolygon(const int *x, const int *y, int size);
  // To be given back with imageDelete().
  ImageRef *imageNew(int width, int height, const void *data, int format) const;
  ImageRef *imageLoad(const std::string &filename) const;
  ImageRef *imageCopy(int x, int y, int width, int height) const;
  virtual void imagePaste(ImageRef *image, int x, int y, bool blend = false);
  virtual void imageSave(ImageRef *image, const std::string &filename) const;
  virtual void imageDelete(ImageRef *image);
};

}  // namespace webots

#endif
