/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_VACUUM_GRIPPER_H
#define WB_VACUUM_GRIPPER_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* While it is on it grips what it touches with enough contact points, and holds it until it is
 * turned off or pulled too hard. */

void wb_vacuum_gripper_enable_presence(WbDeviceTag tag, int sampling_period);
void wb_vacuum_gripper_disable_presence(WbDeviceTag tag);
/* The requested period [ms]; 0 while disabled. */
int wb_vacuum_gripper_get_presence_sampling_period(WbDeviceTag tag);
/* Whether it held something at the last sample; false before the first. */
bool wb_vacuum_gripper_get_presence(WbDeviceTag tag);
void wb_vacuum_gripper_turn_on(WbDeviceTag tag);
void wb_vacuum_gripper_turn_off(WbDeviceTag tag);
bool wb_vacuum_gripper_is_on(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_VACUUM_GRIPPER_H */
