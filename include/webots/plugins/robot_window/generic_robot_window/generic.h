/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WBU_GENERIC_ROBOT_WINDOW_H
#define WBU_GENERIC_ROBOT_WINDOW_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* servosim has no robot windows. These functions do nothing and need no simulation; they are here
 * so that programs link. */

/* These three understand no command: they return false, and change no text. */
bool wbu_generic_robot_window_parse_device_command(char *token, char *tokens);
bool wbu_generic_robot_window_parse_device_control_command(char *first_token, char *tokens);
bool wbu_generic_robot_window_handle_messages(const char *message);
/* They do nothing. */
void wbu_generic_robot_window_init(void);
void wbu_generic_robot_window_update(void);
/* Always true. */
bool wbu_generic_robot_window_is_hidden(void);
/* Always 0. */
double wbu_generic_robot_window_refresh_rate(void);
/* Always false. */
bool wbu_generic_robot_window_needs_update(void);

#ifdef __cplusplus
}
#endif

#endif /* WBU_GENERIC_ROBOT_WINDOW_H */
