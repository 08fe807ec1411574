/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_RADAR_H
#define WB_RADAR_H

#include <webots/radar_target.h>
#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fields can be read; nothing is measured, which is reported once for each radar. */

void wb_radar_enable(WbDeviceTag tag, int sampling_period);
void wb_radar_disable(WbDeviceTag tag);
/* The requested period [ms]; 0 while disabled. */
int wb_radar_get_sampling_period(WbDeviceTag tag);

/* 0 */
int wb_radar_get_number_of_targets(WbDeviceTag tag);
/* NULL */
const WbRadarTarget *wb_radar_get_targets(WbDeviceTag tag);
const WbRadarTarget *wb_radar_get_target(WbDeviceTag tag, int index);

/* [m] */
double wb_radar_get_min_range(WbDeviceTag tag);
double wb_radar_get_max_range(WbDeviceTag tag);
/* [rad] */
double wb_radar_get_horizontal_fov(WbDeviceTag tag);
double wb_radar_get_vertical_fov(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_RADAR_H */
