// SPDX-License-Identifier: Apache-2.0
#include "fit/cma_es.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace servosim {
namespace {

// Maps the real line to [0, 1], back and forth.
double mirrored(double x) {
  const double in_period = std::abs(x - 2.0 * std::round(x / 2.0));
  return std::min(in_period, 1.0);
}

}  // namespace

CmaEs::CmaEs(const Eigen::VectorXd& start, double sigma, int population, std::uint64_t seed)
    : size_(start.size()),
      population_(population),
      mean_(start),
      sigma_(sigma),
      covariance_(Eigen::MatrixXd::Identity(size_, size_)),
      axes_(covariance_),
      lengths_(Eigen::VectorXd::Ones(size_)),
      path_sigma_(Eigen::VectorXd::Zero(size_)),
      path_c_(path_sigma_),
      steps_(size_, population),
      points_(size_, population),
      best_(start),
      best_value_(std::numeric_limits<double>::infinity()),
      random_(seed) {
  const int parents = population / 2;
  weights_.resize(parents);
  for (int i = 0; i < parents; ++i) {
    weights_[i] = std::log(parents + 0.5) - std::log(i + 1.0);
  }
  weights_ /= weights_.sum();
  mass_ = 1.0 / weights_.squaredNorm();
  const auto n = static_cast<double>(size_);
  c_sigma_ = (mass_ + 2.0) / (n + mass_ + 5.0);
  d_sigma_ = 1.0 + 2.0 * std::max(0.0, std::sqrt((mass_ - 1.0) / (n + 1.0)) - 1.0) + c_sigma_;
  c_c_ = (4.0 + mass_ / n) / (n + 4.0 + 2.0 * mass_ / n);
  c_1_ = 2.0 / ((n + 1.3) * (n + 1.3) + mass_);
  c_mu_ = std::min(1.0 - c_1_, 2.0 * (mass_ - 2.0 + 1.0 / mass_) / ((n + 2.0) * (n + 2.0) + mass_));
  chi_ = std::sqrt(n) * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n));
}

const Eigen::MatrixXd& CmaEs::ask() {
  for (int p = 0; p < population_; ++p) {
    Eigen::VectorXd z(size_);
    for (Eigen::Index i = 0; i < size_; ++i) {
      z[i] = random_.normal();
    }
    steps_.col(p) = axes_ * lengths_.cwiseProduct(z);
    points_.col(p) = (mean_ + sigma_ * steps_.col(p)).unaryExpr(&mirrored);
  }
  return points_;
}

void CmaEs::tell(const std::vector<double>& values) {
  std::vector<int> order(static_cast<std::size_t>(population_));
  std::iota(order.begin(), order.end(), 0);
  const auto value = [&](int p) {
    const double v = values[static_cast<std::size_t>(p)];
    return std::isfinite(v) ? v : std::numeric_limits<double>::max();
  };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return value(a) < value(b); });
  if (value(order.front()) < best_value_) {
    best_value_ = value(order.front());
    best_ = points_.col(order.front());
  }
  adapt(order);
}

void CmaEs::adapt(const std::vector<int>& order) {
  Eigen::VectorXd step = Eigen::VectorXd::Zero(size_);
  Eigen::MatrixXd rank_mu = Eigen::MatrixXd::Zero(size_, size_);
  for (Eigen::Index i = 0; i < weights_.size(); ++i) {
    const auto y = steps_.col(order[static_cast<std::size_t>(i)]);
    step += weights_[i] * y;
    rank_mu += weights_[i] * y * y.transpose();
  }
  mean_ += sigma_ * step;
  ++generation_;
  const Eigen::VectorXd whitened = axes_ * (axes_.transpose() * step).cwiseQuotient(lengths_);
  path_sigma_ =
      (1.0 - c_sigma_) * path_sigma_ + std::sqrt(c_sigma_ * (2.0 - c_sigma_) * mass_) * whitened;
  const auto n = static_cast<double>(size_);
  const double expected =
      std::sqrt(1.0 - std::pow(1.0 - c_sigma_, 2.0 * generation_)) * (1.4 + 2.0 / (n + 1.0)) * chi_;
  const double h = path_sigma_.norm() < expected ? 1.0 : 0.0;
  path_c_ = (1.0 - c_c_) * path_c_ + h * std::sqrt(c_c_ * (2.0 - c_c_) * mass_) * step;
  covariance_ = (1.0 - c_1_ - c_mu_ + (1.0 - h) * c_1_ * c_c_ * (2.0 - c_c_)) * covariance_ +
                c_1_ * path_c_ * path_c_.transpose() + c_mu_ * rank_mu;
  sigma_ *= std::exp(std::min(1.0, c_sigma_ / d_sigma_ * (path_sigma_.norm() / chi_ - 1.0)));
  decompose();
  // The cube is mirrored without end: a greater spread has no meaning.
  sigma_ = std::min(sigma_, 1.0 / lengths_.maxCoeff());
}

void CmaEs::decompose() {
  constexpr double kLeastAxis = 1e-14;  // relative to the greatest
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance_);
  const double greatest = solver.eigenvalues().maxCoeff();
  axes_ = solver.eigenvectors();
  lengths_ = solver.eigenvalues().cwiseMax(kLeastAxis * greatest).cwiseSqrt();
}

Eigen::VectorXd CmaEs::mean() const { return mean_.unaryExpr(&mirrored); }

double CmaEs::spread() const { return sigma_ * lengths_.maxCoeff(); }

}  // namespace servosim
