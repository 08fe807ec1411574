/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WBU_GENERIC_ROBOT_WINDOW_H
#define WBU_GENERIC_ROBOT_WINDOW_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* There is no robot window: these do nothing, understand no command, and it is hidden. */
bool wbu_generic_robot_window_parse_device_command(char *token, char *tokens);
bool wbu_generic_robot_window_parse_device_control_command(char *first_token, char *tokens);
bool wbu_generic_robot_window_handle_messages(const char *message);
void wbu_generic_robot_window_init(void);
void wbu_generic_robot_window_update(void);
bool wbu_generic_robot_window_is_hidden(void);
double wbu_generic_robot_window_refresh_rate(void);
bool wbu_generic_robot_window_needs_update(void);

#ifdef __cplusplus
}
#endif

#endif /* WBU_GENERIC_ROBOT_WINDOW_H */
