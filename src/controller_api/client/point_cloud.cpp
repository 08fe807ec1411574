// SPDX-License-Identifier: Apache-2.0
#include "controller_api/client/point_cloud.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "base/device_command.h"

namespace servosim {

namespace {

struct Angle {
  double cosine = 1.0;
  double sine = 0.0;
};
Angle angle_of(double angle) { return {std::cos(angle), std::sin(angle)}; }

// The axes in which points are: rows of the rotation from x forward, y to the left and z up.
std::array<double, 9> axes_of(const ClientDevice& lidar) {
  std::array<double, 9> axes{1, 0, 0, 0, 1, 0, 0, 0, 1};
  const std::vector<double>& given = lidar.field(kPointAxes).numbers;
  if (given.size() == axes.size()) {
    std::copy(given.begin(), given.end(), axes.begin());
  }
  return axes;
}

}  // namespace

void update_points(ClientDevice& lidar, double step_ms) {
  const auto width = static_cast<int>(lidar.number("horizontalResolution"));
  const auto layers = static_cast<int>(lidar.number("numberOfLayers"));
  const std::span<const float> ranges = lidar.ranges.values<float>();
  lidar.points.resize(ranges.size());
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
    for (int column = 0; column < width && i < lidar.points.size(); ++column, ++i) {
      const double r = ranges[i];
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
                         // the rightmost column is the oldest
                         static_cast<float>(lidar.ranges.time() - column * period_s / width)};
    }
  }
}

}  // namespace servosim
