/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_VACUUM_GRIPPER_H
#define WB_VACUUM_GRIPPER_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A VacuumGripper can be turned on and off, but grips nothing and feels nothing: not simulated. */

void wb_vacuum_gripper_enable_presence(WbDeviceTag tag, int sampling_period);
void wb_vacuum_gripper_disable_presence(WbDeviceTag tag);
/* The period asked for [ms]; 0 while disabled. */
int wb_vacuum_gripper_get_presence_sampling_period(WbDeviceTag tag);
/* false */
bool wb_vacuum_gripper_get_presence(WbDeviceTag tag);
void wb_vacuum_gripper_turn_on(WbDeviceTag tag);
void wb_vacuum_gripper_turn_off(WbDeviceTag tag);
bool wb_vacuum_gripper_is_on(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_VACUUM_GRIPPER_H */
