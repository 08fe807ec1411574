// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace servosim {

/// A matrix of numbers by coordinates of a robot, see Simulation::coordinates().
///
/// Threads: a plain value.
struct JointMatrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> values;  ///< row by row

  /// Row and column count from 0 and are not checked.
  double operator()(std::size_t row, std::size_t column) const {
    return values[row * columns + column];
  }
  double& operator()(std::size_t row, std::size_t column) { return values[row * columns + column]; }
};

}  // namespace servosim
