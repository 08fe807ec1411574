// SPDX-License-Identifier: Apache-2.0
#include "plot/figure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "plot/chart.h"

namespace servosim::test {
namespace {

using Points = std::vector<ThinnedCurves::Point>;

Points thinned(const std::vector<double>& values, std::size_t stretches) {
  ThinnedCurves curves(1, stretches);
  for (std::size_t i = 0; i < values.size(); ++i) {
    curves.add(0.5 * static_cast<double>(i), &values[i]);
  }
  return curves.points(0);
}

TEST(ThinnedCurves, KeepEveryPointOfAShortCurve) {
  const Points points = thinned({1.0, -2.0, 3.0}, 4);
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[1].time, 0.5);
  EXPECT_EQ(points[1].value, -2.0);
}

TEST(ThinnedCurves, LoseNoPeakOfALongOne) {
  std::vector<double> values(1000003);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = std::sin(1e-4 * static_cast<double>(i));
  }
  values[123457] = 40.0;  // each of them lasts one step
  values[999999] = -30.0;
  const Points points = thinned(values, 800);
  EXPECT_LE(points.size(), 1600u);
  EXPECT_GE(points.size(), 800u) << "halving leaves enough";
  const auto at = [&](double time) {
    return std::count_if(points.begin(), points.end(),
                         [&](const auto& point) { return point.time == time; });
  };
  EXPECT_EQ(at(0.5 * 123457), 1);
  EXPECT_EQ(at(0.5 * 999999), 1);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto row = static_cast<std::size_t>(2.0 * points[i].time);
    ASSERT_EQ(points[i].value, values[row]) << "a point of the curve itself";
    ASSERT_TRUE(i == 0 || points[i - 1].time < points[i].time);
  }
}

TEST(ThinnedCurves, KeepGapsAndOnlyTheEndsOfLevelStretches) {
  const Points points = thinned({2.0, 2.0, 2.0, NAN, NAN, NAN, 5.0}, 10);
  ASSERT_EQ(points.size(), 5u);
  EXPECT_EQ(points[1].time, 1.0);
  EXPECT_TRUE(std::isnan(points[2].value));
  EXPECT_EQ(points[4].value, 5.0);
  EXPECT_TRUE(std::isnan(thinned({NAN, NAN, NAN, NAN, NAN}, 2).front().value));
}

// Makes a panel of efforts from -1 to 1 with a limit.
Panel effort_panel(double limit, double effort = 1.0) {
  const TraceItem item{TraceKind::Joint, "r/j", {{"effort", "N m"}, {"effort limit", "N m"}}};
  ThinnedCurves curves(2, 10);
  for (const double share : {-1.0, 1.0}) {
    const double row[]{share * effort, limit};
    curves.add(share, row);
  }
  return make_panel(panels_of(TraceKind::Joint)[2], {{item, curves, 0}});
}

TEST(Panel, DrawsALimitThatIsNear) {
  const Panel panel = effort_panel(1.5);
  EXPECT_EQ(panel.label, "effort [N m]");
  ASSERT_EQ(panel.curves.size(), 3u);
  EXPECT_EQ(panel.curves[1].title, "limit");
  EXPECT_EQ(panel.note, "");
  EXPECT_EQ(panel.curves[1].points.front().value, -1.5);
  EXPECT_EQ(panel.curves[2].points.front().value, 1.5);
  EXPECT_NEAR(panel.high, 1.5 + 0.06 * 3.0, 1e-12) << "a margin of 6 %";
  EXPECT_NEAR(panel.low, -panel.high, 1e-12);
}

TEST(Panel, NamesALimitThatIsFar) {
  const Panel panel = effort_panel(50.0);
  EXPECT_EQ(panel.curves.size(), 1u);
  EXPECT_EQ(panel.note, "out of view: limit \u00b150");
  EXPECT_NEAR(panel.high, 1.0 + 0.06 * 2.0, 1e-12) << "the curve is not squashed";
}

// The arm's shoulder: the lower limit is near, and the upper limit is farther away than the range
// of the curve.
TEST(Panel, DrawsBothLimitsOfAPairOrNone) {
  const auto panel_of = [](double upper) {
    const TraceItem item{TraceKind::Joint,
                         "r/j",
                         {{"position", "rad"}, {"lower limit", "rad"}, {"upper limit", "rad"}}};
    ThinnedCurves curves(3, 10);
    for (const double position : {0.0, -0.88}) {
      const double row[]{position, -1.5, upper};
      curves.add(position, row);
    }
    return make_panel(panels_of(TraceKind::Joint)[0], {{item, curves, 0}});
  };
  const Panel both = panel_of(1.5);
  EXPECT_EQ(both.curves.size(), 3u);
  EXPECT_EQ(both.note, "");
  EXPECT_LT(both.low, -1.5);
  EXPECT_GT(both.high, 1.5);
  const Panel none = panel_of(3.0);
  EXPECT_EQ(none.curves.size(), 1u);
  EXPECT_EQ(none.note, "out of view: lower limit -1.5, upper limit 3");
  EXPECT_NEAR(none.high, 0.06 * 0.88, 1e-12) << "the curve is not squashed";
}

// A bound is in view at any distance.
TEST(Panel, DrawsWhatIsExpected) {
  const TraceItem item{TraceKind::Joint, "r/j", {{"effort", "N m"}}};
  ThinnedCurves curves(1, 10);
  for (const double value : {2.0, 3.0}) {
    curves.add(value, &value);
  }
  const Panel panel = make_panel(panels_of(TraceKind::Joint)[2], {{item, curves, 0}},
                                 {{"effort", {{2.0, 40.0}, {3.0, 40.0}}},
                                  {"effort", {{2.0, -7.0}, {3.0, -7.0}}},
                                  {"position", {{2.0, 900.0}, {3.0, 900.0}}}});
  ASSERT_EQ(panel.curves.size(), 3u);
  EXPECT_EQ(panel.curves[1].title, "expected");
  EXPECT_EQ(panel.curves[1].style, PanelCurve::Style::Bound);
  EXPECT_EQ(panel.curves[2].title, "") << "once in the legend";
  EXPECT_NEAR(panel.high, 40.0 + 0.06 * 47.0, 1e-12);
  EXPECT_NEAR(panel.low, -7.0 - 0.06 * 47.0, 1e-12);
}

TEST(Panel, ScalesNumbersThatAreLong) {
  const Panel panel = effort_panel(1.5e-6, 1e-6);
  EXPECT_EQ(panel.label, "effort [10\u207b\u2076 N m]");
  EXPECT_NEAR(panel.curves[0].points.front().value, -1.0, 1e-12);
  EXPECT_NEAR(panel.curves[2].points.front().value, 1.5, 1e-12);
  EXPECT_NEAR(panel.high, 1.5 + 0.06 * 3.0, 1e-12);
}

TEST(AxisNumbers, AreShortWithOffsetAndScaleInTheLabel) {
  const struct {
    double low;
    double high;
    const char* label;
    double shown_high;
  } cases[]{{-1.5, 1.5, "v [m]", 1.5},
            {0.0, 9000.0, "v [m]", 9000.0},
            {0.0, 20000.0, "v [10\u00b3 m]", 20.0},
            {-1e150, 1e150, "v [10\u00b9\u2075\u2070 m]", 1.0},
            {0.0, 0.004, "v [10\u207b\u00b3 m]", 4.0},
            {1234567.0, 1234567.5, "v \u2212 1234567 [m]", 0.5},
            {-5.000002, -5.0, "v + 5 [10\u207b\u2076 m]", 0.0}};
  for (const auto& c : cases) {
    const AxisNumbers numbers(c.low, c.high);
    EXPECT_EQ(numbers.label("v", "m"), c.label);
    EXPECT_NEAR(numbers.shown(c.high), c.shown_high, 1e-9 * std::abs(c.shown_high) + 1e-9);
  }
  EXPECT_EQ(AxisNumbers(0.0, 1.0).label("status", ""), "status");
  EXPECT_EQ(AxisNumbers(0.0, 1e-3).label("status", ""), "status [10\u207b\u00b3]");
}

// The curve is what a solver leaves of a joint at rest.
TEST(Panel, ShowsNoiseAsALevelLineAlsoWithLimits) {
  const Panel panel = effort_panel(40.0, 1e-9);
  EXPECT_EQ(panel.label, "effort [N m]");
  EXPECT_EQ(panel.note, "");
  EXPECT_GT(panel.high, 40.0) << "the limits are in view";
  EXPECT_LT(effort_panel(40.0, 1.0).high, 2.0) << "what moves is not squashed";
  const TraceItem item{TraceKind::Body, "b.pose", {{"x", "m"}}};
  ThinnedCurves curves(1, 10);
  for (const double x : {0.25, 0.25 + 1e-9, 0.25 - 2e-8}) {
    curves.add(x, &x);
  }
  const Panel pose = make_panel(panels_of(TraceKind::Body)[0], {{item, curves, 0}});
  EXPECT_NEAR(pose.high, 0.375, 1e-6);
  EXPECT_NEAR(pose.low, 0.125, 1e-6);
}

TEST(Panel, HasNoLimitWithoutOneAndShowsRoundingNoiseAsALevelLine) {
  EXPECT_EQ(effort_panel(NAN).curves.size(), 1u);
  EXPECT_EQ(effort_panel(NAN).note, "");
  const Panel panel = effort_panel(NAN, 1e-15);
  EXPECT_GE(panel.high, 0.5);
  EXPECT_LE(panel.low, -0.5);
}

// gnuplot refuses a range that is empty or infinite.
TEST(Chart, HasARangeWithoutAWidth) {
  for (const bool logarithmic : {false, true}) {
    for (const auto& points : std::vector<std::vector<std::pair<double, double>>>{
             {{3.0, 1.0}}, {{3.0, 1.0}, {3.0, 2.0}}, {{3.0, std::nan("")}}, {}}) {
      const Chart chart{"still", "time [s]", logarithmic, {{"position", {{"it", points}}}}};
      EXPECT_NE(chart_as_svg(chart).find("<svg"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace servosim::test
