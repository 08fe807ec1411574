/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_RADAR_H
#define WB_RADAR_H

#include <webots/radar_target.h>
#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* servosim finds no radar targets. Fields can be read. A message says so once for each radar, and a
 * run whose controller reads targets of an enabled radar is incomplete (exit code 3). */

/* Switches the device on, with this period [ms]; 0 switches it off, and a negative one is an error.
 * It has no picture to deliver: see above. */
void wb_radar_enable(WbDeviceTag tag, int sampling_period);
/* Switches the device off. */
void wb_radar_disable(WbDeviceTag tag);
/* The period as it was requested [ms]; 0 while disabled. */
int wb_radar_get_sampling_period(WbDeviceTag tag);

/* Always 0. */
int wb_radar_get_number_of_targets(WbDeviceTag tag);
/* Always NULL, as the next one. */
const WbRadarTarget *wb_radar_get_targets(WbDeviceTag tag);
const WbRadarTarget *wb_radar_get_target(WbDeviceTag tag, int index);

/* The field minRange [m]. */
double wb_radar_get_min_range(WbDeviceTag tag);
/* The field maxRange [m]. */
double wb_radar_get_max_range(WbDeviceTag tag);
/* The field horizontalFieldOfView [rad]. */
double wb_radar_get_horizontal_fov(WbDeviceTag tag);
/* The field verticalFieldOfView [rad]. */
double wb_radar_get_vertical_fov(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_RADAR_H */
