/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_API6_CAMERA_H
#define WB_API6_CAMERA_H

/* webots/camera.h includes this header where SERVOSIM_WEBOTS_API is defined. */

#include <webots/camera.h>

/* Webots 6 moved the window with the camera's picture. There is no window here: it does nothing. */
#define wb_camera_move_window(tag, x, y) ((void)(tag))

#endif /* WB_API6_CAMERA_H */
