/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_LED_H
#define WB_LED_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 0 or less switches the LED off. Otherwise `value` counts the colours of the field color from 1,
 * and a number beyond the last one switches it off. With gradual TRUE, value / 255, at most 1,
 * scales the first colour; where color is empty, `value` is the colour 0xRRGGBB. Only LightSensors
 * see what shines: nothing is drawn, and no field changes. */
void wb_led_set(WbDeviceTag tag, int value);
/* The value that was set last; 0 before. */
int wb_led_get(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_LED_H */
