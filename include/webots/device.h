/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_DEVICE_H
#define WB_DEVICE_H

#include <webots/nodes.h>
#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The field name of a device. Tag 0 means the robot itself, here and below. NULL for a tag that no
 * device has. The text is valid until a supervisor makes it longer. */
const char *wb_device_get_name(WbDeviceTag dt);
/* The field model, with the same rules. */
const char *wb_device_get_model(WbDeviceTag dt);
/* The node type of the device, WB_NODE_ROBOT for tag 0. WB_NODE_NO_NODE for a tag that no device
 * has. */
WbNodeType wb_device_get_node_type(WbDeviceTag dt);
/* The name of wb_device_get_node_type() before V8. */
WbNodeType wb_device_get_type(WbDeviceTag dt);

#ifdef __cplusplus
}
#endif

#endif /* WB_DEVICE_H */
