/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_MOUSE_H
#define WB_MOUSE_H

#include <webots/mouse_state.h>
#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* There is no mouse: no button is ever pressed, and its place is NaN. */

void wb_mouse_enable(int sampling_period);
void wb_mouse_disable(void);
/* The requested period [ms]; 0 while disabled. */
int wb_mouse_get_sampling_period(void);
void wb_mouse_enable_3d_position(void);
void wb_mouse_disable_3d_position(void);
bool wb_mouse_is_3d_position_enabled(void);
WbMouseState wb_mouse_get_state(void);
/* The same in place. */
WbMouseState *wb_mouse_get_state_pointer(void);

#ifdef __cplusplus
}
#endif

#endif /* WB_MOUSE_H */
