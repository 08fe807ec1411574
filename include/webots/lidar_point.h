/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_LIDAR_POINT_H
#define WB_LIDAR_POINT_H

/* A point of a lidar's cloud. Since servosim measures no ranges, its place is infinite. */
typedef struct {
  float x; /* the place in the frame of the lidar [m] */
  float y;
  float z;
  int layer_id; /* the layer, from 0 */
  float time;   /* the simulated time of the measurement [s] */
} WbLidarPoint;

#endif /* WB_LIDAR_POINT_H */
