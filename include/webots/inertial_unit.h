/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_INERTIAL_UNIT_H
#define WB_INERTIAL_UNIT_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Measures every sampling_period ms, 0 or more; 0 stops. */
void wb_inertial_unit_enable(WbDeviceTag tag, int sampling_period);
void wb_inertial_unit_disable(WbDeviceTag tag);
/* The requested period [ms]; 0 while disabled. */
int wb_inertial_unit_get_sampling_period(WbDeviceTag tag);
/* The noise field [rad]. */
double wb_inertial_unit_get_noise(WbDeviceTag tag);
/* Roll, pitch and yaw [rad] against the world. NaN before the first sample and for an axis that is
 * switched off. Valid until the next step. */
const double *wb_inertial_unit_get_roll_pitch_yaw(WbDeviceTag tag);
/* x, y, z, w. */
const double *wb_inertial_unit_get_quaternion(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_INERTIAL_UNIT_H */
