/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_TYPES_H
#define WB_TYPES_H

/* What holds for all functions of this interface:
 *
 * A call that cannot be done, such as one with the tag of another kind of device or a value out of
 * range, prints `Error: function(): reason` on stderr and changes nothing. It returns NULL, 0,
 * false or, as a double, NaN, unless another value is documented at the function.
 *
 * A setter takes effect with the next step. A getter returns what the last step has brought. Every
 * function may be called from any thread: the calls wait for each other. */

/* A device of the robot: its number in the list of devices, from 1. 0 means no device. */
typedef unsigned short WbDeviceTag;

/* An image of a Display. It belongs to the library until wb_display_image_delete(). */
typedef struct WbImageStructPrivate *WbImageRef;
/* A motion file. It belongs to the library until wbu_motion_delete(). */
typedef struct WbMotionStructPrivate *WbMotionRef;
/* A node of the world, for a supervisor. The reference exists until the controller ends; once its
 * node is removed, calls with it are errors. */
typedef struct WbNodeStructPrivate *WbNodeRef;
/* The PROTO of a node, with the same rules. */
typedef struct WbProtoInfoStructPrivate *WbProtoRef;
/* A field of a node, with the same rules. */
typedef struct WbFieldStructPrivate *WbFieldRef;

/* The kind of a joint, which tells its units: radians and N·m, or metres and N. */
typedef enum { WB_ROTATIONAL = 0, WB_LINEAR = 1 } WbJointType;

#define WB_ANGULAR WB_ROTATIONAL /* its name before R2018b */

/* C has no bool of its own before C23; a program may have chosen <stdbool.h>. */
#if !defined(__cplusplus) && !defined(bool) && \
    (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 202311L)
#define bool char
#define true ((bool)1)
#define false ((bool)0)
#endif

#endif /* WB_TYPES_H */
