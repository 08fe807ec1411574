/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_RADAR_H
#define WB_RADAR_H

#include <webots/radar_target.h>
#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A radar finds the Solids with a radarCrossSection in its field of view. */

/* Switches the device on, with this period [ms]; 0 switches it off, and a negative one is an error.
 * The first sample comes a period later. */
void wb_radar_enable(WbDeviceTag tag, int sampling_period);
/* Switches the device off. */
void wb_radar_disable(WbDeviceTag tag);
/* The period as it was requested [ms]; 0 while disabled. */
int wb_radar_get_sampling_period(WbDeviceTag tag);

/* How many targets the last sample has. A disabled radar keeps them, with an error message. */
int wb_radar_get_number_of_targets(WbDeviceTag tag);
/* The targets of the last sample, valid until the next step; NULL if there is none. */
const WbRadarTarget *wb_radar_get_targets(WbDeviceTag tag);
/* One of them; NULL, with an error message, if there is no target of that number. */
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
