/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_BRAKE_H
#define WB_BRAKE_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Adds damping to the joint, next to the damping of its own [N·m·s/rad|N·s/m]. It replaces the
 * value set before, which is 0 at the start. NaN and infinities are errors; Webots takes an
 * infinite one. */
void wb_brake_set_damping_constant(WbDeviceTag tag, double damping_constant);
/* The kind of the joint, which tells the unit of the damping. */
WbJointType wb_brake_get_type(WbDeviceTag tag);
/* The motor on the same joint; 0 if there is none. */
WbDeviceTag wb_brake_get_motor(WbDeviceTag tag);
/* The position sensor on the same joint; 0 if there is none. */
WbDeviceTag wb_brake_get_position_sensor(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_BRAKE_H */
