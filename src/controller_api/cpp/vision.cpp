// SPDX-License-Identifier: Apache-2.0
#include <webots/camera.h>
#include <webots/display.h>
#include <webots/lidar.h>
#include <webots/radar.h>
#include <webots/range_finder.h>

#include <webots/Camera.hpp>
#include <webots/Display.hpp>
#include <webots/ImageRef.hpp>
#include <webots/Lidar.hpp>
#include <webots/Radar.hpp>
#include <webots/RangeFinder.hpp>

namespace webots {

// ---- Radar

void Radar::enable(int samplingPeriod) { wb_radar_enable(getTag(), samplingPeriod); }

void Radar::disable() { wb_radar_disable(getTag()); }

int Radar::getSamplingPeriod() const { return wb_radar_get_sampling_period(getTag()); }

int Radar::getNumberOfTargets() const { return wb_radar_get_number_of_targets(getTag()); }

const RadarTarget *Radar::getTargets() const { return wb_radar_get_targets(getTag()); }

double Radar::getMinRange() const { return wb_radar_get_min_range(getTag()); }

double Radar::getMaxRange() const { return wb_radar_get_max_range(getTag()); }

double Radar::getHorizontalFov() const { return wb_radar_get_horizontal_fov(getTag()); }

double Radar::getVerticalFov() const { return wb_radar_get_vertical_fov(getTag()); }

// ---- RangeFinder

void RangeFinder::enable(int samplingPeriod) { wb_range_finder_enable(getTag(), samplingPeriod); }

void RangeFinder::disable() { wb_range_finder_disable(getTag()); }

int RangeFinder::getSamplingPeriod() const { return wb_range_finder_get_sampling_period(getTag()); }

const float *RangeFinder::getRangeImage() const {
  return wb_range_finder_get_range_image(getTag());
}

int RangeFinder::getWidth() const { return wb_range_finder_get_width(getTag()); }

int RangeFinder::getHeight() const { return wb_range_finder_get_height(getTag()); }

double RangeFinder::getFov() const { return wb_range_finder_get_fov(getTag()); }

double RangeFinder::getMinRange() const { return wb_range_finder_get_min_range(getTag()); }

double RangeFinder::getMaxRange() const { return wb_range_finder_get_max_range(getTag()); }

int RangeFinder::saveImage(const std::string &filename, int quality) {
  return wb_range_finder_save_image(getTag(), filename.c_str(), quality);
}

// ---- Lidar

void Lidar::enable(int samplingPeriod) { wb_lidar_enable(getTag(), samplingPeriod); }

void Lidar::disable() { wb_lidar_disable(getTag()); }

int Lidar::getSamplingPeriod() const { return wb_lidar_get_sampling_period(getTag()); }

void Lidar::enablePointCloud() { wb_lidar_enable_point_cloud(getTag()); }

void Lidar::disablePointCloud() { wb_lidar_disable_point_cloud(getTag()); }

bool Lidar::isPointCloudEnabled() const { return wb_lidar_is_point_cloud_enabled(getTag()); }

const float *Lidar::getRangeImage() const { return wb_lidar_get_range_image(getTag()); }

const float *Lidar::getLayerRangeImage(int layer) const {
  return wb_lidar_get_layer_range_image(getTag(), layer);
}

const LidarPoint *Lidar::getPointCloud() const { return wb_lidar_get_point_cloud(getTag()); }

const LidarPoint *Lidar::getLayerPointCloud(int layer) const {
  return wb_lidar_get_layer_point_cloud(getTag(), layer);
}

int Lidar::getNumberOfPoints() const { return wb_lidar_get_number_of_points(getTag()); }

int Lidar::getHorizontalResolution() const { return wb_lidar_get_horizontal_resolution(getTag()); }

int Lidar::getNumberOfLayers() const { return wb_lidar_get_number_of_layers(getTag()); }

double Lidar::getMinFrequency() const { return wb_lidar_get_min_frequency(getTag()); }

double Lidar::getMaxFrequency() const { return wb_lidar_get_max_frequency(getTag()); }

double Lidar::getFrequency() const { return wb_lidar_get_frequency(getTag()); }

void Lidar::setFrequency(double frequency) { wb_lidar_set_frequency(getTag(), frequency); }

double Lidar::getFov() const { return wb_lidar_get_fov(getTag()); }

double Lidar::getVerticalFov() const { return wb_lidar_get_vertical_fov(getTag()); }

double Lidar::getMinRange() const { return wb_lidar_get_min_range(getTag()); }

double Lidar::getMaxRange() const { return wb_lidar_get_max_range(getTag()); }

// ---- Camera

void Camera::enable(int samplingPeriod) { wb_camera_enable(getTag(), samplingPeriod); }

void Camera::disable() { wb_camera_disable(getTag()); }

int Camera::getSamplingPeriod() const { return wb_camera_get_sampling_period(getTag()); }

const unsigned char *Camera::getImage() const { return wb_camera_get_image(getTag()); }

int Camera::getType() const { return wb_camera_get_type(getTag()); }

double Camera::getMaxRange() const { return wb_camera_get_max_range(getTag()); }

const float *Camera::getRangeImage() const { return wb_camera_get_range_image(getTag()); }

int Camera::getWidth() const { return wb_camera_get_width(getTag()); }

int Camera::getHeight() const { return wb_camera_get_height(getTag()); }

double Camera::getFov() const { return wb_camera_get_fov(getTag()); }

double Camera::getMaxFov() const { return wb_camera_get_max_fov(getTag()); }

double Camera::getMinFov() const { return wb_camera_get_min_fov(getTag()); }

void Camera::setFov(double fov) { wb_camera_set_fov(getTag(), fov); }

double Camera::getExposure() const { return wb_camera_get_exposure(getTag()); }

void Camera::setExposure(double exposure) { wb_camera_set_exposure(getTag(), exposure); }

double Camera::getFocalLength() const { return wb_camera_get_focal_length(getTag()); }

double Camera::getFocalDistance() const { return wb_camera_get_focal_distance(getTag()); }

double Camera::getMaxFocalDistance() const { return wb_camera_get_max_focal_distance(getTag()); }

double Camera::getMinFocalDistance() const { return wb_camera_get_min_focal_distance(getTag()); }

void Camera::setFocalDistance(double focalDistance) {
  wb_camera_set_focal_distance(getTag(), focalDistance);
}

double Camera::getNear() const { return wb_camera_get_near(getTag()); }

int Camera::saveImage(const std::string &filename, int quality) {
  return wb_camera_save_image(getTag(), filename.c_str(), quality);
}

bool Camera::hasRecognition() const { return wb_camera_has_recognition(getTag()); }

void Camera::recognitionEnable(int samplingPeriod) {
  wb_camera_recognition_enable(getTag(), samplingPeriod);
}

void Camera::recognitionDisable() { wb_camera_recognition_disable(getTag()); }

int Camera::getRecognitionSamplingPeriod() const {
  return wb_camera_recognition_get_sampling_period(getTag());
}

int Camera::getRecognitionNumberOfObjects() const {
  return wb_camera_recognition_get_number_of_objects(getTag());
}

const CameraRecognitionObject *Camera::getRecognitionObjects() const {
  return wb_camera_recognition_get_objects(getTag());
}

bool Camera::hasRecognitionSegmentation() const {
  return wb_camera_recognition_has_segmentation(getTag());
}

void Camera::enableRecognitionSegmentation() {
  wb_camera_recognition_enable_segmentation(getTag());
}

void Camera::disableRecognitionSegmentation() {
  wb_camera_recognition_disable_segmentation(getTag());
}

bool Camera::isRecognitionSegmentationEnabled() const {
  return wb_camera_recognition_is_segmentation_enabled(getTag());
}

const unsigned char *Camera::getRecognitionSegmentationImage() const {
  return wb_camera_recognition_get_segmentation_image(getTag());
}

int Camera::saveRecognitionSegmentationImage(const std::string &filename, int quality) {
  return wb_camera_recognition_save_segmentation_image(getTag(), filename.c_str(), quality);
}

// ---- Display

int Display::getWidth() const { return wb_display_get_width(getTag()); }

int Display::getHeight() const { return wb_display_get_height(getTag()); }

void Display::setColor(int color) { wb_display_set_color(getTag(), color); }

void Display::setAlpha(double alpha) { wb_display_set_alpha(getTag(), alpha); }

void Display::setOpacity(double opacity) { wb_display_set_opacity(getTag(), opacity); }

void Display::setFont(const std::string &font, int size, bool antiAliasing) {
  wb_display_set_font(getTag(), font.c_str(), size, antiAliasing);
}

void Display::detachCamera() { wb_display_detach_camera(getTag()); }

void Display::drawPixel(int x, int y) { wb_display_draw_pixel(getTag(), x, y); }

void Display::drawLine(int x1, int y1, int x2, int y2) {
  wb_display_draw_line(getTag(), x1, y1, x2, y2);
}

void Display::drawRectangle(int x, int y, int width, int height) {
  wb_display_draw_rectangle(getTag(), x, y, width, height);
}

void Display::drawOval(int cx, int cy, int a, int b) {
  wb_display_draw_oval(getTag(), cx, cy, a, b);
}

void Display::drawText(const std::string &text, int x, int y) {
  wb_display_draw_text(getTag(), text.c_str(), x, y);
}

void Display::fillRectangle(int x, int y, int width, int height) {
  wb_display_fill_rectangle(getTag(), x, y, width, height);
}

void Display::fillOval(int cx, int cy, int a, int b) {
  wb_display_fill_oval(getTag(), cx, cy, a, b);
}

void Display::attachCamera(Camera *camera) {
  wb_display_attach_camera(getTag(), camera != nullptr ? camera->getTag() : 0);
}

void Display::drawPolygon(const int *x, const int *y, int size) {
  wb_display_draw_polygon(getTag(), x, y, size);
}

void Display::fillPolygon(const int *x, const int *y, int size) {
  wb_display_fill_polygon(getTag(), x, y, size);
}

namespace {

ImageRef *wrapped(WbImageRef image) { return image != nullptr ? new ImageRef(image) : nullptr; }

WbImageRef unwrapped(const ImageRef *image) { return image != nullptr ? image->ref() : nullptr; }

}  // namespace

ImageRef *Display::imageNew(int width, int height, const void *data, int format) const {
  return wrapped(wb_display_image_new(getTag(), width, height, data, format));
}

ImageRef *Display::imageLoad(const std::string &filename) const {
  return wrapped(wb_display_image_load(getTag(), filename.c_str()));
}

ImageRef *Display::imageCopy(int x, int y, int width, int height) const {
  return wrapped(wb_display_image_copy(getTag(), x, y, width, height));
}

void Display::imagePaste(ImageRef *image, int x, int y, bool blend) {
  wb_display_image_paste(getTag(), unwrapped(image), x, y, blend);
}

void Display::imageSave(ImageRef *image, const std::string &filename) const {
  wb_display_image_save(getTag(), unwrapped(image), filename.c_str());
}

void Display::imageDelete(ImageRef *image) {
  wb_display_image_delete(getTag(), unwrapped(image));
  delete image;
}

}  // namespace webots
