// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

namespace servosim {

/// The parameters x with which `terms`·x comes closest to some values, by least squares.
struct Regression {
  Eigen::VectorXd x;
  /// Half widths of the intervals of 95 % confidence.
  Eigen::VectorXd confidence;
  /// False for a column that hardly varies or that follows from others: x and confidence are 0.
  std::vector<bool> known;
};

/// A division of rows into kGroups groups: the number of each row's group.
using RowGroups = std::vector<int>;
inline constexpr int kGroups = 8;

/// Groups of equal size, by the order of `keys`, one for each row.
RowGroups groups_by(const Eigen::VectorXd& keys);

/// At least kGroups rows for each column. The intervals come from leaving out one group after the
/// other (the jackknife), and the variances of all divisions add up: so they hold where errors of
/// neighbouring rows depend on each other, and where they depend on what the rows are divided by.
/// They are 0 without divisions.
Regression regress(const Eigen::MatrixXd& terms, const Eigen::VectorXd& values,
                   const std::vector<RowGroups>& divisions);

}  // namespace servosim
