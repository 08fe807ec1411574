/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_RANGE_FINDER_H
#define WB_RANGE_FINDER_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fields can be read; nothing is measured, which is reported once for each range finder. */

#define wb_range_finder_image_get_depth(image, width, x, y) (image[(y) * (width) + (x)])

void wb_range_finder_enable(WbDeviceTag tag, int sampling_period);
void wb_range_finder_disable(WbDeviceTag tag);
/* The requested period [ms]; 0 while disabled. */
int wb_range_finder_get_sampling_period(WbDeviceTag tag);
/* Infinite everywhere, or NULL while disabled: nothing is measured [m]. */
const float *wb_range_finder_get_range_image(WbDeviceTag tag);
/* [pixels] */
int wb_range_finder_get_width(WbDeviceTag tag);
int wb_range_finder_get_height(WbDeviceTag tag);
/* [rad] */
double wb_range_finder_get_fov(WbDeviceTag tag);
/* [m] */
double wb_range_finder_get_min_range(WbDeviceTag tag);
double wb_range_finder_get_max_range(WbDeviceTag tag);
/* Writes a black picture, to .png files only; else -1. */
int wb_range_finder_save_image(WbDeviceTag tag, const char *filename, int quality);

#ifdef __cplusplus
}
#endif

#endif /* WB_RANGE_FINDER_H */
