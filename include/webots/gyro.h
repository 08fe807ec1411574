/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_GYRO_H
#define WB_GYRO_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Measures periodically. The first sample comes one period later; the true period is the next
 * multiple of the basic time step [ms]. `sampling_period` is 0 or more; 0 stops the measurement. A
 * negative one is an error. */
void wb_gyro_enable(WbDeviceTag tag, int sampling_period);
/* Stops the measurement. The last sample can still be read, with an error message. */
void wb_gyro_disable(WbDeviceTag tag);
/* The period as it was requested [ms]; 0 while disabled. */
int wb_gyro_get_sampling_period(WbDeviceTag tag);
/* The number of rows of the field lookupTable; 0 without a table. */
int wb_gyro_get_lookup_table_size(WbDeviceTag tag);
/* The rows one after the other, three numbers each: physical value, reading, standard deviation of
 * the noise relative to the reading. NULL without a table. A table that a supervisor makes longer
 * must be queried again. */
const double *wb_gyro_get_lookup_table(WbDeviceTag tag);
/* The angular velocity x, y, z [rad/s] in the frame of the sensor. NaN before the first sample and
 * for an axis that is switched off. Valid until the next step. */
const double *wb_gyro_get_values(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_GYRO_H */
