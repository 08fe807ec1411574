// SPDX-License-Identifier: Apache-2.0
#include "fit/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/random.h"
#include "batch/worker_pool.h"
#include "fit/cma_es.h"
#include "fit/fit_intervals.h"
#include "fit/fit_point.h"
#include "fit/position_errors.h"
#include "servo_models/servo_fields.h"

namespace servosim {
namespace {

constexpr int kPopulation = 16;  // a multiple of kBenchModels
constexpr double kFirstSpread = 0.2;
constexpr double kFineSpread = 0.03;  // of a search that goes on from where another has ended
constexpr double kConverged = 1e-5;   // spread of a generation at which a search ends
// A search for the choice of a model also ends when its best value has fallen by less than this
// share within a window of generations, which grows with the number of parameters (Hansen's
// criterion TolFun).
constexpr double kStagnant = 1e-4;
constexpr double kUnsound = 10.0;  // [rad], more than any error
constexpr std::size_t kMostFolds = 4;
constexpr std::size_t kFoldSearches = 2;  // of each fold, at most; the better one counts
// A search prefers numbers near those of the start: of a parameter that the data do not tell, the
// one of the catalogue is the best guess. To move one over its whole range costs this share of the
// error of one log, so that it counts the less, the more logs there are.
constexpr double kPreferStart = 0.01;
// A model has to predict this much better than a simpler one.
constexpr double kClearlyBetter = 0.95;
// The same where it has seen other parts of the same movement, which tell less of a model.
constexpr double kClearlyBetterInParts = 0.8;

// What is fitted and what is kept back.
struct Fold {
  std::vector<LogPart> fitted;
  std::vector<LogPart> kept;
};

struct Folds {
  std::vector<Fold> folds;
  std::string words;
  double better = kClearlyBetter;  // than a simpler model, at most
};

// Returns every second quarter of each log, from the first or the second on.
std::vector<LogPart> quarters(const std::vector<LogPart>& logs, std::size_t first) {
  constexpr std::size_t kQuarters = 4;
  std::vector<LogPart> parts;
  for (const LogPart& log : logs) {
    for (std::size_t q = first; q < kQuarters; q += 2) {
      parts.push_back({log.log, q * log.end / kQuarters, (q + 1) * log.end / kQuarters});
    }
  }
  return parts;
}

// Each group is kept back once.
std::vector<Fold> folds_by(const std::vector<std::vector<LogPart>>& groups) {
  std::vector<Fold> folds;
  for (std::size_t kept = 0; kept < groups.size(); ++kept) {
    Fold fold;
    fold.kept = groups[kept];
    for (std::size_t other = 0; other < groups.size(); ++other) {
      if (other != kept) {
        fold.fitted.insert(fold.fitted.end(), groups[other].begin(), groups[other].end());
      }
    }
    folds.push_back(std::move(fold));
  }
  return folds;
}

// Logs are kept back by their gain if there are several gains, else by turns; of few logs every
// second quarter.
Folds folds_of(const FitRig& rig) {
  const std::vector<LogPart> all = whole_logs(rig);
  std::map<double, std::vector<LogPart>> by_gain;
  for (const LogPart& part : all) {
    const double p = rig.logs()[part.log].settings.p;
    by_gain[std::isnan(p) ? 0.0 : p].push_back(part);
  }
  if (by_gain.size() == 1 && all.size() < kMostFolds) {
    return {folds_by({quarters(all, 0), quarters(all, 1)}), "every second quarter of the logs",
            kClearlyBetterInParts};
  }
  const bool has_gains = by_gain.size() > 1;
  std::vector<std::vector<LogPart>> groups(
      std::min(kMostFolds, has_gains ? by_gain.size() : all.size()));
  std::size_t next = 0;
  for (const auto& [gain, parts] : by_gain) {
    for (const LogPart& part : parts) {
      groups[next % groups.size()].push_back(part);
      next += has_gains ? 0 : 1;
    }
    next += has_gains ? 1 : 0;
  }
  return {folds_by(groups), has_gains ? "the logs of one gain after the other"
                                      : "a quarter of the logs after the other"};
}

double mean_of(const std::vector<double>& values, std::size_t first, std::size_t count) {
  double sum = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += values[first + i];
  }
  return sum / static_cast<double>(count);
}

double mean_error(const FitRig& rig, std::span<const LogPart> parts, const ServoModel& model) {
  return mean_of(mean_errors(rig, parts, {&model, 1}), 0, parts.size());
}

// A model with its parameters, and the searches for it.
struct Candidate {
  std::string friction_model;
  std::vector<std::string> more;
  ServoModel start;
  std::vector<FitParameter> parameters;
  std::vector<FitSearch> searches;  // with all logs
  std::vector<double> kept;         // errors of the folds' kept parts

  const FitSearch& best() const {
    return *std::min_element(
        searches.begin(), searches.end(),
        [](const FitSearch& a, const FitSearch& b) { return a.way.back() < b.way.back(); });
  }
  double validation() const { return mean_of(kept, 0, kept.size()); }
  std::string name() const {
    std::string result = friction_model;
    for (const std::string& key : more) {
      result += " + " + key;
    }
    return result;
  }
};

class FitWork {
 public:
  FitWork(const FitRig& rig, const ServoModel& start, const FitOptions& options)
      : rig_(rig),
        start_(start),
        options_(options),
        folds_(folds_of(rig)),
        pool_(std::max<std::size_t>(1, options.threads)) {}

  Fit run() {
    for (const BenchLog& log : rig_.logs()) {
      if (!moves(*log.log)) {
        throw std::invalid_argument(
            fmt::format("{}: {}", log.log->path,
                        goal_moves(*log.log)
                            ? "its position does not move, although its goal does; is it the right "
                              "column, and was the torque on?"
                            : "nothing moves in it, so it tells nothing of a servo"));
      }
    }
    std::vector<Candidate> candidates;
    const std::set<std::string> models(options_.models.begin(), options_.models.end());
    for (const std::string& model : models) {
      candidates.push_back(candidate(model, {}));
    }
    if (candidates.empty()) {
      throw std::invalid_argument("a fit needs a friction model to try");
    }
    // A later one has to be clearly better, so the simpler ones come first.
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) {
                       return a.parameters.size() < b.parameters.size();
                     });
    std::vector<std::string> optional;
    for (const std::string& key : options_.optional) {
      if (!contains(options_.free, key) && !contains(options_.fixed, key)) {
        optional.push_back(key);
      }
    }
    jobs_expected_ = (candidates.size() + optional.size()) * jobs_of_candidate() + optional.size() +
                     candidates.front().searches.size();
    if (options_.begin) {
      options_.begin();
    }
    search(candidates);
    std::size_t chosen = best_of(candidates);
    if (!optional.empty()) {
      std::vector<Candidate> more;
      for (std::size_t i = 0; i < optional.size(); ++i) {
        more.push_back(candidate(candidates[chosen].friction_model,
                                 {optional.begin(), optional.begin() + static_cast<long>(i) + 1}));
      }
      search(more);
      search_from_contained(candidates[chosen], more);
      for (Candidate& each : more) {
        candidates.push_back(std::move(each));
        if (is_better(candidates.back(), candidates[chosen])) {
          chosen = candidates.size() - 1;
        }
      }
    }
    refine(candidates[chosen]);
    return result(candidates, chosen);
  }

 private:
  static bool contains(const std::vector<std::string>& keys, const std::string& key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  }

  bool is_better(const Candidate& candidate, const Candidate& than) const {
    return candidate.validation() < folds_.better * than.validation();
  }

  std::size_t best_of(const std::vector<Candidate>& candidates) const {
    std::size_t chosen = 0;
    for (std::size_t i = 1; i < candidates.size(); ++i) {
      chosen = is_better(candidates[i], candidates[chosen]) ? i : chosen;
    }
    return chosen;
  }

  std::size_t jobs_of_candidate() const {
    return static_cast<std::size_t>(options_.starts) + folds_.folds.size();
  }

  Candidate candidate(const std::string& friction_model, std::vector<std::string> more) const {
    Candidate result;
    result.friction_model = friction_model;
    result.more = more;
    more.insert(more.begin(), options_.free.begin(), options_.free.end());
    result.start = with_friction_model(start_, friction_model);
    if (!contains(options_.fixed, "friction.load")) {
      result.start.friction.load = options_.load;
    }
    for (const std::string& key : options_.fixed) {
      if (servo_field(key).is_number()) {
        set_number(result.start, key, number_of(start_, key));
      }
    }
    for (FitParameter& parameter : fit_parameters(friction_model, start_, more)) {
      std::erase_if(parameter.keys,
                    [&](const std::string& key) { return contains(options_.fixed, key); });
      if (!parameter.keys.empty()) {
        for (const std::string& key : parameter.keys) {
          set_number(result.start, key, parameter.start);
        }
        result.parameters.push_back(std::move(parameter));
      }
    }
    if (result.parameters.empty()) {
      throw std::invalid_argument("all parameters are fixed; a fit needs one to look for");
    }
    result.searches.resize(static_cast<std::size_t>(options_.starts));
    result.kept.resize(folds_.folds.size());
    return result;
  }

  void search(std::vector<Candidate>& candidates) {
    const std::size_t each = jobs_of_candidate();
    pool_.run(candidates.size() * each, 1, [&](std::size_t first, std::size_t last, std::size_t) {
      for (std::size_t job = first; job < last; ++job) {
        // The largest models come first, so that the threads end together.
        Candidate& candidate = candidates[candidates.size() - 1 - job / each];
        const std::size_t which = job % each;
        if (which < candidate.searches.size()) {
          candidate.searches[which] = search_one(candidate, whole_logs(rig_), which);
        } else {
          const std::size_t f = which - candidate.searches.size();
          candidate.kept[f] = error_of_fold(candidate, folds_.folds[f]);
        }
        report_progress();
      }
    });
  }

  // A richer model is also searched from the optimum of the one that it contains, so that it does
  // not end with a larger error.
  void search_from_contained(const Candidate& simplest, std::vector<Candidate>& richer) {
    const Candidate* contained = &simplest;
    for (Candidate& each : richer) {
      each.searches.push_back(search_from(shares_of(each.parameters, contained->best().model),
                                          kFineSpread, each, whole_logs(rig_),
                                          each.searches.size()));
      contained = &each;
      report_progress();
    }
  }

  double error_of_fold(const Candidate& candidate, const Fold& fold) {
    FitSearch best = search_one(candidate, fold.fitted, 0);
    for (std::size_t i = 1; i < std::min(kFoldSearches, candidate.searches.size()); ++i) {
      FitSearch next = search_one(candidate, fold.fitted, i);
      best = next.way.back() < best.way.back() ? std::move(next) : std::move(best);
    }
    return mean_error(rig_, fold.kept, best.model);
  }

  // The searches of the choice go on.
  void refine(Candidate& choice) {
    pool_.run(choice.searches.size(), 1, [&](std::size_t first, std::size_t last, std::size_t) {
      for (std::size_t i = first; i < last; ++i) {
        FitSearch& search = choice.searches[i];
        const FitSearch more = search_from(shares_of(choice.parameters, search.model), kFineSpread,
                                           choice, whole_logs(rig_), choice.searches.size() + i);
        const double before = search.way.back();
        for (const double value : more.way) {
          search.way.push_back(std::min(value, before));
        }
        search.model = more.way.back() < before ? more.model : search.model;
        report_progress();
      }
    });
  }

  void report_progress() {
    const std::size_t done = ++jobs_done_;
    if (options_.progress) {
      options_.progress(
          std::min(1.0, static_cast<double>(done) / static_cast<double>(jobs_expected_)));
    }
  }

  // The first search starts from the given servo, others from points between it and anywhere.
  Eigen::VectorXd start_of_search(const Candidate& candidate, std::size_t number) const {
    Eigen::VectorXd shares = shares_of(candidate.parameters, candidate.start);
    if (number > 0) {
      Random random(options_.seed + 1000 * number);
      for (double& share : shares) {
        share = 0.5 * share + 0.25 * (random.uniform() + 1.0);
      }
    }
    return shares;
  }

  FitSearch search_one(const Candidate& candidate, const std::vector<LogPart>& parts,
                       std::size_t number) {
    return search_from(start_of_search(candidate, number), kFirstSpread, candidate, parts, number);
  }

  FitSearch search_from(const Eigen::VectorXd& start, double spread, const Candidate& candidate,
                        const std::vector<LogPart>& parts, std::size_t number) {
    CmaEs search(start, spread, kPopulation, options_.seed + number);
    const Eigen::VectorXd preferred = shares_of(candidate.parameters, candidate.start);
    const double preference = kPreferStart / static_cast<double>(parts.size());
    // What a search minimizes, of a model at a point with a mean error.
    const auto cost = [&](double error, const Eigen::VectorXd& point, const ServoModel& model) {
      return error * (1.0 + preference * (point - preferred).squaredNorm()) +
             (is_sound(model) ? 0.0 : kUnsound);
    };
    FitSearch result;
    // No search ends worse than where it starts.
    result.model = model_at(candidate.start, candidate.parameters, start);
    const double first_value = cost(mean_error(rig_, parts, result.model), start, result.model);
    simulations_ += parts.size();
    std::vector<double> values(kPopulation);
    std::array<ServoModel, kBenchModels> models;
    for (int generation = 0; generation < options_.generations; ++generation) {
      const Eigen::MatrixXd& points = search.ask();
      for (std::size_t first = 0; first < kPopulation; first += kBenchModels) {
        for (std::size_t m = 0; m < kBenchModels; ++m) {
          models[m] = model_at(candidate.start, candidate.parameters,
                               points.col(static_cast<Eigen::Index>(first + m)));
        }
        const std::vector<double> errors = mean_errors(rig_, parts, models);
        for (std::size_t m = 0; m < kBenchModels; ++m) {
          values[first + m] = cost(mean_of(errors, m * parts.size(), parts.size()),
                                   points.col(static_cast<Eigen::Index>(first + m)), models[m]);
        }
      }
      simulations_ += parts.size() * kPopulation;
      search.tell(values);
      result.way.push_back(std::isfinite(first_value) ? std::min(first_value, search.best_value())
                                                      : search.best_value());
      const std::size_t window =
          10 + 30 * candidate.parameters.size() / static_cast<std::size_t>(kPopulation);
      const bool is_stagnant =
          spread >= kFirstSpread && result.way.size() > window &&
          result.way.back() > (1.0 - kStagnant) * result.way[result.way.size() - 1 - window];
      if (search.spread() < kConverged || is_stagnant) {
        break;
      }
    }
    if (!(first_value <= search.best_value())) {
      result.model = model_at(candidate.start, candidate.parameters, search.best());
    }
    return result;
  }

  Fit result(const std::vector<Candidate>& candidates, std::size_t chosen) {
    Fit fit;
    const Candidate& choice = candidates[chosen];
    fit.start = choice.start;
    fit.choice = choice.name();
    fit.model = choice.best().model;
    fit.searches = choice.searches;
    fit.validation = folds_.words;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      fit.candidates.push_back({candidates[i].name(), candidates[i].parameters.size(),
                                mean_error(rig_, whole_logs(rig_), candidates[i].best().model),
                                candidates[i].validation(), i == chosen});
    }
    find_intervals(rig_, choice.parameters, choice.searches, fit);
    fit.simulations = simulations_;
    return fit;
  }

  const FitRig& rig_;
  const ServoModel& start_;
  const FitOptions& options_;
  Folds folds_;
  WorkerPool pool_;
  std::atomic<std::size_t> jobs_done_ = 0;
  std::size_t jobs_expected_ = 1;
  std::atomic<std::uint64_t> simulations_ = 0;
};

}  // namespace

Fit fit_servo(const FitRig& rig, const ServoModel& start, const FitOptions& options) {
  return FitWork(rig, start, options).run();
}

}  // namespace servosim
