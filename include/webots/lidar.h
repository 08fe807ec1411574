/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_LIDAR_H
#define WB_LIDAR_H

#include <webots/lidar_point.h>
#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A lidar measures the length of rays to the Shapes around it [m], or depths along its axis if its
 * field projection is "planar". Its own robot is seen, too. A distance is infinite where there is
 * nothing from minRange to maxRange. A lidar whose type is "rotating" measures in each basic step
 * the columns over which its head turns; a column that was never measured is 0. */

/* Measures every `sampling_period` ms, first one period later; 0 switches the device off, and a
 * negative one is an error. A rotating lidar measures in each basic step whatever it is. */
void wb_lidar_enable(WbDeviceTag tag, int sampling_period);
/* Switches the device off. The last distances stay. */
void wb_lidar_disable(WbDeviceTag tag);
/* The period as it was requested [ms]; 0 while disabled. */
int wb_lidar_get_sampling_period(WbDeviceTag tag);
/* Makes a point cloud of each sample from now on, until a Supervisor's reset. */
void wb_lidar_enable_point_cloud(WbDeviceTag tag);
/* Makes the functions that return points errors again. */
void wb_lidar_disable_point_cloud(WbDeviceTag tag);
/* Whether it is readable; at first it is not. */
bool wb_lidar_is_point_cloud_enabled(WbDeviceTag tag);

/* horizontalResolution distances for each layer [m], the upper layer first and each from the left.
 * All are 0 before the first sample. The address stays, and each sample overwrites them. NULL
 * before the first step that enables the lidar. While it is disabled, an error and the last
 * distances. */
const float *wb_lidar_get_range_image(WbDeviceTag tag);
/* The distances of one layer, from 0; NULL and an error for a layer that is not there. */
const float *wb_lidar_get_layer_range_image(WbDeviceTag tag, int layer);
/* All points, layer after layer, in the frame of the lidar; see webots/lidar_point.h. The address
 * stays, and each sample overwrites them. NULL before the first step that enables the lidar, and,
 * with an error, while the point cloud is disabled. */
const WbLidarPoint *wb_lidar_get_point_cloud(WbDeviceTag tag);
/* The points of one layer, from 0; NULL and an error for a layer that is not there. */
const WbLidarPoint *wb_lidar_get_layer_point_cloud(WbDeviceTag tag, int layer);
/* One point; `index` counts from 0. NULL and an error for another index. */
const WbLidarPoint *wb_lidar_get_point(WbDeviceTag tag, int index);
/* horizontalResolution * numberOfLayers; 0 and an error while the point cloud is disabled. */
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
