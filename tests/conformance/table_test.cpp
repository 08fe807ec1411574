// SPDX-License-Identifier: Apache-2.0
// README.md names every test of the two pages and no other test. control_board_test.cpp has every
// behaviour that the pages share.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace {

std::string text_of(const std::string& file) {
  std::ifstream in(std::string(SERVOSIM_TEST_DIR) + "/conformance/" + file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::set<std::string> names_in(const std::string& text, const char* pattern) {
  std::set<std::string> names;
  const std::regex expression(pattern);
  for (std::sregex_iterator i(text.begin(), text.end(), expression); i != std::sregex_iterator();
       ++i) {
    names.insert((*i)[1]);
  }
  return names;
}

// Returns the names of the tests in this binary and in the C program.
std::set<std::string> tests() {
  std::set<std::string> names = names_in(text_of("servo_functions.c"), "TEST\\((Line[^)]+)\\)");
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *all.GetTestSuite(s);
    const std::string page = suite.name();
    if (page != "ServoNode" && page != "MotorNode") {
      continue;
    }
    for (int t = 0; t < suite.total_test_count(); ++t) {
      names.insert(suite.GetTestInfo(t)->name());
    }
  }
  return names;
}

TEST(ConformanceTable, NamesEveryTestAndNoOther) {
  const std::set<std::string> listed = names_in(text_of("README.md"), "`(Line[0-9]+_[^`]+)`");
  EXPECT_GT(listed.size(), 200u);
  EXPECT_EQ(listed, tests());
}

TEST(ConformanceTable, BoardsRunEverySharedBehaviourOrSayWhyNot) {
  const std::string boards = text_of("control_board_test.cpp");
  const std::set<std::string> shared =
      names_in(text_of("shared_behaviour.h"), "void ([a-z0-9_]+)\\(Kind");
  EXPECT_GE(shared.size(), 28u);
  for (const std::string& behaviour : shared) {
    EXPECT_NE(boards.find(behaviour), std::string::npos) << behaviour;
  }
}

}  // namespace
