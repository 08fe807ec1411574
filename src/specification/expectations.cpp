// SPDX-License-Identifier: Apache-2.0
#include "specification/expectations.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "base/files.h"
#include "base/printable.h"
#include "base/text.h"
#include "comparison/row_source.h"
#include "comparison/tilt.h"
#include "motor_laws/step_response.h"
#include "recording/recording_reader.h"
#include "run/launch_plan.h"

namespace servosim {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kNoBound = -std::numeric_limits<double>::infinity();
constexpr const char* kNoStep = "no step is in this window";
constexpr double kLastPart = 0.1;  // share of the window over which a steady state is averaged

[[noreturn]] void refuse(const Expectation& expectation, const std::string& reason) {
  throw InputError(fmt::format("{}: {}", expectation.place, reason));
}

std::string range_text(const Expectation& e, std::string_view unit) {
  return std::isinf(e.low)    ? fmt::format("at most {:.6g} {}", e.high, unit)
         : std::isinf(e.high) ? fmt::format("at least {:.6g} {}", e.low, unit)
                              : fmt::format("{:.6g} to {:.6g} {}", e.low, e.high, unit);
}

// An item of a trace, and the index of its first column in a row.
struct Located {
  const TraceItem* item;
  std::size_t first;
};

class Columns {
 public:
  explicit Columns(const std::vector<TraceItem>& items) : items_(items) {}

  // Finds an item by `robot/joint`, or by the part after the slash if only one item has it.
  Located find(const Expectation& e, TraceKind kind, const std::string& suffix) const {
    std::optional<Located> found;
    std::vector<std::string> names;
    std::size_t first = 1;
    int count = 0;
    for (const TraceItem& item : items_) {
      const bool fits =
          item.kind == kind || (kind == TraceKind::Body && item.kind == TraceKind::Robot);
      if (fits) {
        const std::string name = item.name.substr(0, item.name.size() - suffix.size());
        names.push_back(name);
        if (name == e.name) {
          return {&item, first};
        }
        if (name.substr(name.find('/') + 1) == e.name) {
          found = Located{&item, first};
          ++count;
        }
      }
      first += item.columns.size();
    }
    if (count != 1) {
      refuse(e, fmt::format("{} is called \"{}\"{}",
                            count == 0 ? (kind == TraceKind::Joint ? "no joint" : "no body")
                                       : "more than one",
                            printable(e.name), nearest_names(e.name, names)));
    }
    return *found;
  }

  static std::size_t column(const Expectation& e, const Located& at, std::string_view quantity) {
    for (std::size_t c = 0; c < at.item->columns.size(); ++c) {
      if (at.item->columns[c].quantity == quantity) {
        return at.first + c;
      }
    }
    refuse(e, fmt::format("{} has no {}, since no motor drives it", at.item->name, quantity));
  }

 private:
  const std::vector<TraceItem>& items_;
};

// Follows the rows for one expectation.
class Judge {
 public:
  explicit Judge(const Expectation& expectation) : expected_(expectation) {}
  Judge(const Judge&) = delete;
  Judge& operator=(const Judge&) = delete;
  virtual ~Judge() = default;

  void take(double time, const std::vector<double>& row) {
    if (time >= expected_.from && time <= expected_.to + 1e-9) {
      begin_ = std::isnan(begin_) ? time : begin_;
      end_ = time;
      add(time, row);
    }
  }
  virtual Verdict verdict() const = 0;

 protected:
  virtual void add(double time, const std::vector<double>& row) = 0;

  // Returns bounds for a figure: `low` and `high`, unless they are infinite, between two times.
  static FigureBound levels(std::string_view quantity, double low, double high, double from,
                            double to) {
    FigureBound bound{std::string(quantity), {}};
    for (const double level : {low, high}) {
      if (std::isfinite(level)) {
        bound.points.insert(bound.points.end(), {{from, level}, {to, level}, {to, kNone}});
      }
    }
    return bound;
  }

  const Expectation& expected_;
  double begin_ = kNone;  // time of the first row in the window
  double end_ = kNone;
};

class StepJudge : public Judge {
 public:
  StepJudge(const Expectation& e, const Columns& columns)
      : Judge(e),
        at_(columns.find(e, TraceKind::Joint, "")),
        position_(Columns::column(e, at_, "position")),
        target_(std::isnan(e.target) ? Columns::column(e, at_, "target") : 0),
        unit_(at_.item->columns[position_ - at_.first].unit),
        response_(e.from == 0.0 && std::isnan(e.target), e.band) {}

  Verdict verdict() const override {
    const bool is_error = expected_.kind == Expected::SteadyStateError;
    const bool is_part = expected_.kind == Expected::Overshoot;
    Verdict verdict{expected_.title(),
                    is_part
                        ? fmt::format("at most {:.4g} %", 100.0 * expected_.high)
                        : fmt::format("at most {:.6g} {}", expected_.high, is_error ? unit_ : "s"),
                    "",
                    at_.item->name,
                    true,
                    false};
    const auto& marks = response_.marks();
    if (!marks && !is_error) {
      verdict.came = "its target makes no step";
      return verdict;
    }
    const double value = measured(marks);
    verdict.measured = {value, kNoBound, expected_.high, is_part ? "1" : is_error ? unit_ : "s"};
    verdict.held = value <= expected_.high;
    if (std::isnan(value)) {
      verdict.came = is_error ? "it has no target at the end" : "it does not come there";
    } else if (is_part) {
      verdict.came = fmt::format("{:.4g} %", 100.0 * value);
      if (marks->peak) {
        verdict.came += fmt::format(" at {:.6g} s", marks->peak->time);
      }
    } else {
      verdict.came = fmt::format("{:.6g} {}", value, is_error ? unit_ : "s");
    }
    verdict.bounds = bounds();
    if (marks) {
      verdict.came +=
          fmt::format(", step to {:.4g} {} at {:.6g} s", marks->to, unit_, marks->begin);
    }
    return verdict;
  }

 private:
  void add(double time, const std::vector<double>& row) override {
    const double target = target_ > 0 ? row[target_] : expected_.target;
    last_target_ = target;
    // A target that the specification sets steps at the first row.
    response_.add(time, row[position_], target_ > 0 || started_ ? target : row[position_]);
    started_ = true;
    if (expected_.kind == Expected::SteadyStateError) {
      errors_.emplace_back(time, row[position_] - target);
    }
  }

  double measured(const std::optional<StepMarks>& marks) const {
    switch (expected_.kind) {
      case Expected::SettlingTime:
        return marks->settling_time();
      case Expected::Overshoot:
        return marks->overshoot();
      case Expected::RiseTime:
        return marks->rise_time();
      default:
        return steady_state_error();
    }
  }

  // Returns one level for an overshoot, two levels for a steady state, and a vertical line for a
  // time; a settling time also has the band after it.
  std::vector<FigureBound> bounds() const {
    const double high = expected_.high;
    if (expected_.kind == Expected::SteadyStateError) {
      return {levels("position", last_target_ - high, last_target_ + high,
                     end_ - kLastPart * (end_ - begin_), end_)};
    }
    const StepMarks& marks = *response_.marks();
    const double way = marks.to - marks.from;
    if (expected_.kind == Expected::Overshoot) {
      const double level = marks.to + high * way;
      return {levels("position", level, kNone, marks.begin, end_)};
    }
    const bool settles = expected_.kind == Expected::SettlingTime;
    const double start = settles || !marks.at_10 ? marks.begin : marks.at_10->time;
    const FigureBound moment{"position", {{start + high, marks.from}, {start + high, marks.to}}};
    if (!settles) {
      return {moment};
    }
    const double band = expected_.band * way;
    return {moment, levels("position", marks.to - band, marks.to + band, start + high,
                           std::max(end_, start + high))};
  }

  // Returns the mean over the last part of the window.
  double steady_state_error() const {
    double sum = 0.0;
    std::size_t count = 0;
    if (!errors_.empty()) {
      const double end = errors_.back().first;
      const double begin = end - kLastPart * (end - errors_.front().first);
      for (const auto& [time, error] : errors_) {
        if (time >= begin) {
          sum += error;
          ++count;
        }
      }
    }
    return count > 0 ? std::abs(sum / static_cast<double>(count)) : kNone;
  }

  Located at_;
  std::size_t position_;
  std::size_t target_;  // 0 means that the specification sets it
  bool started_ = false;
  double last_target_ = kNone;
  std::string unit_;
  StepResponse response_;
  std::vector<std::pair<double, double>> errors_;  // time, position - target
};

class RangeJudge : public Judge {
 public:
  RangeJudge(const Expectation& e, const Columns& columns)
      : Judge(e), at_(columns.find(e, TraceKind::Joint, "")) {
    quantity_ = e.kind == Expected::Velocity ? "velocity"
                : e.kind == Expected::Effort ? "effort"
                                             : "position";
    column_ = Columns::column(e, at_, quantity_);
    unit_ = at_.item->columns[column_ - at_.first].unit;
  }

  Verdict verdict() const override {
    Verdict verdict{
        expected_.title(), range_text(expected_, unit_), "", at_.item->name, false, false};
    if (rows_ == 0) {
      verdict.came = kNoStep;
      return verdict;
    }
    const bool is_final = expected_.kind == Expected::Final;
    // A bound that is satisfied and far away would flatten the curve, so it is left out.
    const double size = greatest_ - least_;
    verdict.bounds = {levels(quantity_, least_ - size <= expected_.low ? expected_.low : kNone,
                             greatest_ + size >= expected_.high ? expected_.high : kNone,
                             is_final ? end_ - kLastPart * (end_ - begin_) : begin_, end_)};
    if (is_final) {
      verdict.held = last_ >= expected_.low && last_ <= expected_.high;
      verdict.measured = {last_, expected_.low, expected_.high, unit_};
      verdict.came = fmt::format("{:.6g} {} at {:.6g} s", last_, unit_, last_time_);
      return verdict;
    }
    verdict.held = std::isnan(first_bad_);
    const bool high_is_nearer = greatest_ - expected_.high > expected_.low - least_;
    verdict.measured = {!verdict.held    ? worst_
                        : high_is_nearer ? greatest_
                                         : least_,
                        expected_.low, expected_.high, unit_};
    // Adding 0.0 removes the sign of a negative zero.
    verdict.came = fmt::format("{:.6g} to {:.6g} {}", least_ + 0.0, greatest_ + 0.0, unit_);
    if (!verdict.held) {
      verdict.came += fmt::format("; outside from {:.6g} s on, farthest with {:.6g} {} at {:.6g} s",
                                  first_bad_, worst_, unit_, worst_time_);
    }
    return verdict;
  }

 private:
  void add(double time, const std::vector<double>& row) override {
    const double value = row[column_];
    ++rows_;
    last_ = value;
    last_time_ = time;
    least_ = std::fmin(least_, value);
    greatest_ = std::fmax(greatest_, value);
    // A missing value is outside of every range.
    const double beyond = std::isnan(value)
                              ? std::numeric_limits<double>::infinity()
                              : std::max(expected_.low - value, value - expected_.high);
    if (beyond > 0.0) {
      first_bad_ = std::isnan(first_bad_) ? time : first_bad_;
      if (beyond > farthest_) {
        farthest_ = beyond;
        worst_ = value;
        worst_time_ = time;
      }
    }
  }

  Located at_;
  std::string_view quantity_;
  std::size_t column_ = 0;
  std::string unit_;
  std::size_t rows_ = 0;
  double last_ = kNone;
  double last_time_ = 0.0;
  double least_ = kNone;
  double greatest_ = kNone;
  double first_bad_ = kNone;
  double farthest_ = 0.0;
  double worst_ = kNone;
  double worst_time_ = 0.0;
};

// Judges the angle between the direction that was up at the first row and the one that is up now.
class UprightJudge : public Judge {
 public:
  UprightJudge(const Expectation& e, const Columns& columns)
      : Judge(e), at_(columns.find(e, TraceKind::Body, ".pose")) {
    first_ = Columns::column(e, at_, "qx");
  }

  Verdict verdict() const override {
    Verdict verdict{expected_.title(),
                    fmt::format("tilt at most {:.6g} rad", expected_.high),
                    "",
                    at_.item->name,
                    false,
                    any_row_ && std::isnan(first_bad_)};
    if (!any_row_) {
      verdict.came = kNoStep;
      return verdict;
    }
    verdict.bounds = {levels("tilt", kNone, expected_.high, begin_, end_)};
    verdict.measured = {most_, kNoBound, expected_.high, "rad"};
    verdict.came =
        std::isnan(most_) ? "no pose" : fmt::format("{:.6g} rad at {:.6g} s", most_, time_);
    if (!verdict.held) {
      verdict.came +=
          fmt::format("; {} from {:.6g} s on", is_gone_ ? "it is gone" : "too far", first_bad_);
    }
    return verdict;
  }

 private:
  void add(double time, const std::vector<double>& row) override {
    const double x = row[first_], y = row[first_ + 1], z = row[first_ + 2], w = row[first_ + 3];
    const double tilt = tilt_.next(x, y, z, w);
    any_row_ = true;
    if (tilt > most_ || (std::isnan(most_) && !std::isnan(tilt))) {
      most_ = tilt;
      time_ = time;
    }
    // A body that no longer exists is not upright.
    if (!(tilt <= expected_.high) && std::isnan(first_bad_)) {
      first_bad_ = time;
      is_gone_ = std::isnan(tilt);
    }
  }

  Located at_;
  std::size_t first_ = 0;
  Tilt tilt_;
  bool any_row_ = false;
  bool is_gone_ = false;  // whether the body was gone at first_bad_
  double most_ = kNone;
  double time_ = 0.0;
  double first_bad_ = kNone;
};

// Returns, for each scene, the bodies that a name means: a body, or all bodies of a robot. At least
// one scene must have such a body.
std::vector<std::set<std::size_t>> bodies_called(const Recording& recording, const Expectation& e,
                                                 const std::string& name) {
  std::vector<std::set<std::size_t>> found;
  std::vector<std::string> names;
  bool any = false;
  for (const RecordedScene& scene : recording.scenes) {
    std::set<std::size_t>& here = found.emplace_back();
    for (std::size_t number = 0; number < scene.bodies.size(); ++number) {
      names.push_back(scene.bodies[number].name);
      if (names.back() == name || names.back().starts_with(name + '/')) {
        here.insert(number);
        any = true;
      }
    }
  }
  if (!any) {
    refuse(e,
           fmt::format("no body is called \"{}\"{}", printable(name), nearest_names(name, names)));
  }
  return found;
}

Verdict contact_verdict(const Expectation& e, const Recording& recording) {
  Verdict verdict{e.title(), "none", "none", "", false, true};
  const auto first = bodies_called(recording, e, e.name);
  const auto second = bodies_called(recording, e, e.other);
  std::size_t steps = 0;
  for (const RecordedFrame& frame : recording.frames) {
    if (frame.time < e.from || frame.time > e.to + 1e-9) {
      continue;
    }
    steps += frame.time > 0.0 ? 1 : 0;  // the first frame shows the start, not a step
    const std::set<std::size_t>& a = first[frame.scene];
    const std::set<std::size_t>& b = second[frame.scene];
    for (const RecordedContact& contact : frame.contacts) {
      if ((a.contains(contact.body) && b.contains(contact.other_body)) ||
          (b.contains(contact.body) && a.contains(contact.other_body))) {
        verdict.held = false;
        verdict.came = fmt::format("they touch at {:.6g} s, at {:.4g} {:.4g} {:.4g} m", frame.time,
                                   contact.point[0], contact.point[1], contact.point[2]);
        return verdict;
      }
    }
  }
  if (steps == 0) {
    verdict.held = false;
    verdict.came = kNoStep;
  }
  return verdict;
}

Verdict golden_verdict(const Expectation& e, const std::string& trace) {
  const auto golden = open_rows(e.name);
  const auto now = open_rows(trace);
  const RowComparison comparison = compare_rows(*golden, *now, e.tolerance);
  Verdict verdict{e.title(),
                  fmt::format("the same within rtol {:g}, atol {:g}", e.tolerance.relative,
                              e.tolerance.absolute),
                  fmt::format("the same in {} columns and {} rows", comparison.columns.size(),
                              comparison.rows_b),
                  "",
                  false,
                  true};
  if (const ColumnComparison* const parting = comparison.parting()) {
    verdict.held = false;
    verdict.came = fmt::format("{} is {} instead of {} {}, and {:.3g} apart {}", parting->name,
                               value_text(parting->first->b), value_text(parting->first->a),
                               time_text(*parting->first), parting->largest->distance(),
                               time_text(*parting->largest));
    verdict.golden = e.name.ends_with(".svt") ? "" : e.name;  // a recording has no curves
    for (const TraceItem& item : now->items()) {
      if (parting->name.starts_with(item.name + ' ')) {
        verdict.item = item.name;
      }
    }
  } else if (!comparison.only_a.empty()) {
    verdict.held = false;
    verdict.came = "the run has no " + comparison.only_a.front();
  } else if (comparison.rows_a != comparison.rows_b) {
    verdict.held = false;
    verdict.came = fmt::format("the run ends at {:.6g} s, the trace at {:.6g} s", comparison.end_b,
                               comparison.end_a);
  }
  return verdict;
}

Verdict exit_verdict(const Expectation& e, const nlohmann::ordered_json& run) {
  const int status = static_cast<int>(e.high);
  Verdict verdict{e.title(), fmt::format("status {}", status), "", "", false, false};
  std::vector<std::string> names;
  for (const auto& robot : run.at("robots")) {
    names.push_back(robot.value("name", ""));
    if (names.back() != e.name) {
      continue;
    }
    if (robot.at("controllers").empty()) {
      verdict.came = "it has no controller";
      return verdict;
    }
    const auto& last = robot.at("controllers").back();
    verdict.came = last.value("end", "");
    verdict.held = status == 0 ? !last.value("failed", true) : verdict.came == exit_text(e);
    return verdict;
  }
  refuse(e, fmt::format("no robot is called \"{}\"{}", printable(e.name),
                        nearest_names(e.name, names)));
}

std::unique_ptr<Judge> judge_of(const Expectation& e, const Columns& columns) {
  switch (e.kind) {
    case Expected::SettlingTime:
    case Expected::Overshoot:
    case Expected::RiseTime:
    case Expected::SteadyStateError:
      return std::make_unique<StepJudge>(e, columns);
    case Expected::Position:
    case Expected::Velocity:
    case Expected::Effort:
    case Expected::Final:
      return std::make_unique<RangeJudge>(e, columns);
    case Expected::Upright:
      return std::make_unique<UprightJudge>(e, columns);
    default:
      return nullptr;
  }
}

bool has_poses(const std::string& trace) {
  const auto rows = open_rows(trace);
  return std::any_of(rows->items().begin(), rows->items().end(), [](const TraceItem& item) {
    return item.kind == TraceKind::Robot || item.kind == TraceKind::Body;
  });
}

bool any_of_kind(const Specification& specification, Expected kind) {
  return std::any_of(specification.expectations.begin(), specification.expectations.end(),
                     [kind](const Expectation& e) { return e.kind == kind; });
}

}  // namespace

std::string failure_text(const Verdict& verdict) {
  return fmt::format("expected {}; came {}", verdict.expected, verdict.came);
}

bool needs_poses(const Specification& specification) {
  return std::any_of(specification.expectations.begin(), specification.expectations.end(),
                     [](const Expectation& e) {
                       return e.kind == Expected::Upright ||
                              (e.kind == Expected::Golden && has_poses(e.name));
                     });
}

std::string exit_text(const Expectation& expectation) {
  return fmt::format("exited with status {:.0f}", expectation.high);
}

bool needs_contacts(const Specification& specification) {
  return any_of_kind(specification, Expected::NoContact);
}

std::vector<Verdict> judge(const Specification& specification, const RunFiles& files,
                           const nlohmann::ordered_json& run) {
  const auto rows = open_rows(files.trace);
  const Columns columns(rows->items());
  std::vector<std::unique_ptr<Judge>> judges;
  for (const Expectation& e : specification.expectations) {
    judges.push_back(judge_of(e, columns));
  }
  double begin = 0.0;  // begin of the episode
  double now = 0.0;
  std::vector<double> row;
  for (int episode = 1; rows->next(row);) {
    if (std::exchange(episode, rows->episode()) != rows->episode()) {
      begin = now;
    }
    now = begin + row.front();
    for (const auto& each : judges) {
      if (each != nullptr) {
        each->take(now, row);
      }
    }
  }
  std::optional<Recording> recording;
  if (needs_contacts(specification)) {
    const auto bytes = read_file(files.recording);
    if (const auto* error = std::get_if<FileError>(&bytes)) {
      throw InputError(fmt::format("{}: {}", files.recording, error->reason));
    }
    try {
      recording = read_recording(std::get<std::string>(bytes));
    } catch (const RecordingError& error) {
      throw InputError(fmt::format("{}: {}", files.recording, error.what()));
    }
  }
  std::vector<Verdict> verdicts;
  for (std::size_t i = 0; i < judges.size(); ++i) {
    const Expectation& e = specification.expectations[i];
    const auto start = std::chrono::steady_clock::now();
    verdicts.push_back(judges[i] != nullptr            ? judges[i]->verdict()
                       : e.kind == Expected::NoContact ? contact_verdict(e, *recording)
                       : e.kind == Expected::Golden    ? golden_verdict(e, files.trace)
                                                       : exit_verdict(e, run));
    verdicts.back().place = e.place;
    verdicts.back().seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  return verdicts;
}

}  // namespace servosim
