// SPDX-License-Identifier: Apache-2.0
#include "cli/step_marks.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace servosim {

void add_step_marks(const StepTest& test, ChartPanel& panel) {
  const StepMarks& marks = *test.marks;
  const auto point = [](const StepMarks::Point& at) { return std::pair(at.time, at.position); };
  const double end = test.rows.back().time;
  const double band = StepMarks::kBand * (marks.to - marks.from);
  panel.curves.push_back({"2 %",
                          {{0.0, marks.to - band},
                           {end, marks.to - band},
                           {end, std::nan("")},
                           {0.0, marks.to + band},
                           {end, marks.to + band}},
                          ChartCurve::Style::Level});
  if (marks.at_10 && marks.at_90) {
    panel.curves.push_back({fmt::format("rise {:.3g} s", marks.rise_time()),
                            {point(*marks.at_10), point(*marks.at_90)},
                            ChartCurve::Style::Mark});
  }
  if (marks.peak) {
    panel.curves.push_back({fmt::format("overshoot {:.3g} %", 100.0 * marks.overshoot()),
                            {{marks.peak->time, marks.to}, point(*marks.peak)},
                            ChartCurve::Style::Mark});
  }
  if (marks.settled) {
    panel.curves.push_back({fmt::format("settled in {:.3g} s", marks.settling_time()),
                            {{marks.settled->time, marks.from}, point(*marks.settled)},
                            ChartCurve::Style::Mark});
  }
}

}  // namespace servosim
