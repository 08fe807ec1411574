// SPDX-License-Identifier: Apache-2.0
#include "experiments/identification.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "experiments/regression.h"
#include "experiments/zero_phase_filter.h"

namespace servosim {
namespace {

constexpr std::size_t kLeastRows = 40;
constexpr double kMoving = 1e-3;  // share of the greatest speed
// The variation that rounding causes, relative to the squared effort.
constexpr double kConstantEffort = 1e-20;
// Relative to the effort: how exactly a joint follows this equation. ODE's joints are soft, and its
// bodies move along tangents.
constexpr double kExact = 2e-4;
// The error relative to the greatest way of a step, since a hinge turns along an arc.
constexpr double kOneWay = 1e-2;
constexpr double kDifferent = 0.9;      // share of the velocities
constexpr double kTimingCutoff = 0.03;  // a fraction of the row rate
constexpr double kGreatestCutoff = 0.25;
constexpr double kLeastCutoff = 1e-4;

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

// The relation of a row's velocity to its positions: it belongs to a step, or to an instant.
enum class Timing { Steps, Instants };

// One equation for each step from one sample to the next.
struct Equations {
  Eigen::MatrixXd terms;  // factors of the parameters
  Eigen::VectorXd efforts;
  Eigen::VectorXd velocities;
};

constexpr Eigen::Index kFrictionTerm = 2;

void check(const std::vector<JointSample>& samples) {
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const JointSample& sample = samples[i];
    for (const double value : {sample.time, sample.position, sample.velocity, sample.effort}) {
      if (!std::isfinite(value)) {
        throw std::invalid_argument(fmt::format(
            "at {:.6g} s there is a position, velocity or effort missing", sample.time));
      }
    }
    if (i > 0 && !(sample.time > samples[i - 1].time)) {
      throw std::invalid_argument(
          fmt::format("time does not grow from {:.6g} s to the next row", samples[i - 1].time));
    }
  }
  if (samples.size() <= kLeastRows) {
    throw std::invalid_argument(
        fmt::format("there are {} rows, and more than {} are needed", samples.size(), kLeastRows));
  }
}

// `ways` are the parts of the steps' displacements that their velocities do not explain. `lags` are
// the additional displacements that the velocities before the steps would explain.
struct StepErrors {
  Eigen::VectorXd ways;
  Eigen::VectorXd lags;
  double greatest_way = 0.0;
};

StepErrors step_errors(const std::vector<JointSample>& samples) {
  const auto count = static_cast<Eigen::Index>(samples.size()) - 1;
  StepErrors errors{Eigen::VectorXd(count), Eigen::VectorXd(count)};
  for (Eigen::Index i = 0; i < count; ++i) {
    const JointSample& before = samples[static_cast<std::size_t>(i)];
    const JointSample& sample = samples[static_cast<std::size_t>(i) + 1];
    const double h = sample.time - before.time;
    errors.ways[i] = sample.position - before.position - h * sample.velocity;
    errors.lags[i] = h * (before.velocity - sample.velocity);
    errors.greatest_way = std::max(errors.greatest_way, h * std::abs(sample.velocity));
  }
  return errors;
}

// With velocity v after a step and u before it, the displacement is h·((1-a)·v + a·u), where a is 0
// for steps and ½ for instants. High frequencies are noise.
Timing timing_of(const std::vector<JointSample>& samples) {
  const StepErrors errors = step_errors(samples);
  const Eigen::VectorXd ways = zero_phase_filtered(errors.ways, kTimingCutoff);
  const Eigen::VectorXd lags = zero_phase_filtered(errors.lags, kTimingCutoff);
  return ways.dot(lags) < 0.25 * lags.squaredNorm() ? Timing::Steps : Timing::Instants;
}

Equations equations_of(const std::vector<JointSample>& samples, JointType type, bool stiffness,
                       Timing timing) {
  const auto count = static_cast<Eigen::Index>(samples.size()) - 1;
  const auto columns = static_cast<Eigen::Index>(terms_of(type, stiffness).size());
  Equations equations{Eigen::MatrixXd::Ones(count, columns), Eigen::VectorXd(count),
                      Eigen::VectorXd(count)};
  for (Eigen::Index i = 0; i < count; ++i) {
    const JointSample& before = samples[static_cast<std::size_t>(i)];
    const JointSample& sample = samples[static_cast<std::size_t>(i) + 1];
    const double h = sample.time - before.time;
    const bool steps = timing == Timing::Steps;
    const double middle = (before.position + sample.position) / 2.0;
    const double velocity = steps ? sample.velocity : (before.velocity + sample.velocity) / 2.0;
    auto row = equations.terms.row(i);
    row[0] = (sample.velocity - before.velocity) / h;
    row[1] = velocity;
    row[kFrictionTerm] = std::copysign(1.0, velocity);
    if (stiffness) {
      row[3] = steps ? before.position + h * sample.velocity : middle;
    } else if (type == JointType::Rotational) {
      const double place = steps ? before.position : middle;
      row[3] = std::sin(place);
      row[4] = std::cos(place);
    }
    equations.efforts[i] = sample.effort;
    equations.velocities[i] = velocity;
  }
  return equations;
}

// `cutoff` is a fraction of the row rate. Of the filtered rows only those remain that are far
// enough from each other to be independent, and far enough from the ends.
Equations filtered(Equations equations, double cutoff) {
  const auto pass = [cutoff](auto column) {
    column = zero_phase_filtered(Eigen::VectorXd(column), cutoff);
  };
  pass(equations.velocities.col(0));
  equations.terms.col(kFrictionTerm) =
      equations.velocities.unaryExpr([](double velocity) { return std::copysign(1.0, velocity); });
  for (Eigen::Index column = 0; column < equations.terms.cols(); ++column) {
    pass(equations.terms.col(column));
  }
  pass(equations.efforts.col(0));
  const auto margin = static_cast<Eigen::Index>(std::ceil(1.0 / cutoff));
  const auto stride = std::max<Eigen::Index>(1, static_cast<Eigen::Index>(0.5 / cutoff));
  const Eigen::Index count = equations.efforts.size() - 2 * margin;
  std::vector<Eigen::Index> rows;
  for (Eigen::Index i = 0; i < count; i += stride) {
    rows.push_back(margin + i);
  }
  return {equations.terms(rows, Eigen::all), equations.efforts(rows), equations.velocities(rows)};
}

// Leaves out rows in which the joint hardly moves.
Equations moving(const Equations& equations) {
  if (equations.velocities.size() == 0) {
    return equations;
  }
  const double fastest = equations.velocities.cwiseAbs().maxCoeff();
  std::vector<Eigen::Index> rows;
  for (Eigen::Index i = 0; i < equations.velocities.size(); ++i) {
    if (std::abs(equations.velocities[i]) > kMoving * fastest) {
      rows.push_back(i);
    }
  }
  return {equations.terms(rows, Eigen::all), equations.efforts(rows), equations.velocities(rows)};
}

Equations first_half(const Equations& equations) {
  const Eigen::Index half = equations.efforts.size() / 2;
  return {equations.terms.topRows(half), equations.efforts.head(half),
          equations.velocities.head(half)};
}

// Errors may depend on the time, the speed and the acceleration, so rows are grouped by each of
// these.
Regression fit(const Equations& rows) {
  const Eigen::Index count = rows.efforts.size();
  Regression found = regress(rows.terms, rows.efforts,
                             {groups_by(Eigen::VectorXd::LinSpaced(count, 0.0, 1.0)),
                              groups_by(rows.velocities.cwiseAbs()), groups_by(rows.terms.col(0))});
  for (Eigen::Index i = 0; i < found.x.size(); ++i) {
    if (found.known[static_cast<std::size_t>(i)]) {
      found.confidence[i] += kExact * rows.efforts.norm() / rows.terms.col(i).norm();
    }
  }
  return found;
}

struct Fit {
  Equations rows;
  Regression regression;
  double cutoff = 0.0;  // a fraction of the row rate; 0 means no filter
};

Fit fit_filtered(const Equations& equations, double cutoff) {
  Fit result{moving(cutoff > 0.0 ? filtered(equations, cutoff) : equations), {}, cutoff};
  if (result.rows.efforts.size() < static_cast<Eigen::Index>(kLeastRows)) {
    throw std::invalid_argument(fmt::format("the joint moves in {} rows, and {} are needed",
                                            result.rows.efforts.size(), kLeastRows));
  }
  result.regression = fit(first_half(result.rows));
  return result;
}

// Noise of accelerations makes parameters too small, and it grows with the cutoff. The interval
// therefore includes the change that half of the cutoff causes.
void widen_by_noise(Fit& fit, const Equations& equations) {
  const Equations rows = moving(filtered(equations, fit.cutoff / 2.0));
  if (rows.efforts.size() >= static_cast<Eigen::Index>(kLeastRows)) {
    const Equations first = first_half(rows);
    const Regression half = regress(first.terms, first.efforts, {});
    fit.regression.confidence += (half.x - fit.regression.x).cwiseAbs();
  }
}

// Returns the fit with the cutoff that has the narrowest intervals, all measured in units of
// effort.
Fit best_fit(const Equations& equations) {
  const Eigen::RowVectorXd scale = equations.terms.colwise().norm();
  std::optional<Fit> best;
  double narrowest = 0.0;
  for (double cutoff = kGreatestCutoff; cutoff >= kLeastCutoff; cutoff /= 2.0) {
    try {
      Fit next = fit_filtered(equations, cutoff);
      widen_by_noise(next, equations);
      const double width = (scale.transpose().cwiseProduct(next.regression.confidence)).norm();
      const auto& known = next.regression.known;
      const bool as_much = !best || std::count(known.begin(), known.end(), true) >=
                                        std::count(best->regression.known.begin(),
                                                   best->regression.known.end(), true);
      if (!best || (as_much && width < narrowest)) {
        best = std::move(next);
        narrowest = width;
      }
    } catch (const std::invalid_argument&) {  // too few rows are left
      if (!best) {
        throw;
      }
      break;
    }
  }
  return *best;
}

}  // namespace

const IdentifiedParameter* Identification::find(std::string_view name) const {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const auto& parameter) { return parameter.name == name; });
  return found == parameters.end() ? nullptr : &*found;
}

bool is_measured(const std::vector<JointSample>& samples) {
  check(samples);
  const StepErrors errors = step_errors(samples);
  // Distinct velocities among the changing ones; a constant velocity is no sign of rounding.
  std::set<double> different;
  std::size_t changes = 0;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    if (samples[i].velocity != samples[i - 1].velocity) {
      ++changes;
      different.insert(samples[i].velocity);
    }
  }
  const bool leads_on = errors.ways.cwiseAbs().maxCoeff() <= kOneWay * errors.greatest_way;
  return !leads_on ||
         static_cast<double>(different.size()) < kDifferent * static_cast<double>(changes);
}

Identification identify(const std::vector<JointSample>& samples, JointType type,
                        const IdentificationOptions& options) {
  check(samples);
  const std::vector<Term> names = terms_of(type, options.stiffness);
  const Equations equations = equations_of(samples, type, options.stiffness, timing_of(samples));
  const double rate =
      static_cast<double>(samples.size() - 1) / (samples.back().time - samples.front().time);
  if (options.cutoff && !(*options.cutoff >= 0.0 && *options.cutoff <= kGreatestCutoff * rate)) {
    throw std::invalid_argument(fmt::format(
        "a filter of {:.6g} Hz needs more than the {:.6g} rows per second", *options.cutoff, rate));
  }
  const Fit fit = options.cutoff         ? fit_filtered(equations, *options.cutoff / rate)
                  : is_measured(samples) ? best_fit(equations)
                                         : fit_filtered(equations, 0.0);
  const Regression& regression = fit.regression;

  Identification found;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    found.parameters.push_back(
        {names[i].name,
         type == JointType::Rotational ? names[i].rotational_unit : names[i].linear_unit,
         regression.x[column], regression.confidence[column], regression.known[i]});
  }
  const Eigen::Index half = fit.rows.efforts.size() / 2;
  const Eigen::Index rest = fit.rows.efforts.size() - half;
  const Eigen::VectorXd unseen = fit.rows.efforts.tail(rest);
  const double wrong = (unseen - fit.rows.terms.bottomRows(rest) * regression.x).squaredNorm();
  const double variation = (unseen.array() - unseen.mean()).matrix().squaredNorm();
  found.cutoff = fit.cutoff * rate;
  found.fitted = static_cast<std::size_t>(half);
  found.validated = static_cast<std::size_t>(rest);
  found.residual = std::sqrt(wrong / static_cast<double>(rest));
  found.explained =
      variation > kConstantEffort * unseen.squaredNorm() ? 1.0 - wrong / variation : 0.0;
  return found;
}

}  // namespace servosim
