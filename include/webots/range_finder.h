/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_RANGE_FINDER_H
#define WB_RANGE_FINDER_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A range finder measures a picture of distances to the Shapes in front of it [m]: depths along its
 * axis, or lengths of rays if its field projection is not "planar". Its own robot is seen, too. A
 * distance is infinite where there is nothing from minRange to maxRange. */

/* The distance of a pixel [m]; x counts from the left, y from the top. */

#define wb_range_finder_image_get_depth(image, width, x, y) (image[(y) * (width) + (x)])

/* Measures every `sampling_period` ms, first one period later; 0 switches the device off, and a
 * negative one is an error. */
void wb_range_finder_enable(WbDeviceTag tag, int sampling_period);
/* Switches the device off. The last distances stay. */
void wb_range_finder_disable(WbDeviceTag tag);
/* The period as it was requested [ms]; 0 while disabled. */
int wb_range_finder_get_sampling_period(WbDeviceTag tag);
/* width * height distances [m], row after row from the upper left corner. All are 0 before the
 * first sample. The address stays, and each sample overwrites them. NULL before the first step that
 * enables the device. While it is disabled, an error and the last distances. */
const float *wb_range_finder_get_range_image(WbDeviceTag tag);
/* The field width [pixels]. */
int wb_range_finder_get_width(WbDeviceTag tag);
/* The field height [pixels]. */
int wb_range_finder_get_height(WbDeviceTag tag);
/* The field fieldOfView: the horizontal one [rad]. */
double wb_range_finder_get_fov(WbDeviceTag tag);
/* The field minRange [m]. */
double wb_range_finder_get_min_range(WbDeviceTag tag);
/* The field maxRange [m]. */
double wb_range_finder_get_max_range(WbDeviceTag tag);
/* Writes the distances as (distance - minRange) / maxRange, from 0 to 1, to a .png file in grey or
 * to a .hdr file. `quality` must be from 1 to 100, and has no effect. Returns 0, or -1 with a
 * message: for another kind of file, for a disabled device, and if the file cannot be written. */
int wb_range_finder_save_image(WbDeviceTag tag, const char *filename, int quality);

#ifdef __cplusplus
}
#endif

#endif /* WB_RANGE_FINDER_H */
