// SPDX-License-Identifier: Apache-2.0
#include "fit/fit_intervals.h"

#include <Eigen/Dense>
#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "fit/fit_point.h"

namespace servosim {
namespace {

// The estimate is where F = Σ w·ρ(r) is least, ρ(r) = √(r² + δ²): |r| with a rounded tip. With the
// Jacobian J of the residuals, H = Σ w·ρ''·J·Jᵀ, and the scatter B of the gradients of blocks of
// samples, its covariance is H⁻¹·B·H⁻¹ (the sandwich of robust statistics: P. Huber, "The behavior
// of maximum likelihood estimates under nonstandard conditions", 1967). Blocks are as long as the
// errors of a simulation last, so that neighbouring residuals may be as alike as they want.

constexpr std::size_t kLeastBlocks = 8;        // of each log
constexpr std::size_t kLeastBlocksOfAll = 24;  // or a few parameters use up their scatter
constexpr double kUpper = 0.975;               // the end of an interval of 95 %
constexpr double kFirstStep = 2e-3;            // of a parameter, as a share of its range
constexpr double kMuchFiner = 20.0;            // the fine steps; rounding is far below them
constexpr double kLeastStep = 2e-4;
constexpr double kGreatestStep = 2e-2;
constexpr double kAtBound = 2e-3;         // share of the range
constexpr double kAsGood = 1.03;          // errors of searches that found the same
constexpr double kAlike = 0.97;           // correlation
constexpr double kLeastCurvature = 1e-9;  // where that of each parameter alone is 1
constexpr double kHalfRange = 0.5;
// What a parameter moves over its whole range, at least, if the data tell it [rad].
constexpr double kMovesNothing = 1e-6;
constexpr double kLeastError = 1e-6;  // of a measured position [rad]
// The share of a change that differences of trajectories may leave where other parameters make good
// for all of it.
constexpr double kOwnPart = 0.02;

struct Residuals {
  Eigen::VectorXd values;   // [rad]
  Eigen::VectorXd weights;  // their sum is 1
  std::vector<std::size_t> logs;
  std::vector<std::size_t> blocks;
};

Eigen::MatrixXd positions_of(const FitRig& rig, const std::vector<ServoModel>& models) {
  Eigen::Index rows = 0;
  for (const BenchLog& log : rig.logs()) {
    rows += static_cast<Eigen::Index>(log.log->samples.size());
  }
  Eigen::MatrixXd all(rows, static_cast<Eigen::Index>(models.size()));
  std::vector<double> positions;
  for (std::size_t first = 0; first < models.size(); first += kBenchModels) {
    const std::size_t count = std::min(kBenchModels, models.size() - first);
    Eigen::Index row = 0;
    for (std::size_t log = 0; log < rig.logs().size(); ++log) {
      rig.run(log, {&models[first], count}, positions);
      for (std::size_t s = 0; s < rig.logs()[log].log->samples.size(); ++s, ++row) {
        for (std::size_t m = 0; m < count; ++m) {
          all(row, static_cast<Eigen::Index>(first + m)) = positions[s * kBenchModels + m];
        }
      }
    }
  }
  return all;
}

// Into how many blocks each log is divided.
std::size_t blocks_of_log(const FitRig& rig) {
  return std::max(kLeastBlocks, (kLeastBlocksOfAll + rig.logs().size() - 1) / rig.logs().size());
}

Residuals residuals_of(const FitRig& rig, const Eigen::VectorXd& positions) {
  const std::size_t blocks = blocks_of_log(rig);
  Residuals result{Eigen::VectorXd(positions.size()), Eigen::VectorXd(positions.size()), {}, {}};
  Eigen::Index row = 0;
  for (std::size_t i = 0; i < rig.logs().size(); ++i) {
    const ServoLog& log = *rig.logs()[i].log;
    const double all = log.duration() * static_cast<double>(rig.logs().size());
    for (std::size_t s = 0; s < log.samples.size(); ++s, ++row) {
      const LogSample& sample = log.samples[s];
      const double before = s > 0 ? log.samples[s - 1].time : sample.time;
      const double after = s + 1 < log.samples.size() ? log.samples[s + 1].time : sample.time;
      result.values[row] = positions[row] - sample.position;
      result.weights[row] = 0.5 * (after - before) / all;
      const double share = (sample.time - log.samples.front().time) / log.duration();
      result.logs.push_back(i);
      result.blocks.push_back(
          i * blocks +
          std::min(blocks - 1, static_cast<std::size_t>(share * static_cast<double>(blocks))));
    }
  }
  return result;
}

// δ: the median of |r|, at least half a step of the encoder.
double tip_of(const Residuals& residuals, double quantum) {
  std::vector<double> sizes(static_cast<std::size_t>(residuals.values.size()));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    sizes[i] = std::abs(residuals.values[static_cast<Eigen::Index>(i)]);
  }
  const auto middle = sizes.begin() + static_cast<long>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return std::max({*middle, 0.5 * quantum, 1e-9});
}

// The covariance of the columns' parameters, in units of their shares.
Eigen::MatrixXd covariance_of(const FitRig& rig, const Residuals& residuals,
                              const Eigen::MatrixXd& jacobian) {
  double quantum = 0.0;
  for (const BenchLog& log : rig.logs()) {
    quantum = std::max(quantum, log.log->quantum);
  }
  const double tip = tip_of(residuals, quantum);
  const Eigen::ArrayXd r = residuals.values.array();
  const Eigen::ArrayXd size = (r.square() + tip * tip).sqrt();
  const Eigen::VectorXd pull = residuals.weights.array() * r / size;
  const Eigen::VectorXd curve = residuals.weights.array() * tip * tip / size.cube();
  const Eigen::Index n = jacobian.cols();
  const Eigen::MatrixXd hessian = jacobian.transpose() * curve.asDiagonal() * jacobian;

  const std::size_t logs = rig.logs().size();
  const auto blocks = static_cast<Eigen::Index>(logs * blocks_of_log(rig));
  Eigen::MatrixXd gradients = Eigen::MatrixXd::Zero(n, blocks);
  Eigen::MatrixXd by_encoder = Eigen::MatrixXd::Zero(n, static_cast<Eigen::Index>(logs));
  for (Eigen::Index row = 0; row < jacobian.rows(); ++row) {
    const auto i = static_cast<std::size_t>(row);
    gradients.col(static_cast<Eigen::Index>(residuals.blocks[i])) +=
        pull[row] * jacobian.row(row).transpose();
    // Rounding by the encoder may shift a whole log.
    const double rounding = rig.logs()[residuals.logs[i]].log->quantum / std::sqrt(12.0);
    by_encoder.col(static_cast<Eigen::Index>(residuals.logs[i])) +=
        rounding * curve[row] * jacobian.row(row).transpose();
  }
  // At a bound the sum of the gradients is not 0; it says how strongly the data pull, and not how
  // they scatter.
  gradients.colwise() -= gradients.rowwise().mean().eval();
  const double few = static_cast<double>(blocks) /
                     std::max(1.0, static_cast<double>(blocks - std::min(n, blocks - 1)));
  const Eigen::MatrixXd scatter =
      few * gradients * gradients.transpose() + by_encoder * by_encoder.transpose();

  // In units in which each parameter alone has the curvature 1.
  const Eigen::VectorXd units = hessian.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> curvature(units.asDiagonal() * hessian *
                                                                 units.asDiagonal());
  const Eigen::MatrixXd whitening =
      curvature.eigenvectors() *
      curvature.eigenvalues().cwiseMax(kLeastCurvature).cwiseSqrt().cwiseInverse().asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> whitened(
      whitening.transpose() * units.asDiagonal() * scatter * units.asDiagonal() * whitening);
  // In no direction less than independent errors of the samples would scatter. Directions that move
  // nothing scatter by nothing, and yet the data do not tell them.
  // A sample is uncertain by half a step of the encoder even where its residual is 0.
  Eigen::ArrayXd least(r.size());
  for (Eigen::Index row = 0; row < least.size(); ++row) {
    const std::size_t log = residuals.logs[static_cast<std::size_t>(row)];
    least[row] = std::max(0.5 * rig.logs()[log].log->quantum, kLeastError);
  }
  const double independent =
      pull.array().abs().max(curve.array() * least).square().sum() / curve.sum();
  const Eigen::MatrixXd root = units.asDiagonal() * whitening * whitened.eigenvectors();
  return root * whitened.eigenvalues().cwiseMax(independent).asDiagonal() * root.transpose();
}

class Intervals {
 public:
  Intervals(const FitRig& rig, const std::vector<FitParameter>& parameters, const Fit& fit)
      : rig_(rig),
        parameters_(parameters),
        fit_(fit),
        shares_(shares_of(parameters, fit.model)),
        residuals_(residuals_of(rig, positions_of(rig, {fit.model}).col(0))),
        is_told_(parameters.size(), true),
        told_(parameters.size()) {
    std::iota(told_.begin(), told_.end(), Eigen::Index{0});
  }

  void find() {
    Eigen::VectorXd steps = Eigen::VectorXd::Constant(shares_.size(), kFirstStep);
    jacobian_ = jacobian(steps);
    std::erase_if(told_, [&](Eigen::Index i) {
      const bool is_told = rms(jacobian_.col(i)) > kMovesNothing;
      is_told_[static_cast<std::size_t>(i)] = is_told;
      return !is_told;
    });
    covariances_.push_back(covariance(jacobian_));
    // Differences over wide steps give a direction that the data do not tell the curvature of
    // their own error. But a trajectory that sticks and slips has no slope at a point, and needs
    // steps as wide as the interval. So the widest interval of all steps counts.
    covariances_.push_back(covariance(jacobian(steps / kMuchFiner)));
    steps = deviations(covariances_.front()).cwiseMax(kLeastStep).cwiseMin(kGreatestStep);
    jacobian_ = jacobian(steps);
    covariances_.push_back(covariance(jacobian_));
  }

  // The standard deviations of all parameters, as shares; 0 of those that move nothing. A parameter
  // at a bound is as uncertain as if the bound were not there, and so are the others that it can
  // make good for: the bound is a choice of the search, which the data do not know.
  Eigen::VectorXd deviations() const {
    Eigen::VectorXd widest = Eigen::VectorXd::Zero(shares_.size());
    for (const Eigen::MatrixXd& each : covariances_) {
      widest = widest.cwiseMax(deviations(each));
    }
    return widest;
  }
  const Eigen::VectorXd& shares() const { return shares_; }
  // Returns whether a parameter moves anything.
  bool is_told(std::size_t parameter) const { return is_told_[parameter]; }
  // Returns half of the 95 % interval in units of the standard deviation: Student's t, since the
  // scatter is that of a few blocks.
  double quantile() const {
    const double freedom = static_cast<double>(rig_.logs().size() * blocks_of_log(rig_)) -
                           static_cast<double>(told_.size());
    return boost::math::quantile(boost::math::students_t(std::max(1.0, freedom)), kUpper);
  }

  // Returns the strongest correlation of two parameters that any of the steps shows.
  double correlation(Eigen::Index a, Eigen::Index b) const {
    double strongest = 0.0;
    for (const Eigen::MatrixXd& each : covariances_) {
      const double both = each(a, a) * each(b, b);
      const double found = both > 0.0 ? each(a, b) / std::sqrt(both) : 0.0;
      strongest = std::abs(found) > std::abs(strongest) ? found : strongest;
    }
    return strongest;
  }

  double rod_interval() const {
    constexpr double kRod = 1e-3;  // [kg]
    const auto heavier = rig_.with_rod(kRod);
    const auto lighter = rig_.with_rod(-kRod);
    if (heavier == nullptr || lighter == nullptr) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    const ServoModel model = smooth(fit_.model);
    const Eigen::VectorXd change =
        positions_of(*heavier, {model}).col(0) - positions_of(*lighter, {model}).col(0);
    Eigen::MatrixXd more(jacobian_.rows(), static_cast<Eigen::Index>(told_.size()) + 1);
    more << jacobian_(Eigen::all, told_), change / (2.0 * kRod);
    const Eigen::VectorXd rod = more.col(more.cols() - 1);
    const Eigen::MatrixXd others = more.leftCols(more.cols() - 1);
    Eigen::VectorXd left = rod;
    if (!told_.empty()) {
      left -= others * others.colPivHouseholderQr().solve(rod);
    }
    if (left.norm() < kOwnPart * rod.norm() || rms(change) <= kMovesNothing) {
      return std::numeric_limits<double>::infinity();
    }
    const Eigen::MatrixXd found = covariance_of(rig_, residuals_, more);
    return quantile() * std::sqrt(std::max(0.0, found(found.rows() - 1, found.cols() - 1)));
  }

 private:
  // Returns the root of the mean square of changes of position over time.
  double rms(const Eigen::VectorXd& changes) const {
    return std::sqrt(residuals_.weights.dot(changes.cwiseAbs2()));
  }

  // Without the steps of the encoder in the loop, which would hide a small change.
  static ServoModel smooth(ServoModel model) {
    model.encoder.counts = 0.0;
    return model;
  }

  Eigen::MatrixXd jacobian(const Eigen::VectorXd& steps) const {
    std::vector<ServoModel> models;
    Eigen::VectorXd ways(shares_.size());
    for (Eigen::Index i = 0; i < shares_.size(); ++i) {
      Eigen::VectorXd up = shares_;
      Eigen::VectorXd down = shares_;
      up[i] = std::min(1.0, shares_[i] + steps[i]);
      down[i] = std::max(0.0, shares_[i] - steps[i]);
      ways[i] = up[i] - down[i];
      models.push_back(smooth(model_at(fit_.start, parameters_, up)));
      models.push_back(smooth(model_at(fit_.start, parameters_, down)));
    }
    const Eigen::MatrixXd positions = positions_of(rig_, models);
    Eigen::MatrixXd result(positions.rows(), shares_.size());
    for (Eigen::Index i = 0; i < shares_.size(); ++i) {
      result.col(i) = (positions.col(2 * i) - positions.col(2 * i + 1)) / ways[i];
    }
    return result;
  }

  Eigen::MatrixXd covariance(const Eigen::MatrixXd& jacobian) const {
    Eigen::MatrixXd all = Eigen::MatrixXd::Zero(shares_.size(), shares_.size());
    if (!told_.empty()) {
      all(told_, told_) = covariance_of(rig_, residuals_, jacobian(Eigen::all, told_));
    }
    return all;
  }

  static Eigen::VectorXd deviations(const Eigen::MatrixXd& covariance) {
    return covariance.diagonal().cwiseMax(0.0).cwiseSqrt();
  }

  const FitRig& rig_;
  const std::vector<FitParameter>& parameters_;
  const Fit& fit_;
  Eigen::VectorXd shares_;
  Residuals residuals_;
  std::vector<bool> is_told_;       // of all parameters
  std::vector<Eigen::Index> told_;  // parameters that move something, also those at bounds
  Eigen::MatrixXd jacobian_;
  std::vector<Eigen::MatrixXd> covariances_;  // by steps of different widths
};

// What the searches that are nearly as good as the best one differ by from the result.
double spread_of(const FitParameter& parameter, const std::vector<FitSearch>& searches,
                 double value) {
  double best = std::numeric_limits<double>::infinity();
  for (const FitSearch& search : searches) {
    best = std::min(best, search.way.back());
  }
  double spread = 0.0;
  for (const FitSearch& search : searches) {
    if (search.way.back() <= kAsGood * best) {
      spread = std::max(spread, std::abs(number_of(search.model, parameter.keys.front()) - value));
    }
  }
  return spread;
}

// Groups of parameters of which each is correlated with another one.
std::vector<std::vector<std::string>> groups_of(const Intervals& intervals,
                                                const std::vector<FitParameter>& parameters) {
  std::vector<std::size_t> group(parameters.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  for (std::size_t a = 0; a < parameters.size(); ++a) {
    for (std::size_t b = a + 1; b < parameters.size(); ++b) {
      if (std::abs(intervals.correlation(static_cast<Eigen::Index>(a),
                                         static_cast<Eigen::Index>(b))) > kAlike) {
        std::replace(group.begin(), group.end(), group[b], group[a]);
      }
    }
  }
  std::vector<std::vector<std::string>> result;
  for (std::size_t g = 0; g < parameters.size(); ++g) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (group[i] == g) {
        names.push_back(parameters[i].name());
      }
    }
    if (names.size() > 1) {
      result.push_back(std::move(names));
    }
  }
  return result;
}

}  // namespace

void find_intervals(const FitRig& rig, const std::vector<FitParameter>& parameters,
                    const std::vector<FitSearch>& searches, Fit& fit) {
  Intervals intervals(rig, parameters, fit);
  intervals.find();
  const Eigen::VectorXd deviations = intervals.deviations();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const FitParameter& parameter = parameters[i];
    const auto at = static_cast<Eigen::Index>(i);
    FittedParameter found;
    found.parameter = parameter;
    found.value = number_of(fit.model, parameter.keys.front());
    const double range = parameter.high - parameter.low;
    const double per_share =
        parameter.is_logarithmic ? found.value * std::log(parameter.high / parameter.low) : range;
    const double by_scatter = intervals.quantile() * deviations[at] * per_share;
    const double spread = spread_of(parameter, searches, found.value);
    found.interval = intervals.is_told(i) ? std::min(range, std::hypot(by_scatter, spread)) : range;
    found.is_at_low = intervals.shares()[at] <= kAtBound;
    found.is_at_high = intervals.shares()[at] >= 1.0 - kAtBound;
    const bool is_told = intervals.is_told(i);
    found.from = is_told ? std::max(parameter.low, found.value - found.interval) : parameter.low;
    found.to = is_told ? std::min(parameter.high, found.value + found.interval) : parameter.high;
    found.is_known =
        !found.is_at_low && !found.is_at_high && is_told &&
        found.interval < (parameter.is_logarithmic ? std::abs(found.value) : kHalfRange * range);
    fit.parameters.push_back(std::move(found));
  }
  fit.alike = groups_of(intervals, parameters);
  fit.rod_interval = intervals.rod_interval();
}

}  // namespace servosim
