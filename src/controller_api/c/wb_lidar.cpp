// SPDX-License-Identifier: Apache-2.0
#include <webots/lidar.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

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

struct Angle {
  double cosine = 1.0;
  double sine = 0.0;
};
Angle angle_of(double angle) { return {std::cos(angle), std::sin(angle)}; }

// The axes in which points are: rows of the rotation from x forward, y to the left and z up.
std::array<double, 9> axes_of(const ClientDevice& lidar) {
  std::array<double, 9> axes{1, 0, 0, 0, 1, 0, 0, 0, 1};
  const std::vector<double>& given = lidar.field(servosim::kPointAxes).numbers;
  if (given.size() == axes.size()) {
    std::copy(given.begin(), given.end(), axes.begin());
  }
  return axes;
}

// Makes the points of the last distances. The rightmost column is the oldest.
void update_points(ClientDevice& lidar, double step_ms) {
  const std::vector<float>& distances = servosim::distances(lidar, kResolution, kLayers);
  if (!lidar.has_new_ranges && lidar.points.size() == distances.size()) {
    return;
  }
  lidar.has_new_ranges = false;
  lidar.points.resize(distances.size());
  const auto width = static_cast<int>(lidar.number(kResolution));
  const auto layers = static_cast<int>(lidar.number(kLayers));
  const bool rotates = lidar.field("type").text == "rotating";
  const double fov = lidar.number("fieldOfView");
  const double vertical = lidar.number("verticalFieldOfView");
  const double period_s = 0.001 * (rotates ? step_ms : lidar.period_ms);
  std::vector<Angle> columns;
  for (int column = 0; column < width; ++column) {
    columns.push_back(angle_of(rotates ? std::numbers::pi * (1.0 - 2.0 * column / width)
                                       : fov * (0.5 - (column + 0.5) / width)));
  }
  const std::array<double, 9> m = axes_of(lidar);
  std::size_t i = 0;
  for (int layer = 0; layer < layers; ++layer) {
    const double part = layers > 1 ? static_cast<double>(layer) / (layers - 1) : 0.5;
    const Angle up = angle_of((0.5 - part) * vertical + lidar.number("tiltAngle"));
    for (int column = 0; column < width; ++column, ++i) {
      const double r = distances[i];
      const double x = r * columns[column].cosine * up.cosine;
      const double y = r * columns[column].sine * up.cosine;
      const double z = r * up.sine;
      const auto along = [&](int row) {  // no product with 0, which of infinity is no number
        double sum = 0.0;
        for (const auto& [factor, part_of] :
             {std::pair{m[3 * row], x}, {m[3 * row + 1], y}, {m[3 * row + 2], z}}) {
          sum += factor != 0.0 ? factor * part_of : 0.0;
        }
        return static_cast<float>(sum);
      };
      lidar.points[i] = {along(0), along(1), along(2), layer,
                         static_cast<float>(lidar.ranges_time - column * period_s / width)};
    }
  }
}

// The points from number `first` on. There must be `count` of them. Null while there is no point
// cloud.
const WbLidarPoint* points(const char* function, WbDeviceTag tag, std::int64_t first = 0,
                           std::int64_t count = 1) {
  return api_call(
      function, [=](ControllerClient& client, ControllerClient::Lock&) -> const WbLidarPoint* {
        ClientDevice& lidar = client.device(tag, kLidar);
        refuse(lidar.setting(kPointCloud) == 0.0,
               "the point cloud is disabled; call wb_lidar_enable_point_cloud() first.");
        refuse(first < 0 || static_cast<double>(first + count) >
                                lidar.number(kResolution) * lidar.number(kLayers),
               "there is no such layer or point.");
        if (!servosim::is_sampled(lidar)) {
          client.report_error("called for a disabled device; enable it first.");
        }
        if (!servosim::has_distances(lidar)) {
          return nullptr;
        }
        update_points(lidar, client.robot().basic_time_step_ms);
        return lidar.points.data() + first;
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
  return servosim::distances(__func__, tag, kLidar, kResolution, kLayers);
}

const float* wb_lidar_get_layer_range_image(WbDeviceTag tag, int layer) {
  const int width = device_integer(__func__, tag, kLidar, kResolution);
  const bool known = layer >= 0 && layer < device_integer(__func__, tag, kLidar, kLayers);
  const float* image = servosim::distances(__func__, tag, kLidar, kResolution, kLayers);
  return known && image != nullptr ? image + std::ptrdiff_t{layer} * width : nullptr;
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
    refuse(
        !(frequency >= lidar.number("minFrequency") && frequency <= lidar.number("maxFrequency")),
        "the frequency is out of the range from minFrequency to maxFrequency.");
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
