/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_LIDAR_H
#define WB_LIDAR_H

#include <webots/lidar_point.h>
#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sizes and settings work; nothing is measured, which is reported once for each lidar. */

void wb_lidar_enable(WbDeviceTag tag, int sampling_period);
void wb_lidar_disable(WbDeviceTag tag);
/* The requested period [ms]; 0 while disabled. */
int wb_lidar_get_sampling_period(WbDeviceTag tag);
void wb_lidar_enable_point_cloud(WbDeviceTag tag);
void wb_lidar_disable_point_cloud(WbDeviceTag tag);
bool wb_lidar_is_point_cloud_enabled(WbDeviceTag tag);

/* Infinite everywhere, or NULL while disabled: nothing is measured [m]. */
const float *wb_lidar_get_range_image(WbDeviceTag tag);
const float *wb_lidar_get_layer_range_image(WbDeviceTag tag, int layer);
const WbLidarPoint *wb_lidar_get_point_cloud(WbDeviceTag tag);
const WbLidarPoint *wb_lidar_get_layer_point_cloud(WbDeviceTag tag, int layer);
const WbLidarPoint *wb_lidar_get_point(WbDeviceTag tag, int index);
/* 0 */
int wb_lidar_get_number_of_points(WbDeviceTag tag);

/* Fields of the Lidar. */
int wb_lidar_get_horizontal_resolution(WbDeviceTag tag);
int wb_lidar_get_number_of_layers(WbDeviceTag tag);
/* [Hz] */
double wb_lidar_get_min_frequency(WbDeviceTag tag);
double wb_lidar_get_max_frequency(WbDeviceTag tag);
double wb_lidar_get_frequency(WbDeviceTag tag);
/* Within the two bounds. */
void wb_lidar_set_frequency(WbDeviceTag tag, double frequency);
/* [rad] */
double wb_lidar_get_fov(WbDeviceTag tag);
double wb_lidar_get_vertical_fov(WbDeviceTag tag);
/* [m] */
double wb_lidar_get_min_range(WbDeviceTag tag);
double wb_lidar_get_max_range(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_LIDAR_H */
