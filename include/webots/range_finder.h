/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_RANGE_FINDER_H
#define WB_RANGE_FINDER_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* servosim renders no pictures. Fields can be read, and all ranges are infinite. A message says so
 * once for each range finder, and a run whose controller reads ranges of an enabled one is
 * incomplete (exit code 3). */

/* The distance of a pixel [m]; x counts from the left, y from the top. */

#define wb_range_finder_image_get_depth(image, width, x, y) (image[(y) * (width) + (x)])

/* Switches the device on, with this period [ms]; 0 switches it off, and a negative one is an error.
 * It has no picture to deliver: see above. */
void wb_range_finder_enable(WbDeviceTag tag, int sampling_period);
/* Switches the device off. */
void wb_range_finder_disable(WbDeviceTag tag);
/* The period as it was requested [ms]; 0 while disabled. */
int wb_range_finder_get_sampling_period(WbDeviceTag tag);
/* width * height distances [m], row after row, all infinite, at an address that stays. NULL while
 * disabled and before the first sample. */
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
/* Writes a black picture to a .png or .jpg file; `quality` is not used. Returns 0, or -1 with a
 * message: for another kind of file, for a disabled device, and if the file cannot be written. */
int wb_range_finder_save_image(WbDeviceTag tag, const char *filename, int quality);

#ifdef __cplusplus
}
#endif

#endif /* WB_RANGE_FINDER_H */
