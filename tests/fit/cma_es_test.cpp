// SPDX-License-Identifier: Apache-2.0
#include "fit/cma_es.h"

#include <gtest/gtest.h>

#include <cmath>

namespace servosim::test {
namespace cma_es_test {

template <class F>
CmaEs searched(Eigen::VectorXd start, int generations, F f, std::uint64_t seed = 3) {
  CmaEs search(start, 0.2, 16, seed);
  std::vector<double> values(16);
  for (int g = 0; g < generations; ++g) {
    const Eigen::MatrixXd& points = search.ask();
    EXPECT_GE(points.minCoeff(), 0.0);
    EXPECT_LE(points.maxCoeff(), 1.0);
    for (int p = 0; p < 16; ++p) {
      values[static_cast<std::size_t>(p)] = f(points.col(p));
    }
    search.tell(values);
  }
  return search;
}

TEST(CmaEs, FindsTheEndOfABentValley) {
  const auto rosenbrock = [](const Eigen::VectorXd& u) {
    double sum = 0.0;
    for (Eigen::Index i = 0; i + 1 < u.size(); ++i) {
      const double x = 4.0 * u[i] - 2.0;
      const double y = 4.0 * u[i + 1] - 2.0;
      sum += 100.0 * (y - x * x) * (y - x * x) + (1.0 - x) * (1.0 - x);
    }
    return sum;
  };
  const CmaEs search = searched(Eigen::VectorXd::Constant(5, 0.4), 600, rosenbrock);
  EXPECT_LT(search.best_value(), 1e-10);
  EXPECT_NEAR((search.best().array() - 0.75).abs().maxCoeff(), 0.0, 1e-5);
}

TEST(CmaEs, FindsAnOptimumAtABound) {
  const auto slope = [](const Eigen::VectorXd& u) {
    return u[0] + (u[1] - 0.3) * (u[1] - 0.3) - u[2] + 0.5 * u[0] * u[1];
  };
  const CmaEs search = searched(Eigen::VectorXd::Constant(3, 0.5), 200, slope);
  EXPECT_NEAR(search.best()[0], 0.0, 1e-6);
  EXPECT_NEAR(search.best()[1], 0.3, 1e-3);
  EXPECT_NEAR(search.best()[2], 1.0, 1e-6);
}

TEST(CmaEs, LeavesRegionsWithoutAValue) {
  const auto partial = [](const Eigen::VectorXd& u) {
    return u[0] > 0.6 ? std::nan("") : std::abs(u[0] - 0.55) + std::abs(u[1] - 0.2);
  };
  const CmaEs search = searched(Eigen::VectorXd::Constant(2, 0.7), 200, partial);
  EXPECT_LT(search.best_value(), 1e-6);
}

TEST(CmaEs, GivesTheSameForTheSameSeed) {
  const auto bowl = [](const Eigen::VectorXd& u) { return (u.array() - 0.37).square().sum(); };
  const Eigen::VectorXd start = Eigen::VectorXd::Constant(4, 0.8);
  EXPECT_EQ(searched(start, 20, bowl).best(), searched(start, 20, bowl).best());
  EXPECT_NE(searched(start, 20, bowl).best(), searched(start, 20, bowl, 4).best());
}

}  // namespace cma_es_test
}  // namespace servosim::test
