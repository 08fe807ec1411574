// SPDX-License-Identifier: Apache-2.0
#include "specification/specification.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string_view>
#include <variant>

#include "base/files.h"
#include "base/printable.h"
#include "base/text.h"
#include "base/toml_reading.h"
#include "run/controller_finder.h"
#include "run/launch_plan.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;
using std::string_view_literals::operator""sv;

constexpr std::array kTopKeys{"world"sv,         "duration"sv,   "steps"sv,      "seed"sv,
                              "controller"sv,    "proto_path"sv, "servo_path"sv, "assets"sv,
                              "allow_missing"sv, "solver"sv,     "integrator"sv, "evaluations"sv,
                              "accuracy"sv,      "warnings"sv,   "exit"sv,       "parameters"sv,
                              "expect"sv};

struct StepKey {
  std::string_view key;
  Expected kind;
};
constexpr std::array kLimits{StepKey{"settling_time", Expected::SettlingTime},
                             StepKey{"overshoot", Expected::Overshoot},
                             StepKey{"rise_time", Expected::RiseTime},
                             StepKey{"steady_state_error", Expected::SteadyStateError}};
constexpr std::array kBounds{StepKey{"position", Expected::Position},
                             StepKey{"velocity", Expected::Velocity},
                             StepKey{"effort", Expected::Effort}};

constexpr std::array kJointKeys{
    "joint"sv, "settling_time"sv, "overshoot"sv, "rise_time"sv, "steady_state_error"sv,
    "band"sv,  "target"sv,        "position"sv,  "velocity"sv,  "effort"sv,
    "final"sv, "tolerance"sv,     "from"sv,      "to"sv};
constexpr std::array kUprightKeys{"upright"sv, "tilt"sv, "from"sv, "to"sv};
constexpr std::array kContactKeys{"no_contact"sv, "from"sv, "to"sv};
constexpr std::array kGoldenKeys{"golden"sv, "rtol"sv, "atol"sv};
constexpr std::array kExitKeys{"controller"sv, "exit"sv};

struct Subject {
  std::string_view key;
  std::span<const std::string_view> keys;
};
const std::array kSubjects{Subject{"joint", kJointKeys}, Subject{"upright", kUprightKeys},
                           Subject{"no_contact", kContactKeys}, Subject{"golden", kGoldenKeys},
                           Subject{"controller", kExitKeys}};

class SpecificationReader : private TomlReading {
 public:
  explicit SpecificationReader(const std::string& path) : TomlReading(path) {
    specification_.path = path;
  }

  Specification read() {
    const auto text = read_file(specification_.path);
    if (const auto* error = std::get_if<FileError>(&text)) {
      throw InputError(fmt::format("{} {}{}", printable(specification_.path), error->reason,
                                   did_you_mean_file(specification_.path)));
    }
    try {
      read_top(parse(std::get<std::string>(text)));
    } catch (const TomlError& error) {
      throw InputError(error.what());
    }
    return std::move(specification_);
  }

 private:
  std::string place(const toml::source_position& at) const {
    return fmt::format("{}:{}:{}", specification_.path, at.line, at.column);
  }

  // Reads a share: a number up to 1, or a percentage in quotes.
  double share(const toml::node& node, double least) const {
    if (const auto text = node.value_exact<std::string>()) {
      char* end = nullptr;
      const double percent = std::strtod(text->c_str(), &end);
      std::string_view rest(end);
      rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
      if (end == text->c_str() || rest != "%" || !std::isfinite(percent) ||
          percent / 100.0 < least) {
        refuse(node, "expected a number, or a percentage such as \"5 %\"");
      }
      return percent / 100.0;
    }
    const double value = number(node, least);
    if (value > 1.0) {
      refuse(node,
             fmt::format("{0:g} is {1:g} %; write \"{0:g} %\", or \"{1:g} %\" if that is meant",
                         value, 100.0 * value));
    }
    return value;
  }

  std::int64_t whole(const toml::node& node) const {
    if (const auto value = node.value_exact<std::int64_t>(); value && *value >= 0) {
      return *value;
    }
    refuse(node, "expected a whole number >= 0");
  }

  int exit_status(const toml::node& node) const {
    const auto value = node.value_exact<std::int64_t>();
    if (!value || *value < 0 || *value > 255) {
      refuse(node, "expected an exit status, a whole number from 0 to 255");
    }
    return static_cast<int>(*value);
  }

  // Returns the path relative to the current folder of a path in the file.
  std::string near(const std::string& path) const {
    return (fs::path(specification_.path).parent_path() / path).lexically_normal().string();
  }

  void add_options(const toml::table& table) {
    auto& options = specification_.options;
    const auto add = [&](std::string_view key, std::string_view option, const auto& value_of) {
      if (const toml::node* const node = table.get(key)) {
        for (const std::string& text : words(*node)) {
          options.push_back(fmt::format("{}={}", option, value_of(text)));
        }
      }
    };
    const auto same = [](const std::string& text) { return text; };
    const auto path = [this](const std::string& text) { return near(text); };
    add("controller", "--controller", [this](const std::string& text) {
      return controller_in(fs::path(specification_.path).parent_path(), text);
    });
    add("proto_path", "--proto-path", path);
    add("servo_path", "--servo-path", path);
    add("assets", "--assets", path);
    add("allow_missing", "--allow-missing", same);
    add("solver", "--solver", same);
    add("integrator", "--integrator", same);
    if (const toml::node* const node = table.get("evaluations")) {
      options.push_back(fmt::format("--evaluations={}", whole(*node)));
    }
    if (const toml::node* const node = table.get("accuracy")) {
      options.push_back(fmt::format("--accuracy={}", number(*node, 0.0)));
    }
    if (const toml::node* const node = table.get("seed")) {
      options.push_back(fmt::format("--seed={}", whole(*node)));
    }
    if (const toml::node* const node = table.get("parameters")) {
      add_parameters(*node);
    }
  }

  void add_parameters(const toml::node& node) {
    const toml::table* const table = node.as_table();
    if (table == nullptr) {
      refuse(node,
             "expected a table: [parameters], then lines such as "
             "\"WorldInfo.gravity\" = 3.7");
    }
    for (const auto& [key, value] : *table) {
      std::string text;
      if (value.is_boolean()) {
        text = *value.value<bool>() ? "TRUE" : "FALSE";
      } else if (value.is_integer()) {
        text = fmt::format("{}", *value.value<std::int64_t>());
      } else if (value.is_floating_point()) {
        text = fmt::format("{}", *value.value<double>());
      } else if (value.is_string()) {
        text = *value.value<std::string>();
      } else {
        refuse(value, fmt::format("'{}' needs quotes around the whole name, and a number, true, "
                                  "false or a text as its value",
                                  printable(key.str())));
      }
      specification_.options.push_back(fmt::format("--set={}={}", key.str(), text));
    }
  }

  void read_top(const toml::table& table) {
    check_keys(table, kTopKeys);
    const toml::node* const world = table.get("world");
    if (world == nullptr) {
      refuse(table, "world is missing: the path of a .wbt file, from this file on");
    }
    specification_.world = near(word(*world));
    specification_.place = place(world->source().begin);
    const toml::node* const duration = table.get("duration");
    const toml::node* const steps = table.get("steps");
    if ((duration == nullptr) == (steps == nullptr)) {
      refuse(steps != nullptr ? *steps : table, "one of duration [s] and steps is needed");
    }
    if (duration != nullptr) {
      specification_.duration = number(*duration, 0.0);
      if (*specification_.duration == 0.0) {
        refuse(*duration, "expected a duration > 0 s");
      }
    } else {
      specification_.steps = whole(*steps);
    }
    if (const toml::node* const node = table.get("warnings")) {
      specification_.warnings = whole(*node);
    }
    if (const toml::node* const node = table.get("exit")) {
      specification_.exit = exit_status(*node);
    }
    add_options(table);
    const toml::node* const expect = table.get("expect");
    const toml::array* const list = expect != nullptr ? expect->as_array() : nullptr;
    if (list == nullptr || list->empty()) {
      refuse(expect != nullptr ? *expect : table, "there is no [[expect]]: nothing is expected");
    }
    for (const toml::node& item : *list) {
      if (!item.is_table()) {
        refuse(item, "expected a table: [[expect]], then lines such as joint = \"arm/elbow\"");
      }
      read_expectation(*item.as_table());
    }
    check_contradictions();
  }

  void read_expectation(const toml::table& table) {
    const Subject* subject = nullptr;
    for (const Subject& each : kSubjects) {
      if (table.contains(each.key)) {
        if (subject != nullptr) {
          refuse(table, fmt::format("{} and {} are two subjects; write an [[expect]] for each",
                                    subject->key, each.key));
        }
        subject = &each;
      }
    }
    if (subject == nullptr) {
      refuse(table, "an [[expect]] is about one joint, upright, no_contact, golden or controller");
    }
    check_keys(table, subject->keys);
    Expectation base;
    base.place = place(table.source().begin);
    read_window(table, base);
    const std::size_t before = specification_.expectations.size();
    const toml::node& named = *table.get(subject->key);
    if (subject->key == "joint") {
      base.name = word(named);
      read_joint(table, base);
    } else if (subject->key == "upright") {
      base.kind = Expected::Upright;
      base.name = word(named);
      base.high = table.contains("tilt") ? number(*table.get("tilt"), 0.0) : 0.2;
      add(base);
    } else if (subject->key == "no_contact") {
      const std::vector<std::string> names = words(named);
      if (names.size() != 2) {
        refuse(named, "expected two names, such as [\"arm/hand\", \"table\"]");
      }
      base.kind = Expected::NoContact;
      base.name = names[0];
      base.other = names[1];
      add(base);
    } else if (subject->key == "golden") {
      base.kind = Expected::Golden;
      base.name = near(word(named));
      base.tolerance = {table.contains("rtol") ? share(*table.get("rtol"), 0.0) : 0.0,
                        table.contains("atol") ? number(*table.get("atol"), 0.0) : 0.0};
      add(base);
    } else {
      base.kind = Expected::Exit;
      base.name = word(named);
      base.high = table.contains("exit") ? exit_status(*table.get("exit")) : 0;
      add(base);
    }
    if (specification_.expectations.size() == before) {
      refuse(table, fmt::format("nothing is expected of {}; the keys are {}", base.name,
                                fmt::join(subject->keys, ", ")));
    }
  }

  void read_window(const toml::table& table, Expectation& base) const {
    if (const toml::node* const node = table.get("from")) {
      base.from = number(*node, 0.0);
    }
    if (const toml::node* const node = table.get("to")) {
      base.to = number(*node, 0.0);
    }
    const double end = specification_.duration.value_or(base.to);
    if (base.from >= base.to || base.from >= end) {
      const toml::node* const bound = table.get(table.contains("from") ? "from" : "to");
      refuse(bound != nullptr ? *bound : table,
             fmt::format("the window is empty: it begins at {} s and ends at {} s", base.from,
                         std::min(base.to, end)));
    }
    if (std::isfinite(base.to) && base.to > end) {
      refuse(*table.get("to"),
             fmt::format("to {} s is after the end of the run, {} s", base.to, end));
    }
  }

  void read_joint(const toml::table& table, const Expectation& base) {
    if (table.contains("band") && !table.contains("settling_time")) {
      refuse(*table.get("band"), "band is for settling_time, which is not here");
    }
    if (table.contains("target") &&
        std::none_of(kLimits.begin(), kLimits.end(),
                     [&](const auto& each) { return table.contains(each.key); })) {
      refuse(*table.get("target"),
             "target is for settling_time, overshoot, rise_time and "
             "steady_state_error, of which none is here");
    }
    if (table.contains("tolerance") != table.contains("final")) {
      refuse(*table.get(table.contains("final") ? "final" : "tolerance"),
             "final and tolerance are needed together");
    }
    for (const StepKey& each : kLimits) {
      if (const toml::node* const node = table.get(each.key)) {
        Expectation made = base;
        made.kind = each.kind;
        made.high = each.kind == Expected::Overshoot ? share(*node, 0.0) : number(*node, 0.0);
        if (const toml::node* const band = table.get("band")) {
          made.band = share(*band, 1e-9);
        }
        if (const toml::node* const target = table.get("target")) {
          made.target = number(*target, -std::numeric_limits<double>::infinity());
        }
        add(made);
      }
    }
    for (const StepKey& each : kBounds) {
      if (const toml::node* const node = table.get(each.key)) {
        Expectation made = base;
        made.kind = each.kind;
        read_bounds(*node, made);
        add(made);
      }
    }
    if (const toml::node* const node = table.get("final")) {
      Expectation made = base;
      made.kind = Expected::Final;
      const double value = number(*node, -std::numeric_limits<double>::infinity());
      const double tolerance = number(*table.get("tolerance"), 0.0);
      made.low = value - tolerance;
      made.high = value + tolerance;
      add(made);
    }
  }

  void read_bounds(const toml::node& node, Expectation& made) const {
    const toml::array* const array = node.as_array();
    if (array == nullptr || array->size() != 2) {
      refuse(node, "expected two numbers, the least and the greatest one; -inf and inf are none");
    }
    const auto bound = [&](const toml::node& item) {
      const double value = any_number(item);
      if (std::isnan(value)) {
        refuse(item, "expected a number");
      }
      return value;
    };
    made.low = bound(*array->get(0));
    made.high = bound(*array->get(1));
    if (made.low > made.high) {
      refuse(node,
             fmt::format("{} is greater than {}; no value is between them", made.low, made.high));
    }
  }

  void add(const Expectation& expectation) { specification_.expectations.push_back(expectation); }

  // Refuses two bounds of one quantity of a joint that no value satisfies both. The last position
  // is also a position.
  void check_contradictions() const {
    const auto& list = specification_.expectations;
    const auto quantity = [](const Expectation& e) {
      return e.kind == Expected::Final ? Expected::Position : e.kind;
    };
    const auto is_bound = [&](const Expectation& e) {
      return quantity(e) == Expected::Position || e.kind == Expected::Velocity ||
             e.kind == Expected::Effort;
    };
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (std::size_t j = i + 1; j < list.size(); ++j) {
        const Expectation& a = list[i];
        const Expectation& b = list[j];
        const bool same =
            a.name == b.name && is_bound(a) && is_bound(b) && quantity(a) == quantity(b);
        if (same && (a.low > b.high || b.low > a.high) && overlap(a, b)) {
          throw InputError(fmt::format("{}: {} contradicts that at {}: no value is in both ranges",
                                       b.place, b.title(), a.place));
        }
      }
    }
  }

  // If only one of the windows ends before the run does, their last rows differ.
  static bool overlap(const Expectation& a, const Expectation& b) {
    if (a.kind == Expected::Final || b.kind == Expected::Final) {
      return a.to == b.to;
    }
    return a.from <= b.to && b.from <= a.to;
  }

  Specification specification_;
};

}  // namespace

std::string Expectation::title() const {
  switch (kind) {
    case Expected::Upright:
      return name + " upright";
    case Expected::NoContact:
      return fmt::format("no contact of {} and {}", name, other);
    case Expected::Golden:
      return "golden " + name;
    case Expected::Exit:
      return "exit of the controller of " + name;
    case Expected::Final:
      return name + " final";
    default:
      break;
  }
  for (const std::span<const StepKey> keys : {std::span<const StepKey>(kLimits), {kBounds}}) {
    for (const StepKey& each : keys) {
      if (each.kind == kind) {
        return fmt::format("{} {}", name, each.key);
      }
    }
  }
  return name;
}

Specification read_specification(const std::string& path) {
  return SpecificationReader(path).read();
}

}  // namespace servosim
