// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <stdexcept>

#include "base/text.h"

namespace servosim::test {
namespace {

using Globs = std::vector<std::string>;
const Globs kNames{"arm/shoulder", "arm/elbow axis 1", "leg/knee", "loose", "arm/a*b"};

std::vector<bool> matching(const Globs& globs) { return matching_names(kNames, globs, "look"); }

TEST(NameGlobs, MatchTheWholeNameOrItsLastPart) {
  EXPECT_EQ(matching({}), (std::vector<bool>{true, true, true, true, true}));
  EXPECT_EQ(matching({"arm/*"}), (std::vector<bool>{true, true, false, false, true}));
  EXPECT_EQ(matching({"shoulder"}), (std::vector<bool>{true, false, false, false, false}));
  EXPECT_EQ(matching({"elbow*"}), (std::vector<bool>{false, true, false, false, false}));
  EXPECT_EQ(matching({"knee", "loose"}), (std::vector<bool>{false, false, true, true, false}));
  EXPECT_EQ(matching({"a\\*b"}), (std::vector<bool>{false, false, false, false, true}));
}

TEST(NameGlobs, WithoutAMatchAreAnErrorWithACloseName) {
  const auto failure = [](const Globs& names, const std::string& glob) -> std::string {
    try {
      matching_names(names, {glob}, "look there");
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(
      failure(kNames, "sholder"),
      "no joint or propeller matches 'sholder'; there are 'arm/shoulder', 'loose', 'leg/knee', "
      "'arm/a*b', 'arm/elbow axis 1'; look there");
  EXPECT_EQ(failure(kNames, "leg/kne"),
            "no joint or propeller matches 'leg/kne'; there are 'leg/knee', 'loose', 'arm/a*b', "
            "'arm/shoulder', 'arm/elbow axis 1'; look there");
  std::vector<std::string> many = kNames;
  many.insert(many.end(), {"arm/x1", "arm/x2"});
  EXPECT_EQ(failure(many, "x3"),
            "no joint or propeller matches 'x3'; the nearest names are 'arm/x1', 'arm/x2', "
            "'arm/a*b', 'leg/knee', 'loose'; look there");
  EXPECT_TRUE(failure(kNames, "x*").starts_with("no joint or propeller matches 'x*'; there are '"));
  EXPECT_EQ(failure({}, "*"), "no joint or propeller matches '*': there are none; look there");
  EXPECT_TRUE(failure(kNames, "[").starts_with("no joint or propeller matches '['; there are '"));
}

TEST(XmlEscaped, KeepsAllButItsFourCharacters) {
  EXPECT_EQ(xml_escaped("a<b> & \"c\" 'd' é"), "a&lt;b&gt; &amp; &quot;c&quot; 'd' é");
  EXPECT_EQ(xml_escaped("&amp;"), "&amp;amp;");
  EXPECT_EQ(xml_escaped(""), "");
}

}  // namespace
}  // namespace servosim::test
