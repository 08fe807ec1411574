/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_LED_H
#define WB_LED_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 0: off; n: the field color's item n, or, with gradual TRUE, a color 0xRRGGBB. Nothing is drawn.
 */
void wb_led_set(WbDeviceTag tag, int value);
/* The value set last; 0 before. */
int wb_led_get(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_LED_H */
