// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

namespace servosim {

/// The parameters x for which `terms`·x is closest to given values, by least squares.
struct Regression {
  Eigen::VectorXd x;
  /// Half widths of the 95 % confidence intervals.
  Eigen::VectorXd confidence;
  /// False for a column that hardly varies or that depends on others; its x and confidence are 0.
  std::vector<bool> known;
};

/// A division of rows into kGroups groups: the group of each row.
using RowGroups = std::vector<int>;
inline constexpr int kGroups = 8;

/// Returns groups of equal size in the order of `keys`, which has one key per row.
RowGroups groups_by(const Eigen::VectorXd& keys);

/// Needs at least kGroups rows for each column. The intervals result from leaving out one group
/// after the other (the jackknife). The variances of all divisions add up, so the intervals are
/// valid if errors of neighbouring rows depend on each other, and if errors depend on a key by
/// which rows are grouped. Without divisions they are 0.
Regression regress(const Eigen::MatrixXd& terms, const Eigen::VectorXd& values,
                   const std::vector<RowGroups>& divisions);

}  // namespace servosim
