/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_GPS_H
#define WB_GPS_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The field WorldInfo.gpsCoordinateSystem: metres in the world, or degrees on the earth. */
typedef enum { WB_GPS_LOCAL_COORDINATE = 0, WB_GPS_WGS84_COORDINATE } WbGpsCoordinateSystem;

/* Measures periodically. The first sample comes one period later; the true period is the next
 * multiple of the basic time step [ms]. `sampling_period` is 0 or more; 0 stops the measurement. A
 * negative one is an error. */
void wb_gps_enable(WbDeviceTag tag, int sampling_period);
/* Stops the measurement. The last sample can still be read, with an error message. */
void wb_gps_disable(WbDeviceTag tag);
/* The period as it was requested [ms]; 0 while disabled. */
int wb_gps_get_sampling_period(WbDeviceTag tag);
/* The position: x, y, z [m] or, by the coordinate system, latitude [°], longitude [°] and altitude
 * [m]. NaN before the first sample. Valid until the next step. */
const double *wb_gps_get_values(WbDeviceTag tag);
/* The mean speed since the sample before [m/s]; NaN before the first sample, and without a body
 * also at the first one, as in Webots. */
double wb_gps_get_speed(WbDeviceTag tag);
/* The mean velocity x, y, z since the sample before, in the axes of the world [m/s]. Valid until
 * the next step. */
const double *wb_gps_get_speed_vector(WbDeviceTag tag);
/* What the three numbers of wb_gps_get_values() are. */
WbGpsCoordinateSystem wb_gps_get_coordinate_system(WbDeviceTag tag);
/* An angle [°] as text, such as 46° 31′ 12″, with fractions of a second cut off. The caller owns
 * the text and may free() it. NULL without memory. The function needs no simulation. */
const char *wb_gps_convert_to_degrees_minutes_seconds(double decimal_degrees);

#ifdef __cplusplus
}
#endif

#endif /* WB_GPS_H */
