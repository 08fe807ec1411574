// SPDX-License-Identifier: Apache-2.0
#include "wbt/proto/stand_ins.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <variant>

#include "wbt/eras/version.h"
#include "wbt/proto/proto.h"

namespace servosim::wbt {
namespace {

struct NamedText {
  std::string_view name;
  std::string_view text;
};

using namespace std::string_view_literals;

constexpr NamedText kTexts[] = {
#include "stand_in_texts.inc"
};

// The rows are the old x, y and z in terms of the new coordinates.
struct NamedAxes {
  std::string_view name;
  Mat3 to_old;
};

constexpr NamedAxes kAxes[] = {{"object", {{0, 1, 0, 0, 0, 1, 1, 0, 0}}},
                               {"robot", {{0, -1, 0, 0, 0, 1, -1, 0, 0}}},
                               {"upright", {{1, 0, 0, 0, 0, 1, 0, -1, 0}}},
                               {"symmetric", {{1, 0, 0, 0, 0, 1, 0, -1, 0}}},
                               {"same", {{1, 0, 0, 0, 1, 0, 0, 0, 1}}}};

constexpr Mat3 kUpright{{1, 0, 0, 0, 0, 1, 0, -1, 0}};

// Returns the text after `# KEY: `; nothing if there is no such line.
std::optional<std::string_view> comment(std::string_view text, std::string_view key) {
  const std::string line = fmt::format("\n# {}: ", key);
  const std::size_t at = text.find(line);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const std::size_t begin = at + line.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

std::string_view needed(std::string_view text, std::string_view key) {
  if (const auto value = comment(text, key)) {
    return *value;
  }
  throw std::invalid_argument(fmt::format("a stand-in needs a line '# {}: …'", key));
}

std::vector<std::string> split_at_commas(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    names.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(list.find_first_not_of(", ", comma), list.size()));
  }
  return names;
}

// Parses `bodies: doors`, `bodies if kinematic: its drive` or `controllers unless controller: its
// program`.
StandIn::Loss read_loss(std::string_view text) {
  const std::size_t colon = text.find(": ");
  const std::string_view head = text.substr(0, colon);
  const std::string_view kind = head.substr(0, head.find(' '));
  const bool of_controllers = kind == "controllers";
  if (colon == std::string_view::npos || (kind != "bodies" && !of_controllers)) {
    throw std::invalid_argument(fmt::format("'{}' is no loss of a stand-in", text));
  }
  StandIn::Loss loss{of_controllers ? Missing::Controllers : Missing::Bodies,
                     std::string(text.substr(colon + 2)),
                     {},
                     {}};
  const std::string_view condition = head.substr(kind.size());
  if (condition.starts_with(" if ")) {
    loss.only_if = split_at_commas(condition.substr(4));
  } else if (condition.starts_with(" unless ")) {
    loss.unless = condition.substr(8);
  } else if (!condition.empty()) {
    throw std::invalid_argument(fmt::format("'{}' is no condition of a loss", condition));
  }
  return loss;
}

bool is_slot(std::string_view name) { return name.ends_with("Slot") || name == "children"; }

void set(Environment& environment, std::string_view name, Value value) {
  if (const auto parameter = environment.find(name)) {
    environment.given[*parameter] = std::move(value);
  }
}

bool is_given(const Environment& environment, std::string_view name) {
  const auto parameter = environment.find(name);
  return parameter && environment.given[*parameter].has_value();
}

bool fills_a_slot(const Environment& environment) {
  const std::vector<ProtoParameter>& parameters = environment.proto.parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (is_slot(parameters[i].name) && environment.given[i]) {
      return true;
    }
  }
  return false;
}

Vec3 absolute(const Vec3& v) { return {std::abs(v.x), std::abs(v.y), std::abs(v.z)}; }

// Before R2020b controllerArgs was one string with all arguments.
std::vector<std::string> split_at_blanks(const std::vector<std::string>& arguments) {
  std::vector<std::string> split;
  for (std::string_view rest : arguments) {
    while (
        (rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size())), !rest.empty())) {
      const std::size_t blank = std::min(rest.find(' '), rest.size());
      split.emplace_back(rest.substr(0, blank));
      rest.remove_prefix(blank);
    }
  }
  return split;
}

}  // namespace

std::string_view stand_in_text(std::string_view name) {
  const auto found = std::find_if(std::begin(kTexts), std::end(kTexts),
                                  [&](const NamedText& known) { return known.name == name; });
  return found == std::end(kTexts) ? std::string_view() : found->text;
}

std::vector<std::string_view> stand_in_names() {
  std::vector<std::string_view> names;
  for (const NamedText& known : kTexts) {
    names.push_back(known.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

StandIn read_stand_in(std::string_view text) {
  StandIn stand_in;
  stand_in.keeps = needed(text, "keeps");
  stand_in.lacks = needed(text, "lacks");
  stand_in.certainty = needed(text, "certainty");
  if (const auto loss = comment(text, "loses")) {
    stand_in.loss = read_loss(*loss);
  }
  const std::string_view axes = needed(text, "axes before R2022a");
  const auto known = std::find_if(std::begin(kAxes), std::end(kAxes),
                                  [&](const NamedAxes& named) { return named.name == axes; });
  if (known == std::end(kAxes)) {
    throw std::invalid_argument(fmt::format("'{}' are no axes of a stand-in", axes));
  }
  stand_in.to_old_axes = known->to_old;
  stand_in.stood_up = axes == "same";
  stand_in.sizes = split_at_commas(comment(text, "sizes before R2022a").value_or(""));
  stand_in.points = split_at_commas(comment(text, "points before R2022a").value_or(""));
  if (const auto place = comment(text, "translation before R2022a")) {
    Vec3 at;
    if (std::sscanf(std::string(*place).c_str(), "%lf %lf %lf", &at.x, &at.y, &at.z) != 3) {
      throw std::invalid_argument(fmt::format("'{}' is no translation", *place));
    }
    stand_in.old_translation = at;
  }
  return stand_in;
}

bool is_lost(const StandIn::Loss& loss, const Environment& environment) {
  if (!loss.unless.empty() && is_given(environment, loss.unless)) {
    return false;
  }
  const auto holds = [&](const std::string& field) {
    const auto found = environment.find(field);
    const bool* const value = found ? std::get_if<bool>(&environment.value(*found)) : nullptr;
    return value != nullptr && *value;
  };
  return loss.only_if.empty() || std::any_of(loss.only_if.begin(), loss.only_if.end(), holds);
}

void read_as_before_r2022a(const StandIn& stand_in, const Version& version,
                           Environment& environment) {
  const Mat3& to_old = stand_in.to_old_axes;
  if (const auto rotation = environment.find("rotation")) {
    const Mat3 turn = rotation_matrix(std::get<AxisAngle>(environment.value(*rotation)));
    const bool given = environment.given[*rotation].has_value();
    const Mat3 whole = given ? turn * to_old : stand_in.stood_up ? kUpright * turn : to_old * turn;
    set(environment, "rotation", axis_angle(whole));
  }
  if (const auto place = environment.find("translation");
      place && !environment.given[*place].has_value()) {
    const Vec3 at = std::get<Vec3>(environment.value(*place));
    set(environment, "translation",
        stand_in.old_translation.value_or((stand_in.stood_up ? kUpright : to_old) * at));
  }
  for (const std::string& name : stand_in.sizes) {
    if (is_given(environment, name)) {
      set(environment, name,
          absolute(transposed(to_old) * std::get<Vec3>(environment.value(name))));
    }
  }
  for (const std::string& name : stand_in.points) {
    if (is_given(environment, name)) {
      auto points = std::get<std::vector<Vec3>>(environment.value(name));
      for (Vec3& point : points) {
        point = transposed(to_old) * point;
      }
      set(environment, name, std::move(points));
    }
  }
  if (fills_a_slot(environment)) {
    set(environment, "slotAxes", axis_angle(transposed(to_old)));
  }
  if (version < kR2020b && is_given(environment, "controllerArgs")) {
    const Value& arguments = environment.value("controllerArgs");
    if (const auto* list = std::get_if<std::vector<std::string>>(&arguments)) {
      set(environment, "controllerArgs", split_at_blanks(*list));
    }
  }
}

}  // namespace servosim::wbt
