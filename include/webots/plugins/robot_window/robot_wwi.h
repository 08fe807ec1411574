/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_ROBOT_WWI_H
#define WB_ROBOT_WWI_H

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* servosim has no robot windows: what is sent goes nowhere, and nothing arrives. */

/* Does nothing; the arguments are not read. */
void wb_robot_wwi_send(const char *data, int size);
#define wb_robot_wwi_send_text(t) wb_robot_wwi_send(t, (int)strlen(t) + 1)
/* NULL; sets *size to 0 unless `size` is NULL. */
const char *wb_robot_wwi_receive(int *size);
/* Always NULL. */
const char *wb_robot_wwi_receive_text(void);

#ifdef __cplusplus
}
#endif

#endif /* WB_ROBOT_WWI_H */
