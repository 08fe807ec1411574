/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_LIDAR_POINT_H
#define WB_LIDAR_POINT_H

typedef struct {
  float x; /* in the frame of the lidar [m] */
  float y;
  float z;
  int layer_id;
  float time; /* [s] */
} WbLidarPoint;

#endif /* WB_LIDAR_POINT_H */
