/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_CAMERA_H
#define WB_CAMERA_H

#include <webots/camera_recognition_object.h>
#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The parts of a pixel, from 0 to 255. An image has `width` pixels in each row, from the left, and
 * its rows from the top; a pixel is four bytes: blue, green, red, alpha. */
#define wb_camera_image_get_red(image, width, x, y) (image[4 * ((y) * (width) + (x)) + 2])
#define wb_camera_image_get_green(image, width, x, y) (image[4 * ((y) * (width) + (x)) + 1])
#define wb_camera_image_get_blue(image, width, x, y) (image[4 * ((y) * (width) + (x))])
#define wb_camera_image_get_gray(image, width, x, y)                                              \
  ((wb_camera_image_get_red(image, width, x, y) + wb_camera_image_get_green(image, width, x, y) + \
    wb_camera_image_get_blue(image, width, x, y)) /                                               \
   3)
#define wb_camera_image_get_grey(image, width, x, y) wb_camera_image_get_gray(image, width, x, y)

/* Takes a picture every `sampling_period` [ms], first one period from now; 0 switches the device
 * off, and a negative period is an error. */
void wb_camera_enable(WbDeviceTag tag, int sampling_period);
/* Switches the device off. It keeps its last picture. */
void wb_camera_disable(WbDeviceTag tag);
/* The period as it was requested [ms]; 0 while disabled. */
int wb_camera_get_sampling_period(WbDeviceTag tag);
/* The last picture, width * height pixels, at an address that stays; each picture overwrites the
 * one before. It is black before the first one. NULL before the step that enables the camera, and
 * with a message while it is disabled. */
const unsigned char *wb_camera_get_image(WbDeviceTag tag);
/* The field width [pixels]. */
int wb_camera_get_width(WbDeviceTag tag);
/* The field height [pixels]. */
int wb_camera_get_height(WbDeviceTag tag);

/* The horizontal field of view [rad]. */
double wb_camera_get_fov(WbDeviceTag tag);
/* The largest field of view of the Zoom node [rad]; without one the present field of view. */
double wb_camera_get_max_fov(WbDeviceTag tag);
/* The smallest one, by the same rule. */
double wb_camera_get_min_fov(WbDeviceTag tag);
/* A field of view within these two limits, for the next picture [rad]. Another value is an error.
 */
void wb_camera_set_fov(WbDeviceTag tag, double fov);
/* The field exposure, or what was set [J/m²]. */
double wb_camera_get_exposure(WbDeviceTag tag);
/* 0 or more, for the next picture [J/m²]; a negative value and NaN are errors. */
void wb_camera_set_exposure(WbDeviceTag tag, double exposure);
/* The focal length of the Focus node [m]; 0 without one. */
double wb_camera_get_focal_length(WbDeviceTag tag);
/* The focal distance, or what was set [m]; 0 without a Focus node, as the next two. */
double wb_camera_get_focal_distance(WbDeviceTag tag);
double wb_camera_get_max_focal_distance(WbDeviceTag tag);
double wb_camera_get_min_focal_distance(WbDeviceTag tag);
/* A distance within these two limits, for the next picture [m]. Another value is an error, and so
 * is a camera that is not planar. */
void wb_camera_set_focal_distance(WbDeviceTag tag, double focal_distance);
/* The field near: the distance of the near plane [m]. */
double wb_camera_get_near(WbDeviceTag tag);
/* Writes the last picture to a .png or .jpg file; `quality` is from 1 to 100 and counts for a .jpg
 * file. Returns 0, or -1 with a message: for another kind of file, for a disabled camera, and if
 * the file cannot be written. */
int wb_camera_save_image(WbDeviceTag tag, const char *filename, int quality);

/* Whether the camera has a Recognition node. The functions below are errors without one. */
bool wb_camera_has_recognition(WbDeviceTag tag);
/* The period of the recognition [ms], 0 or more; 0 switches it off. The camera itself may be
 * disabled. */
void wb_camera_recognition_enable(WbDeviceTag tag, int sampling_period);
/* Switches the recognition off. */
void wb_camera_recognition_disable(WbDeviceTag tag);
/* The period as it was requested [ms]; 0 while disabled. */
int wb_camera_recognition_get_sampling_period(WbDeviceTag tag);
/* How many objects were recognized in the last sample; 0 with a message while disabled. */
int wb_camera_recognition_get_number_of_objects(WbDeviceTag tag);
/* These objects, or the one of an index from 0 on; NULL without, and with a message while disabled.
 * They are valid until the next sample. */
const WbCameraRecognitionObject *wb_camera_recognition_get_objects(WbDeviceTag tag);
const WbCameraRecognitionObject *wb_camera_recognition_get_object(WbDeviceTag tag, int index);
/* The field segmentation of the Recognition node. */
bool wb_camera_recognition_has_segmentation(WbDeviceTag tag);
/* Switches segmentation on; an error where the field segmentation is FALSE. */
void wb_camera_recognition_enable_segmentation(WbDeviceTag tag);
/* Switches it off again. */
void wb_camera_recognition_disable_segmentation(WbDeviceTag tag);
/* Whether it is switched on; at first it is not. */
bool wb_camera_recognition_is_segmentation_enabled(WbDeviceTag tag);
/* A picture like that of wb_camera_get_image(), taken with the period of the recognition: each
 * object has its first recognition colour, and all else is black. NULL while recognition is
 * disabled and where the field segmentation is FALSE, and with a message while segmentation is
 * switched off. */
const unsigned char *wb_camera_recognition_get_segmentation_image(WbDeviceTag tag);
/* Writes that picture to a file, with the rules of wb_camera_save_image(). */
int wb_camera_recognition_save_segmentation_image(WbDeviceTag tag, const char *filename,
                                                  int quality);

/* Up to V8.3 a camera of type "both" or "range-finder" measures width * height distances [m],
 * infinite beyond maxRange. NULL for other cameras, and before the step that enables the camera. */
const float *wb_camera_get_range_image(WbDeviceTag tag);
#define wb_camera_range_image_get_depth(image, width, x, y) (image[(y) * (width) + (x)])
/* The field maxRange of such a camera [m]. */
double wb_camera_get_max_range(WbDeviceTag tag);
enum { WB_CAMERA_BOTH = 'b', WB_CAMERA_COLOR = 'c', WB_CAMERA_RANGE_FINDER = 'r' };
/* The first letter of the field type of such a camera; WB_CAMERA_COLOR where there is no such
 * field. */
int wb_camera_get_type(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#ifdef SERVOSIM_WEBOTS_API
#include <webots/api6/camera.h>
#endif

#endif /* WB_CAMERA_H */
