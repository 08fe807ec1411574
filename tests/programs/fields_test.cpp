// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "programs/program.h"

namespace servosim {
namespace {

using nlohmann::json;
using test::contains;
using test::Program;

std::string shown(const std::vector<std::string>& arguments) {
  std::vector<std::string> all{"fields"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  Program program(all);
  EXPECT_EQ(program.finish(), 0) << program.err();
  EXPECT_EQ(program.err(), "");
  return program.out();
}

std::string refused(const std::vector<std::string>& arguments) {
  std::vector<std::string> all{"fields"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  Program program(all);
  EXPECT_EQ(program.finish(), 2);
  EXPECT_EQ(program.out(), "");
  return program.err();
}

json field(const json& document, const std::string& name) {
  for (const json& f : document["nodes"][0]["fields"]) {
    if (f["name"] == name) {
      return f;
    }
  }
  return {};
}

TEST(Fields, ShowsTheTableOfANode) {
  const std::string text = shown({"HingeJointParameters"});
  EXPECT_TRUE(contains(text,
                       "HingeJointParameters, based on JointParameters; versions: since V7.2\n"
                       "Old spellings: Hinge2JointParameters\n"))
      << text;
  EXPECT_TRUE(contains(text, "\nstopERP "));
  EXPECT_TRUE(contains(text, "\ninherited from JointParameters\n"));
  EXPECT_TRUE(contains(text, "servosim's own")) << "backlash";
  const json document = json::parse(shown({"--json", "HingeJointParameters"}));
  EXPECT_EQ(field(document, "stopERP"),
            json({{"name", "stopERP"},
                  {"type", "SFFloat"},
                  {"default", "-1"},
                  {"unit", "-"},
                  {"range", "-1 or [0, inf)"},
                  {"since", "R2021b"},
                  {"until", nullptr},
                  {"from", "HingeJointParameters"},
                  {"extension", false},
                  {"text",
                   "Share of the error at a stop that is corrected in each step; -1 for "
                   "WorldInfo.ERP."}}));
  EXPECT_EQ(field(document, "dampingConstant")["from"], "JointParameters");
  EXPECT_EQ(field(document, "backlash")["extension"], true);
}

TEST(Fields, ListsEveryNode) {
  const std::string text = shown({});
  const json document = json::parse(shown({"--json"}));
  EXPECT_GT(document["nodes"].size(), 80u);
  for (const json& node : document["nodes"]) {
    EXPECT_TRUE(contains('\n' + text, '\n' + node["name"].get<std::string>() + ' '));
  }
  EXPECT_TRUE(contains(text, "CustomRobot is read as Robot"));
  EXPECT_TRUE(contains(text, "Gripper in V6.2"));
}

TEST(Fields, ExplainsOldNames) {
  EXPECT_EQ(shown({"Supervisor"}).find("Supervisor is an old spelling of Robot, based on Solid"),
            0u);
  EXPECT_EQ(shown({"Motor"}),
            "Motor is what LinearMotor, RotationalMotor have in common; see those\n");
  EXPECT_TRUE(contains(shown({"Gripper"}), "dropped the node type Gripper in V6.2"));
  EXPECT_TRUE(contains(refused({"--json", "Gripper"}), "V6.2"));
}

TEST(Fields, UnknownNodesAreRefusedWithAHint) {
  EXPECT_EQ(refused({"hingejoint"}),
            "servosim: error: there is no node type 'hingejoint'; did you mean 'HingeJoint'? "
            "`servosim fields` lists all of them\n");
  EXPECT_EQ(
      refused({"Zyxwv\n"}),
      "servosim: error: there is no node type 'Zyxwv\\n'; `servosim fields` lists all of them\n");
  EXPECT_NE(refused({"--markdown", "--json"}), "");
}

// Each line of every table fits a terminal of 100 columns.
TEST(Fields, TablesAreNarrow) {
  const json document = json::parse(shown({"--json"}));
  for (const json& node : document["nodes"]) {
    std::istringstream lines(shown({node["name"]}));
    for (std::string line; std::getline(lines, line);) {
      const auto columns =
          std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; });
      EXPECT_LE(columns, 100) << line;
    }
  }
}

TEST(Fields, FailsWhenTheOutputIsLost) {
  const int status = std::system("'" SERVOSIM_PROGRAM "' fields --markdown >/dev/full 2>/dev/null");
  EXPECT_EQ(WEXITSTATUS(status), 1);
}

// The page is what the program writes, byte by byte.
TEST(Fields, ThePageIsUpToDate) {
  EXPECT_TRUE(shown({"--markdown"}) == test::read_text(SERVOSIM_DOCS_DIR "/reference/fields.md"))
      << "docs/reference/fields.md is stale. Renew it:\n  " SERVOSIM_PROGRAM
         " fields --markdown > " SERVOSIM_DOCS_DIR "/reference/fields.md";
}

}  // namespace
}  // namespace servosim
