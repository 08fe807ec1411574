/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_DEVICE_H
#define WB_DEVICE_H

#include <webots/nodes.h>
#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Tag 0 names the robot itself. NULL for a tag that no device has. */
const char *wb_device_get_name(WbDeviceTag dt);
const char *wb_device_get_model(WbDeviceTag dt);
/* WB_NODE_NO_NODE for a tag that no device has. */
WbNodeType wb_device_get_node_type(WbDeviceTag dt);
/* The name of wb_device_get_node_type() before V8. */
WbNodeType wb_device_get_type(WbDeviceTag dt);

#ifdef __cplusplus
}
#endif

#endif /* WB_DEVICE_H */
