/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_API6_CAMERA_H
#define WB_API6_CAMERA_H

/* Until V8.3 a camera could be a range finder. webots/camera.h includes this where
 * SERVOSIM_WEBOTS_API is defined. */

#include <webots/camera.h>

#define wb_camera_range_image_get_depth(image, width, x, y) (image[(y) * (width) + (x)])
/* Zero everywhere, or NULL, as wb_camera_get_image(). */
static inline const float *wb_camera_get_range_image(WbDeviceTag tag) {
  return (const float *)(const void *)wb_camera_get_image(tag);
}
/* There is no window to be moved. */
#define wb_camera_move_window(tag, x, y) ((void)(tag))

#endif /* WB_API6_CAMERA_H */
