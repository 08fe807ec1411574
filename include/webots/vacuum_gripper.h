/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_VACUUM_GRIPPER_H
#define WB_VACUUM_GRIPPER_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* While a VacuumGripper is on and holds nothing, it grips the Solid that touches it at most points,
 * if these are contactPoints or more. It holds the Solid until it is turned off or the Solid is
 * pulled harder than the fields tensileStrength and shearStrength allow; it then remains on. */

/* Senses what it holds every `sampling_period` ms, 0 or more; 0 stops. A negative one is an error.
 */
void wb_vacuum_gripper_enable_presence(WbDeviceTag tag, int sampling_period);
/* Stops sensing. */
void wb_vacuum_gripper_disable_presence(WbDeviceTag tag);
/* The period as it was requested [ms]; 0 while disabled. */
int wb_vacuum_gripper_get_presence_sampling_period(WbDeviceTag tag);
/* Whether it held something at the last sample; false before the first one. */
bool wb_vacuum_gripper_get_presence(WbDeviceTag tag);
/* Switches it on with the next step; off releases what it holds. */
void wb_vacuum_gripper_turn_on(WbDeviceTag tag);
void wb_vacuum_gripper_turn_off(WbDeviceTag tag);
/* Whether it is on: by the last call of its controller, or by the field isOn. */
bool wb_vacuum_gripper_is_on(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_VACUUM_GRIPPER_H */
