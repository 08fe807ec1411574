/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_KEYBOARD_H
#define WB_KEYBOARD_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* There is no user input: no key is ever pressed. */

/* Numbers of the keys that are no characters, and the bits that modify a key, with the values of
 * Webots. */
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

/* Stores the period [ms], 0 or more; a negative one is an error. */
void wb_keyboard_enable(int sampling_period);
/* Sets the period to 0. */
void wb_keyboard_disable(void);
/* The period as it was requested [ms]; 0 while disabled. */
int wb_keyboard_get_sampling_period(void);
/* Always -1: no key is pressed. A disabled keyboard is reported as an error, as in Webots. */
int wb_keyboard_get_key(void);

#ifdef __cplusplus
}
#endif

#endif /* WB_KEYBOARD_H */
