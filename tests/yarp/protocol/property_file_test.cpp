// SPDX-License-Identifier: Apache-2.0
#include "yarp/protocol/property_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "run/test_support.h"

namespace servosim::yarp {
namespace {

class YarpPropertyFile : public testing::Test {
 protected:
  // Returns everything in the file: "key values" in lines, with "[group] " before those of a group.
  std::string read(const std::string& text, const PropertyVariables& variables = {}) {
    const auto read = read_property_file(folder_.write("main.ini", text).string(), variables);
    if (const auto* const error = std::get_if<ProtocolError>(&read)) {
      return "error: " + error->text.substr(error->text.rfind('/') + 1);
    }
    const auto& file = std::get<PropertyFile>(read);
    std::string all = lines_of(file.top, "");
    for (const PropertyGroup& group : file.groups) {
      all += lines_of(group, '[' + group.name + "] ");
    }
    return all;
  }
  static std::string lines_of(const PropertyGroup& group, const std::string& before) {
    std::string lines;
    for (const PropertyEntry& entry : group.entries) {
      lines += before + entry.key + ": " + to_text(entry.values) + '\n';
    }
    return lines;
  }

  test::TempFolder folder_;
};

TEST_F(YarpPropertyFile, HasKeysAndGroups) {
  EXPECT_EQ(read("flag\r\nname /icub/torso\n\n[LIMITS]\n  max (50.0 30.0)\nmin -50.0 -30\n"
                 "[OTHER]\nx 1\n[LIMITS]\nlast \"a b\" c"),
            "flag: \nname: \"/icub/torso\"\n[LIMITS] max: (50.0 30.0)\n[LIMITS] min: -50.0 -30\n"
            "[LIMITS] last: \"a b\" c\n[OTHER] x: 1\n");
}

TEST_F(YarpPropertyFile, AnEqualsSignMayFollowAKey) {
  EXPECT_EQ(read("a = 1\nb=2\nc (x=1) =\n"), "a: 1\nb: 2\nc: (\"x=1\") \"=\"\n");
}

TEST_F(YarpPropertyFile, CommentsEndLines) {
  EXPECT_EQ(read("# all\na 1 // more\nb 2 # more\nc 3#4\nd \"http://x # y\" // z\n//e\n"),
            "a: 1\nb: 2\nc: \"3#4\"\nd: \"http://x # y\"\n");
}

TEST_F(YarpPropertyFile, AListGoesOnInTheNextLine) {
  EXPECT_EQ(read("a (1 2 // two\n   3)\nb ((1) \n(2)) 4\n"), "a: (1 2 3)\nb: ((1) (2)) 4\n");
}

TEST_F(YarpPropertyFile, VariablesAreReplaced) {
  EXPECT_EQ(read("a ${robot}/x\nb ${a} 2 // ${none}\n", {{"robot", "icub"}}),
            "a: \"icub/x\"\nb: \"icub/x\" 2\n");
  EXPECT_EQ(read("a 1\nb ${none}\n"), "error: main.ini:2: ${none} has no value here");
  EXPECT_EQ(read("b ${a\n"), "error: main.ini:1: ${a} has no value here");
}

TEST_F(YarpPropertyFile, AValueMayBeBlank) {
  const std::string no_key = "error: main.ini:2: a line begins with a key, which is a word";
  EXPECT_EQ(read("a \" \"\n${a}\n"), no_key);
  EXPECT_EQ(read("a\n${a}\n"), no_key);
  EXPECT_EQ(read("a \" \"\n${a}[G]${a}\nb ${a} 1\n"), "a: \" \"\n[G] b: 1\n");
}

TEST_F(YarpPropertyFile, ValuesThatGrowAreRefused) {
  std::string doubling = "v0 0123456789abcdef\n";
  for (int i = 1; i < 40; ++i) {
    doubling += fmt::format("v{} ${{v{}}}${{v{}}}\n", i, i - 1, i - 1);
  }
  std::string in_lines = "v " + std::string(1000, 'x') + '\n';
  for (int i = 0; i < 5000; ++i) {
    in_lines += "w ${v}\n";
  }
  EXPECT_EQ(read(doubling), "error: main.ini:17: column 1: longer than 1048576 bytes");
  EXPECT_EQ(read(in_lines).substr(0, 40), "error: main.ini:4160: more than 4 MiB wi");
}

TEST_F(YarpPropertyFile, FilesAreIncluded) {
  folder_.write("more.ini", "p 1\n[LIMITS]\nq ${a}\n");
  folder_.write("limits.ini", "max 5\n");
  EXPECT_EQ(read("a 3\n[G]\nx 1\n[include \"more.ini\"]\ny 2\n[include LIMITS \"limits.ini\"]\n"),
            "a: 3\np: 1\ny: 2\n[G] x: 1\n[LIMITS] q: 3\n[LIMITS] max: 5\n");
}

TEST_F(YarpPropertyFile, MistakesHaveTheirPlace) {
  EXPECT_EQ(read("a (1\n"), "error: main.ini:1: column 5: a '(' without its ')'");
  EXPECT_EQ(read("a 1\n[LIMITS\n"),
            "error: main.ini:2: a group is a name in brackets, such as [LIMITS]");
  EXPECT_EQ(read("[]\n"), "error: main.ini:1: a group is a name in brackets, such as [LIMITS]");
  EXPECT_EQ(read("[include]\n"),
            "error: main.ini:1: use: [include \"FILE\"] or [include GROUP "
            "\"FILE\"]");
  EXPECT_EQ(read("12 a\n"), "error: main.ini:1: a line begins with a key, which is a word");
  EXPECT_NE(read("[include \"main.ini\"]\n").find("included more than 16 deep"), std::string::npos);
  EXPECT_NE(read("[include \"absent.ini\"]\n").find("absent.ini: "), std::string::npos);
}

}  // namespace
}  // namespace servosim::yarp
