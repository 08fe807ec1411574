/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_ROBOT_WINDOW_H
#define WB_ROBOT_WINDOW_H

#ifdef __cplusplus
extern "C" {
#endif

/* Always NULL: servosim has no robot window that could have such a function. */
void *wb_robot_window_custom_function(void *arg);

#ifdef __cplusplus
}
#endif

#endif /* WB_ROBOT_WINDOW_H */
