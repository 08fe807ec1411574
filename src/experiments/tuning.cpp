// SPDX-License-Identifier: Apache-2.0
#include "experiments/tuning.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <nlopt.hpp>
#include <utility>

namespace servosim {
namespace {

constexpr double kEnough = 0.95;  // share of what the specification allows, with room for rounding
// Differences of I, D and the logarithm of P at which the search ends.
constexpr double kSameGain = 1e-3;
constexpr double kWatched = 3.0;   // duration of a simulation in settling times
constexpr int kSimulations = 400;  // for each structure and load
constexpr double kLeastGain = 1e-3;
constexpr double kNoAnswer = 1e6;  // rating of a joint that does not respond

// The gains that a search may change. The first one, P, is searched on a logarithmic scale.
struct Structure {
  bool integral;
  bool derivative;
};
constexpr std::array<Structure, 4> kStructures{
    {{false, false}, {false, true}, {true, false}, {true, true}}};

// Returns the root mean square effort [N·m|N]. Its square is proportional to the heat in the motor.
double effort_of(const StepTest& test) {
  double sum = 0.0;
  for (const StepTest::Row& row : test.rows) {
    sum += row.joint.effort * row.joint.effort;
  }
  return std::sqrt(sum / static_cast<double>(test.rows.size()));
}

// The result of gains: the worst rating and the worst effort over all loads.
struct Score {
  double rating = 1e300;
  double effort = 0.0;

  bool is_enough() const { return rating <= kEnough; }
  bool operator<(const Score& other) const {
    return is_enough() && other.is_enough() ? effort < other.effort : rating < other.rating;
  }
};

class Search {
 public:
  Search(std::vector<JointTest>& loads, const StepSpecification& specification)
      : loads_(loads), specification_(specification) {}

  // Returns whether these gains meet the specification.
  bool try_gains(const PidGains& gains) {
    best_ = gains;
    best_score_ = score(gains);
    reference_effort_ = std::max(best_score_.effort, 1e-300);
    return best_score_.rating <= 1.0;
  }

  // Returns whether the specification is met.
  bool run(const Structure& structure) {
    structure_ = structure;
    best_of_run_ = 1e300;
    const double h = loads_.front().time_step();
    // With P·h = 1 the joint reaches the target in one step, and D = 1 halves the speed; both are
    // too much.
    std::vector<double> start{std::log(std::min(4.0 / specification_.settling_time, 0.5 / h))};
    std::vector<double> low{std::log(kLeastGain)};
    std::vector<double> high{std::log(1.5 / h)};
    if (structure.integral) {
      start.push_back(0.1 * std::exp(start.front()));
      low.push_back(0.0);
      high.push_back(std::exp(start.front()) / specification_.settling_time * 4.0);
    }
    if (structure.derivative) {
      start.push_back(0.05);
      low.push_back(0.0);
      high.push_back(0.9);
    }
    for (std::size_t i = 0; i < start.size(); ++i) {
      start[i] = std::clamp(start[i], low[i], high[i]);
    }
    nlopt::opt search(nlopt::LN_SBPLX, static_cast<unsigned>(start.size()));
    search.set_lower_bounds(low);
    search.set_upper_bounds(high);
    search.set_min_objective(&Search::rate, this);
    search.set_maxeval(kSimulations);
    search.set_ftol_abs(1e-4);
    search.set_xtol_abs(kSameGain);
    double least = 0.0;
    try {
      search.optimize(start, least);
    } catch (const nlopt::roundoff_limited&) {  // best_ has the best gains so far
    } catch (const nlopt::forced_stop&) {
      std::rethrow_exception(failure_);
    }
    return best_of_run_ <= 1.0;
  }

  Tuning result() {
    Tuning tuning{best_, best_score_.rating <= 1.0, false, {}, simulations_};
    for (JointTest& load : loads_) {
      tuning.answers.push_back(answer(load, best_));
    }
    return tuning;
  }

 private:
  static double rate(const std::vector<double>& x, std::vector<double>&, void* self) {
    auto& search = *static_cast<Search*>(self);
    try {
      return search.rate(x);
    } catch (...) {  // NLopt would replace the exception
      search.failure_ = std::current_exception();
      throw nlopt::forced_stop();
    }
  }

  double rate(const std::vector<double>& x) {
    PidGains gains{std::exp(x[0]), 0.0, 0.0};
    std::size_t next = 1;
    if (structure_.integral) {
      gains.i = x[next++];
    }
    if (structure_.derivative) {
      gains.d = x[next];
    }
    const Score now = score(gains);
    best_of_run_ = std::min(best_of_run_, now.rating);
    if (now < best_score_) {
      best_score_ = now;
      best_ = gains;
    }
    // Gains that are good enough are rated below 1, by their effort; all others are rated above 1.
    return now.is_enough() ? now.effort / (now.effort + reference_effort_)
                           : 1.0 + now.rating - kEnough;
  }

  Score score(const PidGains& gains) {
    Score worst{0.0, 0.0};
    for (JointTest& load : loads_) {
      try {
        const StepTest test = answer(load, gains);
        worst.rating = std::max(worst.rating, specification_.rating(test));
        worst.effort = std::max(worst.effort, effort_of(test));
      } catch (const StepFailed&) {
        worst.rating = kNoAnswer;
      }
    }
    return worst;
  }

  StepTest answer(JointTest& load, const PidGains& gains) {
    ++simulations_;
    load.restart();
    load.motor().set_control_pid(gains);
    return step_test_from_here(load, specification_.change,
                               kWatched * specification_.settling_time);
  }

  std::vector<JointTest>& loads_;
  const StepSpecification& specification_;
  Structure structure_{};
  PidGains best_;
  Score best_score_;
  double reference_effort_ = 1.0;  // effort of the gains that the motor has at first
  double best_of_run_ = 1e300;
  int simulations_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

double StepSpecification::rating(const StepTest& test) const {
  if (!test.marks) {
    return kNoAnswer;
  }
  const StepMarks& marks = *test.marks;
  const double overshoot_rating = marks.overshoot() / std::max(overshoot, 1e-6);
  if (marks.settled) {
    return std::max(marks.settling_time() / settling_time, overshoot_rating);
  }
  // This is worse than every response that settles, and decreases as the joint gets closer to the
  // target, so that the search has a slope to follow.
  const double away = std::abs(test.steady_error / change);
  return kWatched + std::max(overshoot_rating, 10.0 * away);
}

Tuning tune(std::vector<JointTest>& loads, const StepSpecification& specification) {
  Search search(loads, specification);
  if (search.try_gains(loads.front().motor().targets().gains)) {
    Tuning kept = search.result();
    kept.kept = true;
    return kept;
  }
  for (const Structure& structure : kStructures) {
    if (search.run(structure)) {
      break;
    }
  }
  return search.result();
}

}  // namespace servosim
