// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/printable.h"
#include "base/xml.h"
#include "specification/place.h"
#include "specification/reports.h"

namespace servosim {
namespace {

using Property = std::pair<const char*, std::string>;

void add_properties(pugi::xml_node parent, const std::vector<Property>& properties) {
  pugi::xml_node list;
  for (const auto& [name, value] : properties) {
    if (!value.empty()) {
      list = list ? list : add_element(parent, "properties");
      add_element(list, "property", {{"name", name}, {"value", printable(value)}});
    }
  }
}

void add_text(pugi::xml_node parent, const char* name, const std::string& text) {
  add_element(parent, name).text() = printable_lines(text).c_str();
}

pugi::xml_node add_case(pugi::xml_node suite, const std::string& path, const std::string& title,
                        const Place& at, double seconds) {
  pugi::xml_node tried =
      add_element(suite, "testcase", {{"classname", printable(path)}, {"name", printable(title)}});
  if (at.line > 0) {
    tried.append_attribute("file") = printable(at.file).c_str();
    tried.append_attribute("line") = at.line;
  }
  tried.append_attribute("time") = fmt::format("{:.3f}", seconds).c_str();
  return tried;
}

// Returns all digits of a number; nothing if there is none or no bound.
std::string number_text(double value) {
  return std::isfinite(value) ? fmt::to_string(value) : std::string();
}

std::vector<Property> properties_of(const Verdict& verdict) {
  std::vector<Property> list{{"expected", verdict.expected}, {"came", verdict.came}};
  if (const auto& measured = verdict.measured) {
    list.insert(list.end(), {{"value", number_text(measured->value)},
                             {"low", number_text(measured->low)},
                             {"high", number_text(measured->high)},
                             {"unit", measured->unit}});
  }
  list.emplace_back("figure", verdict.figure);
  return list;
}

void add_verdict(pugi::xml_node suite, const TriedSpecification& tried, const Verdict& verdict) {
  const pugi::xml_node made =
      add_case(suite, tried.path, verdict.title, place_in(verdict.place), verdict.seconds);
  add_properties(made, properties_of(verdict));
  if (!verdict.held) {
    pugi::xml_node failure = add_element(
        made, "failure", {{"message", printable(failure_text(verdict))}, {"type", "expectation"}});
    std::string text = fmt::format("{}: {}\n", verdict.place, failure_text(verdict));
    for (const auto& [name, path] :
         {Property{"figure", verdict.figure}, {"trace", tried.trace}, {"replay", tried.replay}}) {
      text += path.empty() ? "" : fmt::format("{}: {}\n", name, path);
    }
    failure.text() = printable_lines(text).c_str();
  }
}

}  // namespace

bool TriedSpecification::held() const {
  return error.empty() && !verdicts.empty() &&
         std::all_of(verdicts.begin(), verdicts.end(),
                     [](const Verdict& verdict) { return verdict.held; });
}

// printable() leaves no control characters and no bytes that are no UTF-8, which XML cannot hold.
std::string junit_text(const std::vector<TriedSpecification>& tried) {
  pugi::xml_document document;
  const pugi::xml_node suites = add_element(document, "testsuites");
  for (const TriedSpecification& each : tried) {
    const auto failures = std::count_if(each.verdicts.begin(), each.verdicts.end(),
                                        [](const Verdict& verdict) { return !verdict.held; });
    const std::size_t errors = each.error.empty() ? 0 : 1;
    const pugi::xml_node suite =
        add_element(suites, "testsuite",
                    {{"name", printable(each.path)},
                     {"tests", fmt::to_string(each.verdicts.size() + errors)},
                     {"failures", fmt::to_string(failures)},
                     {"errors", fmt::to_string(errors)},
                     {"time", fmt::format("{:.3f}", each.seconds)}});
    add_properties(suite, {{"world", each.world}, {"trace", each.trace}, {"replay", each.replay}});
    if (errors != 0) {
      const Place at = place_of_error(each);
      const pugi::xml_node run =
          add_case(suite, each.path, "run", at.line > 0 ? at : place_in(each.place), each.seconds);
      add_element(run, "error", {{"message", printable(each.error)}, {"type", "run"}});
    }
    for (const Verdict& verdict : each.verdicts) {
      add_verdict(suite, each, verdict);
    }
    if (!each.output.empty()) {
      add_text(suite, "system-out", each.output);
    }
  }
  return xml_text(document);
}

}  // namespace servosim
