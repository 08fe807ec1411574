/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_KEYBOARD_H
#define WB_KEYBOARD_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  WB_KEYBOARD_END = 312,
  WB_KEYBOARD_HOME,
  WB_KEYBOARD_LEFT,
  WB_KEYBOARD_UP,
  WB_KEYBOARD_RIGHT,
  WB_KEYBOARD_DOWN,
  WB_KEYBOARD_PAGEUP = 366,
  WB_KEYBOARD_PAGEDOWN,
  WB_KEYBOARD_NUMPAD_HOME = 375,
  WB_KEYBOARD_NUMPAD_LEFT,
  WB_KEYBOARD_NUMPAD_UP,
  WB_KEYBOARD_NUMPAD_RIGHT,
  WB_KEYBOARD_NUMPAD_DOWN,
  WB_KEYBOARD_NUMPAD_END = 382,
  WB_KEYBOARD_KEY = 0x0000ffff,
  WB_KEYBOARD_SHIFT = 0x00010000,
  WB_KEYBOARD_CONTROL = 0x00020000,
  WB_KEYBOARD_ALT = 0x00040000
};

void wb_keyboard_enable(int sampling_period);
void wb_keyboard_disable(void);
/* The requested period [ms]; 0 while disabled. */
int wb_keyboard_get_sampling_period(void);
/* -1: no key is ever pressed. */
int wb_keyboard_get_key(void);

#ifdef __cplusplus
}
#endif

#endif /* WB_KEYBOARD_H */
