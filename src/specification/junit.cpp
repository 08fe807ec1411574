// SPDX-License-Identifier: Apache-2.0
#include "specification/junit.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "base/xml.h"

namespace servosim {
namespace {

void add_case(pugi::xml_node suite, const std::string& path, const Verdict& verdict) {
  const pugi::xml_node tried = add_element(
      suite, "testcase", {{"classname", printable(path)}, {"name", printable(verdict.title)}});
  if (!verdict.held) {
    add_element(tried, "failure",
                {{"message",
                  printable(fmt::format("expected {}; came {}", verdict.expected, verdict.came))}});
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
    if (errors != 0) {
      const pugi::xml_node run =
          add_element(suite, "testcase", {{"classname", printable(each.path)}, {"name", "run"}});
      add_element(run, "error", {{"message", printable(each.error)}});
    }
    for (const Verdict& verdict : each.verdicts) {
      add_case(suite, each.path, verdict);
    }
  }
  return xml_text(document);
}

}  // namespace servosim
