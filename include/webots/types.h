/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_TYPES_H
#define WB_TYPES_H

/* A device of the robot, by its number; 0 is no device. */
typedef unsigned short WbDeviceTag;

typedef struct WbImageStructPrivate *WbImageRef;
typedef struct WbMotionStructPrivate *WbMotionRef;
typedef struct WbNodeStructPrivate *WbNodeRef;
typedef struct WbProtoInfoStructPrivate *WbProtoRef;
typedef struct WbFieldStructPrivate *WbFieldRef;

/* Units are radians and N·m, or metres and N. */
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
