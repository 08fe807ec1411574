/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_API6_CAMERA_H
#define WB_API6_CAMERA_H

/* webots/camera.h includes this where SERVOSIM_WEBOTS_API is defined. */

#include <webots/camera.h>

/* There is no window to be moved. */
#define wb_camera_move_window(tag, x, y) ((void)(tag))

#endif /* WB_API6_CAMERA_H */
