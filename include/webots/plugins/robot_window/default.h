/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WBU_DEFAULT_ROBOT_WINDOW_H
#define WBU_DEFAULT_ROBOT_WINDOW_H

#ifdef __cplusplus
extern "C" {
#endif

/* servosim has no robot windows: these functions do nothing, and need no simulation. They are here
 * so that programs link. */
void wbu_default_robot_window_configure(void);
void wbu_default_robot_window_update(void);
void wbu_default_robot_window_set_images_max_size(int max_width, int max_height);

#ifdef __cplusplus
}
#endif

#endif /* WBU_DEFAULT_ROBOT_WINDOW_H */
