// SPDX-License-Identifier: Apache-2.0
#include <webots/range_finder.h>

#include "controller_api/c/device_handle.h"
#include "controller_api/c/device_pictures.h"

using servosim::device_integer;
using servosim::device_number;

namespace {
constexpr WbNodeType kFinder = WB_NODE_RANGE_FINDER;
constexpr servosim::PictureKind kFinderDistances{
    kFinder,  &servosim::ClientDevice::ranges, "width",
    "height", servosim::kNoDistance,           "wb_range_finder_enable"};
}  // namespace

SERVOSIM_SAMPLED_DEVICE(range_finder, kFinder)

const float* wb_range_finder_get_range_image(WbDeviceTag tag) {
  return servosim::distances(__func__, tag, kFinderDistances);
}

int wb_range_finder_save_image(WbDeviceTag tag, const char* filename, int quality) {
  return servosim::save_distances(__func__, tag, kFinderDistances, filename, quality);
}

int wb_range_finder_get_width(WbDeviceTag tag) {
  return device_integer(__func__, tag, kFinder, "width");
}

int wb_range_finder_get_height(WbDeviceTag tag) {
  return device_integer(__func__, tag, kFinder, "height");
}

double wb_range_finder_get_fov(WbDeviceTag tag) {
  return device_number(__func__, tag, kFinder, "fieldOfView");
}

double wb_range_finder_get_min_range(WbDeviceTag tag) {
  return device_number(__func__, tag, kFinder, "minRange");
}

double wb_range_finder_get_max_range(WbDeviceTag tag) {
  return device_number(__func__, tag, kFinder, "maxRange");
}
