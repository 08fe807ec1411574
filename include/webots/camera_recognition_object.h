/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_CAMERA_RECOGNITION_OBJECT_H
#define WB_CAMERA_RECOGNITION_OBJECT_H

typedef struct {
  int id;
  double position[3];    /* in the frame of the camera [m] */
  double orientation[4]; /* axis and angle [rad] */
  double size[2];        /* [m] */
  int position_on_image[2];
  int size_on_image[2];
  int number_of_colors;
  double *colors; /* three per color */
  char *model;
} WbCameraRecognitionObject;

#endif /* WB_CAMERA_RECOGNITION_OBJECT_H */
