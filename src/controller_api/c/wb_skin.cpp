// SPDX-License-Identifier: Apache-2.0
#include <webots/skin.h>

#include "controller_api/c/device_handle.h"

namespace {

void no_bones(const char* function, WbDeviceTag tag) {
  servosim::report_absent(function, tag, WB_NODE_SKIN, "servosim reads no bones of a Skin");
}

}  // namespace

void wb_skin_set_bone_orientation(WbDeviceTag tag, int, const double[4], bool) {
  no_bones(__func__, tag);
}

void wb_skin_set_bone_position(WbDeviceTag tag, int, const double[3], bool) {
  no_bones(__func__, tag);
}

int wb_skin_get_bone_count(WbDeviceTag tag) {
  no_bones(__func__, tag);
  return 0;
}

const char* wb_skin_get_bone_name(WbDeviceTag tag, int) {
  no_bones(__func__, tag);
  return "";
}

const double* wb_skin_get_bone_orientation(WbDeviceTag tag, int, bool) {
  no_bones(__func__, tag);
  return nullptr;
}

const double* wb_skin_get_bone_position(WbDeviceTag tag, int, bool) {
  no_bones(__func__, tag);
  return nullptr;
}
