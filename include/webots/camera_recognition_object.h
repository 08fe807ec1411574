/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_CAMERA_RECOGNITION_OBJECT_H
#define WB_CAMERA_RECOGNITION_OBJECT_H

/* An object that a camera recognizes. servosim never makes one, since it renders no pictures; the
 * type is here so that programs compile. Its layout is that of Webots. */
typedef struct {
  int id;                   /* of its Solid */
  double position[3];       /* in the frame of the camera [m] */
  double orientation[4];    /* axis and angle [rad] */
  double size[2];           /* width and height [m] */
  int position_on_image[2]; /* [pixels] */
  int size_on_image[2];     /* [pixels] */
  int number_of_colors;
  double *colors; /* red, green, blue of each one, in [0, 1] */
  char *model;    /* the field model of its Solid */
} WbCameraRecognitionObject;

#endif /* WB_CAMERA_RECOGNITION_OBJECT_H */
