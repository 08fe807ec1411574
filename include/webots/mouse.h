/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_MOUSE_H
#define WB_MOUSE_H

#include <webots/mouse_state.h>
#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* There is no user input: no button is ever pressed, and the mouse is nowhere. */

/* Stores the period [ms], 0 or more; a negative one is an error. */
void wb_mouse_enable(int sampling_period);
/* Sets the period to 0. */
void wb_mouse_disable(void);
/* The period as it was requested [ms]; 0 while disabled. */
int wb_mouse_get_sampling_period(void);
/* Stores that the place in the world is wanted. */
void wb_mouse_enable_3d_position(void);
void wb_mouse_disable_3d_position(void);
/* What was stored; false at first. */
bool wb_mouse_is_3d_position_enabled(void);
/* A state without buttons whose numbers are all NaN. A disabled mouse is reported as an error. */
WbMouseState wb_mouse_get_state(void);
/* The same state in memory of the library; the next call overwrites it. */
WbMouseState *wb_mouse_get_state_pointer(void);

#ifdef __cplusplus
}
#endif

#endif /* WB_MOUSE_H */
