/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_LIDAR_H
#define WB_LIDAR_H

#include <webots/lidar_point.h>
#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* servosim measures no ranges by lidar. Sizes and settings can be read and set, and all ranges are
 * infinite. A message says so once for each lidar, and a run whose controller reads ranges of an
 * enabled lidar is incomplete (exit code 3). */

/* Switches the device on, with this period [ms]; 0 switches it off, and a negative one is an error.
 * It has no picture to deliver: see above. */
void wb_lidar_enable(WbDeviceTag tag, int sampling_period);
/* Switches the device off. */
void wb_lidar_disable(WbDeviceTag tag);
/* The period as it was requested [ms]; 0 while disabled. */
int wb_lidar_get_sampling_period(WbDeviceTag tag);
/* Makes the point cloud readable. It is independent of the sampling period. */
void wb_lidar_enable_point_cloud(WbDeviceTag tag);
/* Makes the functions that return points errors again. */
void wb_lidar_disable_point_cloud(WbDeviceTag tag);
/* Whether it is readable; at first it is not. */
bool wb_lidar_is_point_cloud_enabled(WbDeviceTag tag);

/* horizontalResolution distances for each layer [m], the upper layer first; all are infinite. NULL
 * while disabled and before the first sample. The address stays. */
const float *wb_lidar_get_range_image(WbDeviceTag tag);
/* The distances of one layer, from 0; NULL for a layer that is not there. */
const float *wb_lidar_get_layer_range_image(WbDeviceTag tag, int layer);
/* All points, layer after layer. x, y and z are infinite; layer_id and time are right. NULL while
 * disabled, before the first sample, and, with an error, while the point cloud is disabled. */
const WbLidarPoint *wb_lidar_get_point_cloud(WbDeviceTag tag);
/* The points of one layer, from 0; NULL and an error for a layer that is not there. */
const WbLidarPoint *wb_lidar_get_layer_point_cloud(WbDeviceTag tag, int layer);
/* One point; `index` counts from 0. NULL and an error for another index. */
const WbLidarPoint *wb_lidar_get_point(WbDeviceTag tag, int index);
/* horizontalResolution * numberOfLayers; 0 if that is more than 4,194,304. */
int wb_lidar_get_number_of_points(WbDeviceTag tag);

/* The field horizontalResolution: points in a layer. */
int wb_lidar_get_horizontal_resolution(WbDeviceTag tag);
/* The field numberOfLayers. */
int wb_lidar_get_number_of_layers(WbDeviceTag tag);
/* The field minFrequency [Hz]. */
double wb_lidar_get_min_frequency(WbDeviceTag tag);
/* The field maxFrequency [Hz]. */
double wb_lidar_get_max_frequency(WbDeviceTag tag);
/* The field defaultFrequency, or what was set [Hz]. */
double wb_lidar_get_frequency(WbDeviceTag tag);
/* A frequency within the two limits [Hz]; another number is an error. */
void wb_lidar_set_frequency(WbDeviceTag tag, double frequency);
/* The field fieldOfView: the horizontal one [rad]. */
double wb_lidar_get_fov(WbDeviceTag tag);
/* The field verticalFieldOfView [rad]. */
double wb_lidar_get_vertical_fov(WbDeviceTag tag);
/* The field minRange [m]. */
double wb_lidar_get_min_range(WbDeviceTag tag);
/* The field maxRange [m]. */
double wb_lidar_get_max_range(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_LIDAR_H */
