/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_CAMERA_RECOGNITION_OBJECT_H
#define WB_CAMERA_RECOGNITION_OBJECT_H

/* An object that a camera recognizes. The layout is that of Webots. */
typedef struct {
  /* The number of its Solid, as wb_supervisor_node_get_from_id() takes it. */
  int id;
  /* Its place in the frame of the camera [m]. */
  double position[3];
  /* Its attitude in that frame: the axis and the angle [rad]. */
  double orientation[4];
  /* The size of its box along the x and y axes of the camera [m], as in Webots' source. */
  double size[2];
  /* The middle of its picture, from the upper left corner [pixels]. */
  int position_on_image[2];
  /* The size of its picture [pixels]. */
  int size_on_image[2];
  int number_of_colors;
  /* Red, green and blue of each colour, in [0, 1]. */
  double *colors;
  /* The field model of its Solid. */
  char *model;
} WbCameraRecognitionObject;

#endif /* WB_CAMERA_RECOGNITION_OBJECT_H */
