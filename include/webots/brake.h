/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_BRAKE_H
#define WB_BRAKE_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Adds to the joint's damping [N·m·s/rad|N·s/m]; replaces the value set before, 0 at start. */
void wb_brake_set_damping_constant(WbDeviceTag tag, double damping_constant);
WbJointType wb_brake_get_type(WbDeviceTag tag);
/* The other device on the same joint; 0 if there is none. */
WbDeviceTag wb_brake_get_motor(WbDeviceTag tag);
WbDeviceTag wb_brake_get_position_sensor(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_BRAKE_H */
