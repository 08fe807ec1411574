/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_GPS_H
#define WB_GPS_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { WB_GPS_LOCAL_COORDINATE = 0, WB_GPS_WGS84_COORDINATE } WbGpsCoordinateSystem;

/* Measures every sampling_period ms, 0 or more; 0 stops. */
void wb_gps_enable(WbDeviceTag tag, int sampling_period);
void wb_gps_disable(WbDeviceTag tag);
/* The requested period [ms]; 0 while disabled. */
int wb_gps_get_sampling_period(WbDeviceTag tag);
/* Position: x, y, z [m], or latitude [°], longitude [°] and altitude [m]. NaN before the first
 * sample, as the speeds. Valid until the next step. */
const double *wb_gps_get_values(WbDeviceTag tag);
/* [m/s] since the sample before. */
double wb_gps_get_speed(WbDeviceTag tag);
/* The same as a vector in the axes of the world. */
const double *wb_gps_get_speed_vector(WbDeviceTag tag);
WbGpsCoordinateSystem wb_gps_get_coordinate_system(WbDeviceTag tag);
/* An angle [°] as text, such as 46° 31′ 12″, which the caller may free(). NULL without memory. */
const char *wb_gps_convert_to_degrees_minutes_seconds(double decimal_degrees);

#ifdef __cplusplus
}
#endif

#endif /* WB_GPS_H */
