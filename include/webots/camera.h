/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_CAMERA_H
#define WB_CAMERA_H

#include <webots/camera_recognition_object.h>
#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sizes and settings work; nothing is rendered, which is reported once for each camera. */

/* Pixels of an image: blue, green, red, alpha. */
#define wb_camera_image_get_red(image, width, x, y) (image[4 * ((y) * (width) + (x)) + 2])
#define wb_camera_image_get_green(image, width, x, y) (image[4 * ((y) * (width) + (x)) + 1])
#define wb_camera_image_get_blue(image, width, x, y) (image[4 * ((y) * (width) + (x))])
#define wb_camera_image_get_gray(image, width, x, y)                                              \
  ((wb_camera_image_get_red(image, width, x, y) + wb_camera_image_get_green(image, width, x, y) + \
    wb_camera_image_get_blue(image, width, x, y)) /                                               \
   3)
#define wb_camera_image_get_grey(image, width, x, y) wb_camera_image_get_gray(image, width, x, y)

void wb_camera_enable(WbDeviceTag tag, int sampling_period);
void wb_camera_disable(WbDeviceTag tag);
/* The requested period [ms]; 0 while disabled. */
int wb_camera_get_sampling_period(WbDeviceTag tag);
/* A black picture, or NULL while disabled: nothing is drawn. */
const unsigned char *wb_camera_get_image(WbDeviceTag tag);
/* Fields of the Camera [pixels]. */
int wb_camera_get_width(WbDeviceTag tag);
int wb_camera_get_height(WbDeviceTag tag);

/* Horizontal field of view [rad]. The bounds are those of the Zoom node; without one they are the
 * field fieldOfView, and set_fov is refused. */
double wb_camera_get_fov(WbDeviceTag tag);
double wb_camera_get_max_fov(WbDeviceTag tag);
double wb_camera_get_min_fov(WbDeviceTag tag);
void wb_camera_set_fov(WbDeviceTag tag, double fov);
/* [J/m²], 0 or more */
double wb_camera_get_exposure(WbDeviceTag tag);
void wb_camera_set_exposure(WbDeviceTag tag, double exposure);
/* Of the Focus node [m]; 0 without one. */
double wb_camera_get_focal_length(WbDeviceTag tag);
double wb_camera_get_focal_distance(WbDeviceTag tag);
double wb_camera_get_max_focal_distance(WbDeviceTag tag);
double wb_camera_get_min_focal_distance(WbDeviceTag tag);
void wb_camera_set_focal_distance(WbDeviceTag tag, double focal_distance);
/* [m] */
double wb_camera_get_near(WbDeviceTag tag);
/* Writes a black picture, to .png files only; else -1. */
int wb_camera_save_image(WbDeviceTag tag, const char *filename, int quality);

/* Whether the camera has a Recognition node. It recognizes nothing. */
bool wb_camera_has_recognition(WbDeviceTag tag);
void wb_camera_recognition_enable(WbDeviceTag tag, int sampling_period);
void wb_camera_recognition_disable(WbDeviceTag tag);
int wb_camera_recognition_get_sampling_period(WbDeviceTag tag);
/* 0 */
int wb_camera_recognition_get_number_of_objects(WbDeviceTag tag);
/* NULL */
const WbCameraRecognitionObject *wb_camera_recognition_get_objects(WbDeviceTag tag);
const WbCameraRecognitionObject *wb_camera_recognition_get_object(WbDeviceTag tag, int index);
/* The field segmentation of the Recognition node. */
bool wb_camera_recognition_has_segmentation(WbDeviceTag tag);
void wb_camera_recognition_enable_segmentation(WbDeviceTag tag);
void wb_camera_recognition_disable_segmentation(WbDeviceTag tag);
bool wb_camera_recognition_is_segmentation_enabled(WbDeviceTag tag);
/* The same. */
const unsigned char *wb_camera_recognition_get_segmentation_image(WbDeviceTag tag);
/* As wb_camera_save_image(). */
int wb_camera_recognition_save_segmentation_image(WbDeviceTag tag, const char *filename,
                                                  int quality);

/* Before V8.4 a camera could be a range finder. Its image is infinite everywhere, or NULL while it
 * is disabled. */
const float *wb_camera_get_range_image(WbDeviceTag tag);
#define wb_camera_range_image_get_depth(image, width, x, y) (image[(y) * (width) + (x)])
double wb_camera_get_max_range(WbDeviceTag tag);
enum { WB_CAMERA_BOTH = 'b', WB_CAMERA_COLOR = 'c', WB_CAMERA_RANGE_FINDER = 'r' };
/* The field type; WB_CAMERA_COLOR where there is none. */
int wb_camera_get_type(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#ifdef SERVOSIM_WEBOTS_API
#include <webots/api6/camera.h>
#endif

#endif /* WB_CAMERA_H */
