// SPDX-License-Identifier: Apache-2.0
#include "experiments/regression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "experiments/zero_phase_filter.h"

namespace servosim::test {
namespace regression_test {

double uniform(std::mt19937& random) { return static_cast<double>(random()) / 4294967296.0 - 0.5; }

// Errors are independent of each other or last for a hundred rows. In both cases the interval
// contains the true value nearly always.
TEST(Regression, HasIntervalsThatHoldTheTruth) {
  for (const int lasts : {1, 100}) {
    std::mt19937 random(11);
    int held = 0;
    double widest = 0.0;
    for (int run = 0; run < 200; ++run) {
      constexpr Eigen::Index kRows = 1600;
      Eigen::MatrixXd terms(kRows, 2);
      Eigen::VectorXd values(kRows);
      double error = 0.0;
      for (Eigen::Index i = 0; i < kRows; ++i) {
        error = i % lasts == 0 ? uniform(random) : error;
        terms(i, 0) = std::sin(0.013 * static_cast<double>(i) + run);
        terms(i, 1) = 0.7;
        values[i] = 3.0 * terms(i, 0) - 2.0 * terms(i, 1) + error;
      }
      const Regression found =
          regress(terms, values, {groups_by(Eigen::VectorXd::LinSpaced(kRows, 0.0, 1.0))});
      held += std::abs(found.x[0] - 3.0) <= found.confidence[0] ? 1 : 0;
      widest = std::max(widest, found.confidence[0]);
    }
    EXPECT_GE(held, 180) << lasts;
    EXPECT_LT(widest, lasts == 1 ? 0.05 : 0.5) << lasts;
  }
}

TEST(Regression, DividesRowsByTheOrderOfKeys) {
  Eigen::VectorXd keys(16);
  for (Eigen::Index i = 0; i < 16; ++i) {
    keys[i] = static_cast<double>(15 - i);
  }
  const RowGroups groups = groups_by(keys);
  EXPECT_EQ(groups.front(), 7);
  EXPECT_EQ(groups[1], 7);
  EXPECT_EQ(groups[2], 6);
  EXPECT_EQ(groups.back(), 0);
}

// The gain is 1 / (1 + (tan(pi f) / tan(pi cutoff))^4), and the phase is 0.
TEST(ZeroPhaseFilter, HasItsGainAndNoDelay) {
  constexpr double kCutoff = 0.05;
  for (const double frequency : {0.01, 0.05, 0.1}) {
    Eigen::VectorXd sine(4000);
    for (Eigen::Index i = 0; i < sine.size(); ++i) {
      sine[i] = std::sin(2.0 * M_PI * frequency * static_cast<double>(i) + 0.3);
    }
    const double ratio = std::tan(M_PI * frequency) / std::tan(M_PI * kCutoff);
    const double gain = 1.0 / (1.0 + std::pow(ratio, 4.0));
    const Eigen::VectorXd passed = zero_phase_filtered(sine, kCutoff);
    EXPECT_LT((passed - gain * sine).segment(500, 3000).cwiseAbs().maxCoeff(), 1e-9) << frequency;
  }
}

}  // namespace regression_test
}  // namespace servosim::test
