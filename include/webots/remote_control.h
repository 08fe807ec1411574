/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_REMOTE_CONTROL_H
#define WB_REMOTE_CONTROL_H

#ifdef __cplusplus
extern "C" {
#endif

/* Always NULL: servosim loads no remote control library that could have such a function. */
void *wb_remote_control_custom_function(void *arg);

#ifdef __cplusplus
}
#endif

#endif /* WB_REMOTE_CONTROL_H */
