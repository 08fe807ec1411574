// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "servosim/simulation.h"

namespace servosim::test {

/// Returns every .wbt file below a folder, sorted.
inline std::vector<std::string> worlds_in(const std::filesystem::path& folder) {
  std::vector<std::string> worlds;
  if (std::filesystem::is_directory(folder)) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() == ".wbt") {
        worlds.push_back(entry.path().string());
      }
    }
  }
  std::sort(worlds.begin(), worlds.end());
  return worlds;
}

/// Steps a world while every motor swings to and fro. `look(simulation)` is called after each step.
template <typename Look>
std::uint64_t swing(const std::string& world, std::int64_t steps, Look look) {
  LoadOptions options;
  options.random_seed = 3;
  options.notice = [](std::string_view) {};
  Simulation simulation(world, std::move(options));
  std::vector<Motor*> motors;
  for (int r = 0; r < simulation.robots().size(); ++r) {
    for (const DeviceNode& device : simulation.robot(r).devices()) {
      if (device.get<Motor>() != nullptr) {
        motors.push_back(device.get<Motor>());
      }
    }
  }
  for (std::int64_t n = 0; n < steps; ++n) {
    for (std::size_t m = 0; m < motors.size(); ++m) {
      const double phase = 2.3 * simulation.time() + 0.7 * static_cast<double>(m);
      motors[m]->set_position(0.05 * std::sin(phase));
    }
    simulation.step();
    look(simulation);
  }
  return simulation.state_hash();
}

}  // namespace servosim::test
