// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <vector>

#include "base/random.h"

namespace servosim {

/// A search by evolution with adaptation of the covariance matrix (CMA-ES): N. Hansen, "The CMA
/// Evolution Strategy: A Tutorial", arXiv:1604.00772, with positive weights and rank-µ update. It
/// looks for the least value of a function in the unit cube. Points beyond its sides are mirrored
/// at them. The caller computes the values of a whole generation, in any order and way.
///
/// Threads: one at a time.
class CmaEs {
 public:
  /// @param start  in the unit cube
  /// @param sigma  the standard deviation of the first generation in each coordinate
  /// @param population  points of a generation; >= 4
  CmaEs(const Eigen::VectorXd& start, double sigma, int population, std::uint64_t seed);

  /// Returns the points of the next generation, one in each column.
  const Eigen::MatrixXd& ask();
  /// Takes the values of these points. A value that is not finite is the worst.
  void tell(const std::vector<double>& values);

  const Eigen::VectorXd& best() const { return best_; }
  double best_value() const { return best_value_; }
  /// Returns the mean of the next generation.
  Eigen::VectorXd mean() const;
  /// Returns the greatest standard deviation of the next generation.
  double spread() const;

 private:
  void adapt(const std::vector<int>& order);
  void decompose();

  Eigen::Index size_;
  int population_;
  Eigen::VectorXd weights_;  // of the best points
  double mass_ = 0.0;        // µ_eff
  double c_sigma_, d_sigma_, c_c_, c_1_, c_mu_, chi_;
  Eigen::VectorXd mean_;  // not mirrored
  double sigma_;
  Eigen::MatrixXd covariance_, axes_;
  Eigen::VectorXd lengths_;  // of the axes
  Eigen::VectorXd path_sigma_, path_c_;
  Eigen::MatrixXd steps_;   // of the generation, in units of sigma
  Eigen::MatrixXd points_;  // mirrored
  Eigen::VectorXd best_;
  double best_value_;
  int generation_ = 0;
  Random random_;
};

}  // namespace servosim
