/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_PEN_H
#define WB_PEN_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Nothing is painted; both only check what they are given. */
void wb_pen_write(WbDeviceTag tag, bool write);
/* color: 0xRRGGBB; density in [0, 1]. */
void wb_pen_set_ink_color(WbDeviceTag tag, int color, double density);

#ifdef __cplusplus
}
#endif

#endif /* WB_PEN_H */
