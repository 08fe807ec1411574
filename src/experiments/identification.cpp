// SPDX-License-Identifier: Apache-2.0
#include "experiments/identification.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "experiments/frequency_response.h"

namespace servosim {
namespace {

constexpr std::size_t kLeastRows = 40;
constexpr double kMoving = 1e-3;       // of the greatest speed
constexpr double kIndependent = 1e-7;  // of the greatest column, in the decomposition
constexpr double kConfidence = 1.96;   // standard deviations: 95 %
constexpr int kSines = 12;

struct Term {
  const char* name;
  const char* rotational_unit;
  const char* linear_unit;
};

constexpr Term kInertia{"inertia", "kg m^2", "kg"};
constexpr Term kDamping{"damping", "N m s/rad", "N s/m"};
constexpr Term kFriction{"friction", "N m", "N"};
constexpr Term kSine{"load sine", "N m", "N"};
constexpr Term kCosine{"load cosine", "N m", "N"};
constexpr Term kConstant{"load", "N m", "N"};
constexpr Term kStiffness{"stiffness", "N m/rad", "N/m"};

std::vector<Term> terms_of(JointType type, bool stiffness) {
  std::vector<Term> terms{kInertia, kDamping, kFriction};
  if (stiffness) {
    terms.insert(terms.end(), {kStiffness, kConstant});
  } else if (type == JointType::Rotational) {
    terms.insert(terms.end(), {kSine, kCosine});
  } else {
    terms.push_back(kConstant);
  }
  return terms;
}

struct Equations {
  Eigen::MatrixXd terms;
  Eigen::VectorXd efforts;
};

// What each parameter multiplies, by row.
Equations equations_of(const std::vector<JointSample>& samples, JointType type, bool stiffness) {
  double fastest = 0.0;
  for (const JointSample& sample : samples) {
    for (const double value : {sample.time, sample.position, sample.velocity, sample.effort}) {
      if (!std::isfinite(value)) {
        throw std::invalid_argument(fmt::format(
            "at {:.6g} s there is a position, velocity or effort missing", sample.time));
      }
    }
    fastest = std::max(fastest, std::abs(sample.velocity));
  }
  const std::size_t count = terms_of(type, stiffness).size();
  std::vector<double> cells;
  std::vector<double> efforts;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const JointSample& before = samples[i - 1];
    const JointSample& sample = samples[i];
    const double h = sample.time - before.time;
    if (!(h > 0.0)) {
      throw std::invalid_argument(
          fmt::format("time does not grow from {:.6g} s to the next row", before.time));
    }
    if (std::abs(sample.velocity) <= kMoving * fastest) {
      continue;
    }
    cells.insert(cells.end(), {(sample.velocity - before.velocity) / h, sample.velocity,
                               std::copysign(1.0, sample.velocity)});
    // The effort acted between the rows.
    const double middle = (before.position + sample.position) / 2.0;
    if (stiffness) {
      cells.insert(cells.end(), {middle, 1.0});
    } else if (type == JointType::Rotational) {
      cells.insert(cells.end(), {std::sin(middle), std::cos(middle)});
    } else {
      cells.push_back(1.0);
    }
    efforts.push_back(sample.effort);
  }
  if (efforts.size() < kLeastRows) {
    throw std::invalid_argument(
        fmt::format("the joint moves in {} rows, and {} are needed", efforts.size(), kLeastRows));
  }
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto rows = static_cast<Eigen::Index>(efforts.size());
  return {Eigen::Map<const Rows>(cells.data(), rows, static_cast<Eigen::Index>(count)),
          Eigen::Map<const Eigen::VectorXd>(efforts.data(), rows)};
}

}  // namespace

const IdentifiedParameter* Identification::find(std::string_view name) const {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const auto& parameter) { return parameter.name == name; });
  return found == parameters.end() ? nullptr : &*found;
}

Identification identify(const std::vector<JointSample>& samples, JointType type, bool stiffness) {
  const std::vector<Term> names = terms_of(type, stiffness);
  const Equations equations = equations_of(samples, type, stiffness);
  const Eigen::Index half = equations.terms.rows() / 2;
  const Eigen::Index rest = equations.terms.rows() - half;

  // Columns of one length, so that the rank does not depend on units.
  const Eigen::MatrixXd first = equations.terms.topRows(half);
  Eigen::VectorXd lengths = first.colwise().norm();
  for (double& length : lengths) {
    length = length > 0.0 ? length : 1.0;
  }
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> decomposed;
  decomposed.setThreshold(kIndependent);
  decomposed.compute(first * lengths.cwiseInverse().asDiagonal());
  const Eigen::Index rank = decomposed.rank();
  const Eigen::VectorXd efforts = equations.efforts.head(half);

  // The columns that the decomposition has chosen first are independent: R x = Qᵀ efforts.
  const Eigen::VectorXd turned = (decomposed.householderQ().transpose() * efforts).head(rank);
  const auto upper =
      decomposed.matrixR().topLeftCorner(rank, rank).template triangularView<Eigen::Upper>();
  const Eigen::VectorXd scaled = upper.solve(turned);
  const Eigen::MatrixXd inverse = upper.solve(Eigen::MatrixXd::Identity(rank, rank));
  Eigen::VectorXd x = Eigen::VectorXd::Zero(equations.terms.cols());
  Eigen::VectorXd deviation = Eigen::VectorXd::Zero(equations.terms.cols());
  std::vector<bool> known(names.size(), false);
  for (Eigen::Index i = 0; i < rank; ++i) {
    const Eigen::Index column = decomposed.colsPermutation().indices()[i];
    x[column] = scaled[i] / lengths[column];
    deviation[column] = inverse.row(i).norm() / lengths[column];
    known[static_cast<std::size_t>(column)] = true;
  }
  const double spread = (efforts - first * x).norm() /
                        std::sqrt(static_cast<double>(std::max<Eigen::Index>(1, half - rank)));

  Identification found;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    found.parameters.push_back(
        {names[i].name,
         type == JointType::Rotational ? names[i].rotational_unit : names[i].linear_unit, x[column],
         kConfidence * spread * deviation[column], known[i]});
  }
  const Eigen::VectorXd unseen = equations.efforts.tail(rest);
  const double wrong = (unseen - equations.terms.bottomRows(rest) * x).squaredNorm();
  const double variation = (unseen.array() - unseen.mean()).matrix().squaredNorm();
  found.fitted = static_cast<std::size_t>(half);
  found.validated = static_cast<std::size_t>(rest);
  found.residual = std::sqrt(wrong / static_cast<double>(rest));
  found.explained = variation > 0.0 ? 1.0 - wrong / variation : (wrong > 0.0 ? 0.0 : 1.0);
  return found;
}

std::vector<JointSample> excite(JointTest& test, double amplitude, double from, double to,
                                double seconds) {
  const std::vector<double> frequencies = spaced_frequencies(from, to, kSines);
  test.restart();
  std::vector<JointSample> samples;
  const double h = test.time_step();
  const std::int64_t steps = test_steps(seconds, h);
  const JointReading start = test.joint().reading();
  samples.push_back({0.0, start.position, start.velocity, test.offset()});
  for (std::int64_t step = 0; step < steps; ++step) {
    const double now = static_cast<double>(step) * h;
    double change = 0.0;
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
      // Phases that keep the sum low (Schroeder's).
      const auto n = static_cast<double>(i);
      const double phase = std::numbers::pi * n * n / kSines;
      change += std::sin(2.0 * std::numbers::pi * frequencies[i] * now + phase);
    }
    change *= amplitude / kSines;
    const JointReading reading = test.step(change);
    samples.push_back({now + h, reading.position, reading.velocity, test.offset() + change});
  }
  return samples;
}

}  // namespace servosim
