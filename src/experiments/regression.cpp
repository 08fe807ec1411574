// SPDX-License-Identifier: Apache-2.0
#include "experiments/regression.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace servosim {
namespace {

constexpr double kIndependent = 1e-7;  // relative to the largest column of the decomposition
// Student's t for 95 % and kGroups - 1 degrees of freedom.
constexpr double kStudent = 2.365;

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Returns the triangle R of a QR decomposition, which has the same least squares solutions as the
// rows.
MatrixXd triangle_of(const MatrixXd& rows) {
  const Index count = std::min(rows.rows(), rows.cols());
  const Eigen::HouseholderQR<MatrixXd> decomposed(rows);
  return decomposed.matrixQR().topRows(count).template triangularView<Eigen::Upper>();
}

// Solves for the last column in terms of the others.
VectorXd solution_of(const MatrixXd& rows) {
  const Index last = rows.cols() - 1;
  return Eigen::HouseholderQR<MatrixXd>(rows.leftCols(last)).solve(rows.col(last));
}

MatrixXd rows_of_group(const MatrixXd& rows, const RowGroups& groups, int group) {
  const auto count = std::count(groups.begin(), groups.end(), group);
  MatrixXd chosen(count, rows.cols());
  Index next = 0;
  for (Index row = 0; row < rows.rows(); ++row) {
    if (groups[static_cast<std::size_t>(row)] == group) {
      chosen.row(next++) = rows.row(row);
    }
  }
  return chosen;
}

// Returns the jackknife variances: s² = (G-1)/G Σ (x without a group - their mean)².
VectorXd jackknife(const MatrixXd& rows, const RowGroups& groups) {
  std::vector<MatrixXd> triangles;
  for (int group = 0; group < kGroups; ++group) {
    triangles.push_back(triangle_of(rows_of_group(rows, groups, group)));
  }
  MatrixXd found(rows.cols() - 1, kGroups);
  for (int left_out = 0; left_out < kGroups; ++left_out) {
    MatrixXd stacked(0, rows.cols());
    for (int group = 0; group < kGroups; ++group) {
      if (group != left_out) {
        const MatrixXd& more = triangles[static_cast<std::size_t>(group)];
        stacked.conservativeResize(stacked.rows() + more.rows(), Eigen::NoChange);
        stacked.bottomRows(more.rows()) = more;
      }
    }
    found.col(left_out) = solution_of(stacked);
  }
  const VectorXd mean = found.rowwise().mean();
  return (kGroups - 1.0) / kGroups * (found.colwise() - mean).array().square().rowwise().sum();
}

}  // namespace

RowGroups groups_by(const VectorXd& keys) {
  std::vector<Index> order(static_cast<std::size_t>(keys.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return keys[a] < keys[b]; });
  RowGroups groups(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    groups[static_cast<std::size_t>(order[i])] = static_cast<int>(i * kGroups / order.size());
  }
  return groups;
}

Regression regress(const MatrixXd& terms, const VectorXd& values,
                   const std::vector<RowGroups>& divisions) {
  // Columns are scaled to length 1, so that the rank does not depend on units.
  VectorXd lengths = terms.colwise().norm();
  for (double& length : lengths) {
    length = length > 0.0 ? length : 1.0;
  }
  const MatrixXd scaled = terms * lengths.cwiseInverse().asDiagonal();
  Eigen::ColPivHouseholderQR<MatrixXd> decomposed;
  decomposed.setThreshold(kIndependent);
  decomposed.compute(scaled);
  // The columns that the decomposition chooses first are independent.
  const Eigen::VectorXi chosen = decomposed.colsPermutation().indices().head(decomposed.rank());
  MatrixXd rows(terms.rows(), chosen.size() + 1);
  for (Index i = 0; i < chosen.size(); ++i) {
    rows.col(i) = scaled.col(chosen[i]);
  }
  rows.col(chosen.size()) = values;

  const VectorXd solution = solution_of(rows);
  VectorXd variance = VectorXd::Zero(chosen.size());
  for (const RowGroups& groups : divisions) {
    variance += jackknife(rows, groups);
  }
  Regression found{VectorXd::Zero(terms.cols()), VectorXd::Zero(terms.cols()),
                   std::vector<bool>(static_cast<std::size_t>(terms.cols()), false)};
  for (Index i = 0; i < chosen.size(); ++i) {
    const Index column = chosen[i];
    found.x[column] = solution[i] / lengths[column];
    found.confidence[column] = kStudent * std::sqrt(variance[i]) / lengths[column];
    found.known[static_cast<std::size_t>(column)] = true;
  }
  return found;
}

}  // namespace servosim
