// SPDX-License-Identifier: Apache-2.0
// Couplings of joints: what their texts say, and which of them are independent.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scene/checks.h"
#include "scene/scene.h"
#include "scene/solid_builders.h"

namespace servosim::test {
namespace couplings_test {

/// A robot with bodies on joints `j0`, `j1`, …
class Couplings : public testing::Test {
 protected:
  explicit Couplings(int count = 0) { make(count); }

  void make(int count) {
    scene = {};
    scene.robots.emplace_back().name = "r";
    for (int j = 0; j < count; ++j) {
      scene.solids.emplace_back().physics.emplace();
      JointSpec& joint = scene.joints.emplace_back();
      joint.name = fmt::format("r/j{}", j);
      joint.robot = 0;
      joint.child = j;
    }
    pending.clear();
  }
  void couple(int joint, std::string text, double compliance = 0.0) {
    pending.push_back({joint, std::move(text), compliance, 0.0, {}});
  }
  /// Returns the errors.
  std::vector<std::string> read() {
    Diagnostics diagnostics;
    Findings findings(diagnostics);
    scene.couplings.clear();
    couple_joints(scene, pending, findings);
    std::vector<std::string> errors;
    for (const Diagnostic& diagnostic : diagnostics.list()) {
      errors.push_back(diagnostic.message);
    }
    return errors;
  }
  /// Returns the only error of a text, without the text itself.
  std::string error_of(const std::string& text) {
    make(20);
    couple(0, text);
    const std::vector<std::string> errors = read();
    const std::string before = fmt::format("coupling \"{:.200}\" of joint \"r/j0\": ", text);
    EXPECT_EQ(errors.size(), 1u) << text;
    EXPECT_TRUE(!errors.empty() && errors[0].starts_with(before)) << text;
    return errors.empty() ? "" : errors[0].substr(before.size());
  }

  Scene scene;
  std::vector<PendingCoupling> pending;
};

TEST_F(Couplings, AreSumsOfRatiosAndAnOffset) {
  make(3);
  couple(0, "-2 * j1 +\t0.25 'j2' - 3 + 1");
  EXPECT_EQ(read(), std::vector<std::string>{});
  const CouplingSpec& coupling = scene.couplings.at(0);
  ASSERT_EQ(coupling.terms.size(), 3u);
  EXPECT_EQ(coupling.terms[1].joint, 1);
  EXPECT_EQ(coupling.terms[1].ratio, 2.0);
  EXPECT_EQ(coupling.terms[2].ratio, -0.25);
  EXPECT_EQ(coupling.offset, -2.0);
}

TEST_F(Couplings, ThatAreCutShortSayWhatIsMissingWhere) {
  EXPECT_EQ(error_of("2 j1 + "),
            "after \"2 j1 +\" a number or the name of a joint is missing, as in \"2 j1 + 0.5\"");
  EXPECT_EQ(error_of("+ "),
            "after \"+\" a number or the name of a joint is missing, as in \"+ 0.5\"");
  EXPECT_EQ(error_of("j1 + - 3"),
            "after \"j1 +\" a number or the name of a joint is missing, as in \"j1 + 0.5\"");
  EXPECT_EQ(error_of("2 *"), "after \"2 *\" the name of a joint is missing, as in \"2 * b\"");
  EXPECT_EQ(error_of("* j1"),
            "it begins with \"*\": write a number or the name of a joint first, as "
            "in \"2 b\"");
  EXPECT_EQ(error_of("j1 'j2'"), "between \"j1\" and \"j2\" a + or - is missing");
  EXPECT_EQ(error_of("2 'j1"),
            "the name that begins with the ' at character 3 does not end: write another ' after "
            "it, and '' for a ' in it");
  EXPECT_EQ(error_of("2 'j1''"),
            "the name that begins with the ' at character 3 does not end: write another ' after "
            "it, and '' for a ' in it");
  EXPECT_EQ(error_of(" "), "it names no joint: write one that is followed, as in \"2 b\"");
  EXPECT_EQ(error_of("3 - 1"), "it names no joint: write one that is followed, as in \"2 b\"");
  EXPECT_TRUE(error_of("2*j1").ends_with(
      "; if this is no name, write blanks around +, - and *, as in \"2 * b - 0.5\""));
  EXPECT_TRUE(error_of("j1 + 2j3").ends_with("or robot/name of another one"));
}

TEST_F(Couplings, HaveAtMostSixteenJoints) {
  std::string text = "j1";
  for (int j = 2; j < 16; ++j) {
    text += fmt::format(" + j{}", j);
  }
  make(20);
  couple(0, text);
  EXPECT_EQ(read(), std::vector<std::string>{});
  EXPECT_EQ(scene.couplings.at(0).terms.size(), 16u);
  EXPECT_EQ(error_of(text + " + j16 + no_such"), "it couples more than 16 joints: leave some out");
}

TEST_F(Couplings, AreDependentWhereACircleOfThemSaysTheSameTwice) {
  const std::string again =
      "coupling \"0.5 j2\" of joint \"r/j1\": other couplings determine it already, as in a circle "
      "of joints that follow each other; leave one of them out";
  make(5);
  couple(3, "j0");
  couple(2, "2 j1 + j4");  // with the next one, j4 = 0
  couple(1, "0.5 j2");
  EXPECT_EQ(read(), std::vector<std::string>{});
  couple(4, "j0");
  EXPECT_EQ(read(), std::vector<std::string>{});
  make(5);
  couple(0, "j1");
  couple(2, "2 j1");
  couple(1, "0.5 j2");
  EXPECT_EQ(read(), std::vector<std::string>{again});
  make(5);
  couple(2, "2 j1");
  couple(1, "0.5 j2", 0.1);
  EXPECT_EQ(read(), std::vector<std::string>{}) << "one of them yields";
  // Two circles, each of which says that j0 is 0.
  make(5);
  couple(1, "j2 + j0");
  couple(2, "j1");
  couple(3, "j4 + j0");
  EXPECT_EQ(read(), std::vector<std::string>{});
  couple(4, "j3");
  EXPECT_EQ(read().size(), 1u);
}

// Each of 10 000 joints follows others, without a circle in any order, so nothing is eliminated. In
// circles that fill the rows, the check ends with an error and does not go on for hours.
TEST_F(Couplings, AreCheckedInTimeThatIsBounded) {
  constexpr int kMany = 10000;
  const auto couple_all = [this](bool in_circles) {
    make(kMany);
    for (int j = 0; j < kMany; ++j) {
      std::string text;
      for (int k = 1; k < 16; ++k) {
        const long other = in_circles ? (j + 7919L * k * k) % kMany : j + 613L * k;
        text += other < kMany ? fmt::format("{}{:.3f} j{}", text.empty() ? "" : " + ",
                                            1.0 + 0.001 * (j * k % 997), other)
                              : "";
      }
      if (!text.empty()) {
        couple(j, text);
      }
    }
  };
  couple_all(false);
  EXPECT_EQ(read(), std::vector<std::string>{});
  EXPECT_GT(scene.couplings.size(), 9000u);
  couple_all(true);
  const std::vector<std::string> errors = read();
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_TRUE(
      errors[0].ends_with("so many joints follow each other in circles that nobody can tell "
                          "whether others determine it already; leave some out"))
      << errors[0];
}

// Names like a wrong one are looked for a few times only.
TEST_F(Couplings, WithWrongNamesAreReportedInTimeThatIsBounded) {
  constexpr int kMany = 5000;
  make(kMany);
  for (int j = 0; j < kMany; ++j) {
    couple(j, fmt::format("k{}", j));
  }
  EXPECT_EQ(read().size(), static_cast<std::size_t>(kMany));
}

}  // namespace couplings_test
}  // namespace servosim::test
