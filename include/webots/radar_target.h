/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_RADAR_TARGET_H
#define WB_RADAR_TARGET_H

/* A target of a Radar. servosim never makes one; the type is here so that programs compile. */
typedef struct {
  double distance;       /* [m] */
  double received_power; /* [dBm] */
  double speed;          /* relative to the radar, along the line to it [m/s] */
  double azimuth;        /* the angle of that line [rad] */
} WbRadarTarget;

#endif /* WB_RADAR_TARGET_H */
