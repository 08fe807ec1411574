/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_RADAR_TARGET_H
#define WB_RADAR_TARGET_H

/* A target of a Radar. servosim never makes one; the type is here so that programs compile. */
typedef struct {
  /* From the radar to the target [m]. */
  double distance;
  /* The power of the echo [dBm]. */
  double received_power;
  /* The speed along the line from the radar to the target [m/s]. */
  double speed;
  /* The angle of that line about the vertical axis of the radar [rad]. */
  double azimuth;
} WbRadarTarget;

#endif /* WB_RADAR_TARGET_H */
