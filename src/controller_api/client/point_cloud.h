// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "controller_api/client/client_device.h"

namespace servosim {

/// A setting of a Lidar: 1 while its point cloud is enabled.
inline constexpr std::string_view kPointCloud = "pointCloud";

/// Makes the points of the last distances of a Lidar in `lidar.distances.points`, whose address
/// stays. A Lidar without distances yet has them all in its origin.
/// @param step_ms  the basic time step, which is the period of a rotating Lidar [ms]
void update_points(ClientDevice& lidar, double step_ms);

}  // namespace servosim
