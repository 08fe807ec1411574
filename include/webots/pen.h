/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_PEN_H
#define WB_PEN_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A Pen paints nothing in servosim. Both functions only check their arguments. */

/* Says whether the pen writes from now on. */
void wb_pen_write(WbDeviceTag tag, bool write);
/* The colour, 0xRRGGBB, which is not checked, and the density in [0, 1]; another density is an
 * error. */
void wb_pen_set_ink_color(WbDeviceTag tag, int color, double density);

#ifdef __cplusplus
}
#endif

#endif /* WB_PEN_H */
