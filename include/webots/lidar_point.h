/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_LIDAR_POINT_H
#define WB_LIDAR_POINT_H

/* A point of a lidar's cloud. Where there is no distance, each coordinate is infinite or no number.
 */
typedef struct {
  /* The place in the frame of the lidar [m]. */
  float x;
  float y;
  float z;
  /* The layer, from 0, the upper one first. */
  int layer_id;
  /* The simulated time of the measurement [s]: the rightmost column is almost a period old. */
  float time;
} WbLidarPoint;

#endif /* WB_LIDAR_POINT_H */
