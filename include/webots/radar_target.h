/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_RADAR_TARGET_H
#define WB_RADAR_TARGET_H

/* A target of a Radar: a Solid with a radarCrossSection, or several of them in one cell. */
typedef struct {
  /* From the radar to the target [m]. */
  double distance;
  /* The power of the echo [dBm]. */
  double received_power;
  /* The speed along the line from the radar to the target [m/s]; it grows with the distance. */
  double speed;
  /* The angle of that line about the vertical axis of the radar, positive to the right [rad]. */
  double azimuth;
} WbRadarTarget;

#endif /* WB_RADAR_TARGET_H */
