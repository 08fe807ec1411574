/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_INERTIAL_UNIT_H
#define WB_INERTIAL_UNIT_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Measures periodically. The first sample comes one period later; the true period is the next
 * multiple of the basic time step [ms]. `sampling_period` is 0 or more; 0 stops the measurement. A
 * negative one is an error. */
void wb_inertial_unit_enable(WbDeviceTag tag, int sampling_period);
/* Stops the measurement. The last sample can still be read, with an error message. */
void wb_inertial_unit_disable(WbDeviceTag tag);
/* The period as it was requested [ms]; 0 while disabled. */
int wb_inertial_unit_get_sampling_period(WbDeviceTag tag);
/* The field noise: the standard deviation of each angle [rad]. */
double wb_inertial_unit_get_noise(WbDeviceTag tag);
/* Roll, pitch and yaw in the world [rad]. NaN before the first sample and for an axis that is
 * switched off. Valid until the next step. */
const double *wb_inertial_unit_get_roll_pitch_yaw(WbDeviceTag tag);
/* The same attitude as a quaternion x, y, z, w, with the noise and resolution of the angles; it is
 * whole also where an axis is switched off. NaN before the first sample. Valid until the next step.
 */
const double *wb_inertial_unit_get_quaternion(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_INERTIAL_UNIT_H */
