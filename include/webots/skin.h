/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_SKIN_H
#define WB_SKIN_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A Skin has no bones here, and these functions do nothing. A message
 * says so once for each Skin. */

/* Both setters accept every index and every number. */

void wb_skin_set_bone_orientation(WbDeviceTag tag, int index, const double orientation[4],
                                  bool absolute);
void wb_skin_set_bone_position(WbDeviceTag tag, int index, const double position[3], bool absolute);
/* Always 0. */
int wb_skin_get_bone_count(WbDeviceTag tag);
/* Always "". */
const char *wb_skin_get_bone_name(WbDeviceTag tag, int index);
/* Always NULL, as the next one. */
const double *wb_skin_get_bone_orientation(WbDeviceTag tag, int index, bool absolute);
const double *wb_skin_get_bone_position(WbDeviceTag tag, int index, bool absolute);

#ifdef __cplusplus
}
#endif

#endif /* WB_SKIN_H */
