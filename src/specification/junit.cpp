// SPDX-License-Identifier: Apache-2.0
#include "specification/junit.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/printable.h"
#include "base/text.h"

namespace servosim {
namespace {

// printable() leaves no control characters and no bytes that are no UTF-8, which XML cannot hold.
std::string escaped(std::string_view text) { return xml_escaped(printable(text)); }

void add_case(std::string& xml, const TriedSpecification& tried, const Verdict& verdict) {
  auto out = std::back_inserter(xml);
  fmt::format_to(out, "    <testcase classname=\"{}\" name=\"{}\"", escaped(tried.path),
                 escaped(verdict.title));
  if (verdict.held) {
    fmt::format_to(out, "/>\n");
    return;
  }
  fmt::format_to(out, ">\n      <failure message=\"expected {}; came {}\"/>\n    </testcase>\n",
                 escaped(verdict.expected), escaped(verdict.came));
}

}  // namespace

bool TriedSpecification::held() const {
  return error.empty() && !verdicts.empty() &&
         std::all_of(verdicts.begin(), verdicts.end(),
                     [](const Verdict& verdict) { return verdict.held; });
}

std::string junit_text(const std::vector<TriedSpecification>& tried) {
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  auto out = std::back_inserter(xml);
  for (const TriedSpecification& each : tried) {
    const auto failures = std::count_if(each.verdicts.begin(), each.verdicts.end(),
                                        [](const Verdict& verdict) { return !verdict.held; });
    const bool error = !each.error.empty();
    fmt::format_to(out,
                   "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" "
                   "time=\"{:.3f}\">\n",
                   escaped(each.path), each.verdicts.size() + (error ? 1 : 0), failures,
                   error ? 1 : 0, each.seconds);
    if (error) {
      fmt::format_to(out,
                     "    <testcase classname=\"{}\" name=\"run\">\n      <error "
                     "message=\"{}\"/>\n    </testcase>\n",
                     escaped(each.path), escaped(each.error));
    }
    for (const Verdict& verdict : each.verdicts) {
      add_case(xml, each, verdict);
    }
    fmt::format_to(out, "  </testsuite>\n");
  }
  return xml + "</testsuites>\n";
}

}  // namespace servosim
