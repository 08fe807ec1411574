// SPDX-License-Identifier: Apache-2.0
#include <webots/lidar.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "controller_api/c/device_handle.h"
#include "controller_api/c/device_pictures.h"
#include "controller_api/client/point_cloud.h"

using servosim::api_call;
using servosim::ClientDevice;
using servosim::ControllerClient;
using servosim::device_integer;
using servosim::device_number;
using servosim::kPointCloud;
using servosim::refuse;

namespace {

constexpr WbNodeType kLidar = WB_NODE_LIDAR;
constexpr std::string_view kResolution = "horizontalResolution";
constexpr std::string_view kLayers = "numberOfLayers";
constexpr servosim::PictureKind kLidarDistances{kLidar,  &ClientDevice::ranges, kResolution,
                                                kLayers, servosim::kNoDistance, "wb_lidar_enable"};

void make_points(ControllerClient& client, ClientDevice& lidar) {
  servosim::picture_of(lidar, kLidarDistances);
  servosim::update_points(lidar, client.robot().basic_time_step_ms);
}

void enable_point_cloud(const char* function, WbDeviceTag tag, bool on) {
  api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& lidar = client.device(tag, kLidar);
    const bool was_on = lidar.setting(kPointCloud) != 0.0;
    lidar.setting(kPointCloud) = on ? 1.0 : 0.0;
    if (on && !was_on && servosim::has_picture(lidar, kLidarDistances)) {
      make_points(client, lidar);
    }
  });
}

// Refuses a layer that the lidar does not have.
void check_layer(const ClientDevice& lidar, int layer) {
  refuse(layer < 0, "called with a negative 'layer' argument.");
  if (const auto layers = static_cast<int>(lidar.number(kLayers)); layer >= layers) {
    throw servosim::CallError("called with a 'layer' argument (" + std::to_string(layer) +
                              ") bigger or equal to the number of layers of this lidar (" +
                              std::to_string(layers) + ").");
  }
}

// Calls action(lidar), which returns the number of the first point that is wanted, for a lidar with
// a point cloud. Returns the address of that point, or null before the first sample.
template <typename Action>
const WbLidarPoint* points(const char* function, WbDeviceTag tag, const Action& action) {
  return api_call(function,
                  [=](ControllerClient& client, ControllerClient::Lock&) -> const WbLidarPoint* {
                    ClientDevice& lidar = client.device(tag, kLidar);
                    refuse(lidar.setting(kPointCloud) == 0.0,
                           "called for a lidar with point cloud disabled. Please use: "
                           "wb_lidar_enable_point_cloud().");
                    const std::int64_t first = action(std::as_const(lidar));
                    if (!servosim::is_sampled(lidar)) {
                      servosim::report_disabled(client, kLidarDistances.enable);
                    }
                    if (!servosim::has_picture(lidar, kLidarDistances)) {
                      return nullptr;
                    }
                    if (lidar.points.empty()) {
                      make_points(client, lidar);
                    }
                    return lidar.points.empty() ? nullptr : lidar.points.data() + first;
                  });
}

}  // namespace

SERVOSIM_SAMPLED_DEVICE(lidar, kLidar)

void wb_lidar_enable_point_cloud(WbDeviceTag tag) { enable_point_cloud(__func__, tag, true); }

void wb_lidar_disable_point_cloud(WbDeviceTag tag) { enable_point_cloud(__func__, tag, false); }

bool wb_lidar_is_point_cloud_enabled(WbDeviceTag tag) {
  return device_integer(__func__, tag, kLidar, kPointCloud) != 0;
}

const float* wb_lidar_get_range_image(WbDeviceTag tag) {
  return servosim::distances(__func__, tag, kLidarDistances);
}

const float* wb_lidar_get_layer_range_image(WbDeviceTag tag, int layer) {
  const int width = api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    const ClientDevice& lidar = client.device(tag, kLidar);
    check_layer(lidar, layer);
    return static_cast<int>(lidar.number(kResolution));
  });
  if (width <= 0) {
    return nullptr;
  }
  const float* image = servosim::distances(__func__, tag, kLidarDistances);
  return image != nullptr ? image + std::ptrdiff_t{layer} * width : nullptr;
}

const WbLidarPoint* wb_lidar_get_point_cloud(WbDeviceTag tag) {
  return points(__func__, tag, [](const ClientDevice&) { return 0; });
}

const WbLidarPoint* wb_lidar_get_layer_point_cloud(WbDeviceTag tag, int layer) {
  return points(__func__, tag, [layer](const ClientDevice& lidar) {
    check_layer(lidar, layer);
    return layer * static_cast<std::int64_t>(lidar.number(kResolution));
  });
}

const WbLidarPoint* wb_lidar_get_point(WbDeviceTag tag, int index) {
  return points(__func__, tag, [index](const ClientDevice& lidar) {
    refuse(index < 0 || index >= lidar.number(kResolution) * lidar.number(kLayers),
           "there is no such point.");
    return index;
  });
}

int wb_lidar_get_number_of_points(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& lidar = client.device(tag, kLidar);
    refuse(lidar.setting(kPointCloud) == 0.0,
           "called for a lidar with point cloud disabled! Please use: "
           "wb_lidar_enable_point_cloud().");
    return static_cast<int>(lidar.number(kResolution) * lidar.number(kLayers));
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
    const double least = lidar.number("minFrequency");
    const double most = lidar.number("maxFrequency");
    if (!(frequency >= least && frequency <= most)) {
      throw servosim::CallError("out of frequency range [" + std::to_string(least) + ", " +
                                std::to_string(most) + "].");
    }
    lidar.setting("defaultFrequency") = frequency;
    ControllerClient::request(lidar, servosim::CommandKind::Frequency);
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
