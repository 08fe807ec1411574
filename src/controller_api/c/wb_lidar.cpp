// SPDX-License-Identifier: Apache-2.0
#include <webots/lidar.h>

#include <algorithm>
#include <cstdint>

#include "controller_api/c/device_handle.h"

using servosim::api_call;
using servosim::ClientDevice;
using servosim::ControllerClient;
using servosim::device_integer;
using servosim::device_number;
using servosim::refuse;

namespace {

constexpr WbNodeType kLidar = WB_NODE_LIDAR;
constexpr std::string_view kPointCloud = "pointCloud";
constexpr std::string_view kResolution = "horizontalResolution";
constexpr std::string_view kLayers = "numberOfLayers";

void enable_point_cloud(const char* function, WbDeviceTag tag, bool on) {
  api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) {
    client.device(tag, kLidar).setting(kPointCloud) = on ? 1.0 : 0.0;
  });
}

// The points from number `first` on. There must be `count` of them. Null while there is no point
// cloud.
const WbLidarPoint* points(const char* function, WbDeviceTag tag, std::int64_t first = 0,
                           std::int64_t count = 1) {
  const bool known = api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& lidar = client.device(tag, kLidar);
    refuse(lidar.setting(kPointCloud) == 0.0,
           "the point cloud is disabled; call wb_lidar_enable_point_cloud() first.");
    refuse(first < 0 || static_cast<double>(first + count) >
                            lidar.number(kResolution) * lidar.number(kLayers),
           "there is no such layer or point.");
    return true;
  });
  const WbLidarPoint* all =
      known ? servosim::blank_points(function, tag, kLidar, kResolution, kLayers) : nullptr;
  return all != nullptr ? all + first : nullptr;
}

}  // namespace

SERVOSIM_SAMPLED_DEVICE(lidar, kLidar)

void wb_lidar_enable_point_cloud(WbDeviceTag tag) { enable_point_cloud(__func__, tag, true); }

void wb_lidar_disable_point_cloud(WbDeviceTag tag) { enable_point_cloud(__func__, tag, false); }

bool wb_lidar_is_point_cloud_enabled(WbDeviceTag tag) {
  return device_integer(__func__, tag, kLidar, kPointCloud) != 0;
}

const float* wb_lidar_get_range_image(WbDeviceTag tag) {
  return servosim::blank_ranges(__func__, tag, kLidar, kResolution, kLayers);
}

// All layers have equal values.
const float* wb_lidar_get_layer_range_image(WbDeviceTag tag, int layer) {
  const bool known = layer >= 0 && layer < device_integer(__func__, tag, kLidar, kLayers);
  const float* image = servosim::blank_ranges(__func__, tag, kLidar, kResolution, kLayers);
  return known ? image : nullptr;
}

const WbLidarPoint* wb_lidar_get_point_cloud(WbDeviceTag tag) { return points(__func__, tag); }

const WbLidarPoint* wb_lidar_get_layer_point_cloud(WbDeviceTag tag, int layer) {
  const std::int64_t per_layer = std::max(0, device_integer(__func__, tag, kLidar, kResolution));
  return points(__func__, tag, layer * per_layer, per_layer);
}

const WbLidarPoint* wb_lidar_get_point(WbDeviceTag tag, int index) {
  return points(__func__, tag, index);
}

int wb_lidar_get_number_of_points(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    const ClientDevice& lidar = client.device(tag, kLidar);
    return static_cast<int>(servosim::point_count(lidar, kResolution, kLayers));
  });
}

int wb_lidar_get_horizontal_resolution(WbDeviceTag tag) {
  return device_integer(__func__, tag, kLidar, kResolution);
}

int wb_lidar_get_number_of_layers(WbDeviceTag tag) {
  return device_integer(__func__, tag, kLidar, kLayers);
}

double wb_lidar_get_min_frequency(WbDeviceTag tag) {
  return device_number(__func__, tag, kLidar, "minFrequency");
}

double wb_lidar_get_max_frequency(WbDeviceTag tag) {
  return device_number(__func__, tag, kLidar, "maxFrequency");
}

double wb_lidar_get_frequency(WbDeviceTag tag) {
  return device_number(__func__, tag, kLidar, "defaultFrequency");
}

void wb_lidar_set_frequency(WbDeviceTag tag, double frequency) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& lidar = client.device(tag, kLidar);
    refuse(
        !(frequency >= lidar.number("minFrequency") && frequency <= lidar.number("maxFrequency")),
        "the frequency is out of the range from minFrequency to maxFrequency.");
    lidar.setting("defaultFrequency") = frequency;
  });
}

double wb_lidar_get_fov(WbDeviceTag tag) {
  return device_number(__func__, tag, kLidar, "fieldOfView");
}

double wb_lidar_get_vertical_fov(WbDeviceTag tag) {
  return device_number(__func__, tag, kLidar, "verticalFieldOfView");
}

double wb_lidar_get_min_range(WbDeviceTag tag) {
  return device_number(__func__, tag, kLidar, "minRange");
}

double wb_lidar_get_max_range(WbDeviceTag tag) {
  return device_number(__func__, tag, kLidar, "maxRange");
}
