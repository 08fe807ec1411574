// SPDX-License-Identifier: Apache-2.0
#include "robots/mjcf_defaults.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"

namespace servosim::robots {

bool is_mjcf_actuator(std::string_view element) {
  constexpr std::array<std::string_view, 12> kActuators{
      "general",  "motor",  "position", "velocity", "intvelocity", "damper",
      "cylinder", "muscle", "adhesion", "pid",      "dcmotor",     "orientation"};
  return is_one_of(kActuators, element);
}

namespace {

// What elements for actuators have in common, whichever they are: a class gives it to all of them.
constexpr std::string_view kAnyActuator = "actuator";
constexpr std::size_t kMaxSuggested = 300;  // beyond it each wrong name would take long

bool is_law(std::string_view attribute) {
  constexpr std::array<std::string_view, 10> kLaw{"dyntype",   "gaintype", "biastype", "dynprm",
                                                  "gainprm",   "biasprm",  "kp",       "kv",
                                                  "dampratio", "timeconst"};
  return is_one_of(kLaw, attribute);
}

}  // namespace

pugi::xml_attribute MjcfClass::find(std::string_view element, std::string_view attribute) const {
  for (const MjcfClass* at = this; at != nullptr; at = at->parent) {
    if (const auto value = at->values.find({element, attribute}); value != at->values.end()) {
      return value->second;
    }
  }
  return {};
}

std::string_view MjcfElement::value_key() const {
  return !key_.empty() ? key_ : is_mjcf_actuator(node_.name()) ? kAnyActuator : node_.name();
}

pugi::xml_attribute MjcfElement::attribute(const char* name) const {
  const pugi::xml_attribute own = node_.attribute(name);
  if (own || class_ == nullptr) {
    return own;
  }
  return class_->find(value_key(), name);
}

int MjcfElement::level_of(const char* name) const {
  if (node_.attribute(name)) {
    return 0;
  }
  int level = 1;
  for (const MjcfClass* at = class_; at != nullptr; at = at->parent, ++level) {
    if (at->values.contains({value_key(), name})) {
      return level;
    }
  }
  return kNowhere;
}

std::string MjcfElement::text(const char* name, const char* otherwise) const {
  const pugi::xml_attribute given = attribute(name);
  return given ? given.value() : otherwise;
}

std::size_t MjcfElement::numbers(const char* name, std::span<double> values,
                                 std::size_t least) const {
  const pugi::xml_attribute given = attribute(name);
  if (!given) {
    return 0;
  }
  std::vector<double> read(values.begin(), values.end());
  const std::size_t count = parse_numbers(given.value(), read).value_or(0);
  if (count < least || count > values.size() || count == 0 ||
      !std::ranges::all_of(read, [](double x) { return std::isfinite(x); })) {
    const std::string many = least == values.size() ? fmt::format("{}", least)
                                                    : fmt::format("{} to {}", least, values.size());
    fail(fmt::format("{} '{:.60}' of <{}> should be {}", name, given.value(), node_.name(),
                     values.size() == 1 ? "a finite number"
                                        : fmt::format("{} finite numbers between blanks", many)));
    return 0;
  }
  std::ranges::copy(read, values.begin());
  return count;
}

double MjcfElement::number(const char* name, double otherwise) const {
  std::array<double, 1> value{otherwise};
  numbers(name, value, 1);
  return value[0];
}

int MjcfElement::integer(const char* name, int otherwise) const {
  const double value = number(name, otherwise);
  if (value != std::floor(value) || std::abs(value) > 2147483647.0) {
    fail(fmt::format("{} {} of <{}> should be a whole number", name, value, node_.name()));
    return otherwise;
  }
  return static_cast<int>(value);
}

Vec3 MjcfElement::vector(const char* name, const Vec3& otherwise) const {
  std::array<double, 3> v{otherwise.x, otherwise.y, otherwise.z};
  numbers(name, v, 3);
  return {v[0], v[1], v[2]};
}

std::optional<bool> MjcfElement::flag(const char* name) const {
  const std::string given = text(name, "auto");
  if (given != "auto" && given != "true" && given != "false") {
    fail(fmt::format("{} '{:.60}' of <{}> should be true, false or auto", name, given,
                     node_.name()));
  }
  return given == "true"    ? std::optional(true)
         : given == "false" ? std::optional(false)
                            : std::nullopt;
}

MjcfDefaults::MjcfDefaults(const MjcfDocument& document, MjcfAttributes& attributes, XmlFields& xml)
    : document_(document), attributes_(attributes), xml_(xml) {
  for (const pugi::xml_node node : document.children(document.root())) {
    if (std::string_view(node.name()) == "default") {
      read(node, nullptr);
    }
  }
  if (main_ == nullptr) {
    main_ = &classes_.try_emplace("main").first->second;
    main_->name = "main";
  }
}

void MjcfDefaults::read(pugi::xml_node node, MjcfClass* parent) {
  const std::string name = node.attribute("class").value();
  if (name.empty() && parent != nullptr) {
    xml_.fail(node, "<default> in another one has no class");
    return;
  }
  if (parent == nullptr && main_ != nullptr && (name.empty() || name == main_->name)) {
    parent = main_;  // a further section of the main class
  } else {
    const auto [found, is_new] = classes_.try_emplace(name.empty() ? std::string("main") : name);
    MjcfClass& made = found->second;
    const MjcfClass* const above = parent != nullptr ? parent : main_;
    if (!is_new) {
      xml_.fail(node, fmt::format("a second class is called '{:.60}'", name));
      return;
    }
    made.name = found->first;
    made.parent = above;
    made.depth = above == nullptr ? 0 : above->depth + 1;
    main_ = main_ == nullptr ? &made : main_;
    parent = &made;
    if (made.depth > kMaxDepth || classes_.size() > kMaxClasses) {
      xml_.fail(node, fmt::format("there are more than {} classes, or they nest deeper than {}",
                                  kMaxClasses, kMaxDepth));
      return;
    }
  }
  for (const pugi::xml_node child : document_.children(node)) {
    const std::string_view element = child.name();
    if (element == "default") {
      read(child, parent);
      continue;
    }
    attributes_.check(child);
    const bool drives = is_mjcf_actuator(element);
    for (const pugi::xml_attribute attribute : child.attributes()) {
      if (!drives || !is_law(attribute.name())) {
        parent->values[{drives ? kAnyActuator : element, attribute.name()}] = attribute;
      }
    }
    if (drives) {
      parent->actuators.push_back(child);
    }
  }
}

const MjcfClass& MjcfDefaults::class_of(pugi::xml_node node, const char* attribute,
                                        const MjcfClass& otherwise) const {
  const pugi::xml_attribute given = node.attribute(attribute);
  if (!given) {
    return otherwise;
  }
  const auto found = classes_.find(std::string_view(given.value()));
  if (found == classes_.end()) {
    std::vector<std::string_view> names;
    if (classes_.size() <= kMaxSuggested) {
      for (const auto& [name, unused] : classes_) {
        names.push_back(name);
      }
    }
    xml_.fail(node, fmt::format("there is no class '{:.60}'{}", given.value(),
                                did_you_mean(given.value(), names)));
    return otherwise;
  }
  return found->second;
}

}  // namespace servosim::robots
