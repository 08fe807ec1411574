/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_PEN_H
#define WB_PEN_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A Pen marks the first Shape in its direction before each step. Cameras and infra-red
 * DistanceSensors see the ink. */

/* Says whether the pen writes from the next step on. */
void wb_pen_write(WbDeviceTag tag, bool write);
/* The colour, 0xRRGGBB, of which the low 24 bits count, and the density. A density that is not in
 * [0, 1] is clamped, with a warning of the simulation. */
void wb_pen_set_ink_color(WbDeviceTag tag, int color, double density);

#ifdef __cplusplus
}
#endif

#endif /* WB_PEN_H */
