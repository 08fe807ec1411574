/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_RADAR_TARGET_H
#define WB_RADAR_TARGET_H

typedef struct {
  double distance;       /* [m] */
  double received_power; /* [dBm] */
  double speed;          /* [m/s] */
  double azimuth;        /* [rad] */
} WbRadarTarget;

#endif /* WB_RADAR_TARGET_H */
