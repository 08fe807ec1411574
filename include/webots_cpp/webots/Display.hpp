// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_DISPLAY_HPP
#define WEBOTS_DISPLAY_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

class Camera;
class ImageRef;

// A display, which Cameras and infra-red DistanceSensors see. webots/display.h has the ranges of
// the arguments.
class Display : public Device {
 public:
  enum { RGB = 3, RGBA = 4, ARGB = 5, BGRA = 6, ABGR = 7 };

  explicit Display(const std::string &name) : Device(name) {}
  explicit Display(WbDeviceTag tag) : Device(tag) {}

  // The field width [pixels].
  int getWidth() const;
  // The field height [pixels].
  int getHeight() const;
  // Sets the color 0xRRGGBB of what is drawn next.
  virtual void setColor(int color);
  // Sets the alpha, 0 to 1, of what is drawn next.
  virtual void setAlpha(double alpha);
  // Sets the opacity, 0 to 1, of what is drawn next.
  virtual void setOpacity(double opacity);
  // Sets the font and its size [pixels] of what is written next.
  virtual void setFont(const std::string &font, int size, bool antiAliasing);
  // Ends what attachCamera() began.
  virtual void detachCamera();
  // Draws a pixel at `x`, `y` [pixels].
  virtual void drawPixel(int x, int y);
  // Draws a line from `x1`, `y1` to `x2`, `y2` [pixels].
  virtual void drawLine(int x1, int y1, int x2, int y2);
  // Draws the outline of a rectangle of 1 pixel or more.
  virtual void drawRectangle(int x, int y, int width, int height);
  // Draws the outline of an oval with radii `a` and `b` of 1 pixel or more.
  virtual void drawOval(int cx, int cy, int a, int b);
  // Writes a text at `x`, `y` [pixels].
  virtual void drawText(const std::string &text, int x, int y);
  // Fills a rectangle of 1 pixel or more.
  virtual void fillRectangle(int x, int y, int width, int height);
  // Fills an oval with radii `a` and `b` of 1 pixel or more.
  virtual void fillOval(int cx, int cy, int a, int b);
  // Shows the picture of a camera from now on.
  virtual void attachCamera(Camera *camera);
  // Draws the outline of a polygon [pixels].
  virtual void drawPolygon(const int *x, const int *y, int size);
  // Fills a polygon [pixels].
  virtual void fillPolygon(const int *x, const int *y, int size);
  // To be given back with imageDelete().
  ImageRef *imageNew(int width, int height, const void *data, int format) const;
  // The picture of a file; null, and a message, if there is none.
  ImageRef *imageLoad(const std::string &filename) const;
  // A copy of a part of the display [pixels]; null, and a message, for a size below 1.
  ImageRef *imageCopy(int x, int y, int width, int height) const;
  // Puts an image at `x`, `y` [pixels].
  virtual void imagePaste(ImageRef *image, int x, int y, bool blend = false);
  // Writes an image to a .png or .jpg file; null: what the display shows.
  virtual void imageSave(ImageRef *image, const std::string &filename) const;
  // Deletes an image and its object.
  virtual void imageDelete(ImageRef *image);
};

}  // namespace webots

#endif
