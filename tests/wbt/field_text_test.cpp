// SPDX-License-Identifier: Apache-2.0
// A line of a node is written into the text of a world, of which nothing else changes.
#include "wbt/field_text.h"

#include <gtest/gtest.h>

#include <string>

#include "wbt/test_support.h"
#include "wbt/tree.h"
#include "wbt/world_file.h"

namespace servosim::wbt {
namespace field_text_test {

using test::read_text;
using test::ReadWorld;

// The text of a world with the value for the motor with a DEF name; it reads as a world that has
// it.
ChangedText changed(const std::string& text, const std::string& value) {
  const ReadWorld world = read_text(text, "/nowhere/worlds");
  EXPECT_EQ(world.errors, 0u);
  const Tree tree(std::make_shared<const WorldFile>(world.file));
  ChangedText result = with_text_field(text, *tree.find(tree.find_def("M"))->node, "servo", value);
  const ReadWorld again = read_text(result.text, "/nowhere/worlds");
  EXPECT_EQ(again.errors, 0u);
  const Tree now(std::make_shared<const WorldFile>(again.file));
  EXPECT_EQ(now.find(now.find_def("M"))->node->string("servo"), value);
  return result;
}

std::string world(const std::string& motor) {
  return "#VRML_SIM R2025a utf8\nRobot {\n  children [\n    HingeJoint {\n      device [\n" +
         motor + "\n      ]\n      endPoint Solid { }\n    }\n  ]\n}\n";
}

TEST(FieldText, IsALineBehindTheBrace) {
  const ChangedText result = changed(world("        DEF M RotationalMotor { # the \"hip\" {\n"
                                           "\t  name \"hip\"  # a comment\n"
                                           "        }"),
                                     "XL330-M288-T/m6");
  EXPECT_EQ(result.text, world("        DEF M RotationalMotor { # the \"hip\" {\n"
                               "\t  #servosim servo \"XL330-M288-T/m6\"\n"
                               "\t  name \"hip\"  # a comment\n"
                               "        }"));
  EXPECT_EQ(result.line, 7u);
}

TEST(FieldText, BreaksALineWithTheWholeNode) {
  const ChangedText result =
      changed(world("        DEF M RotationalMotor { name \"hip\" }  # end"), "mine");
  EXPECT_EQ(result.text, world("        DEF M RotationalMotor {\n"
                               "          #servosim servo \"mine\"\n"
                               "          name \"hip\" }  # end"));
  EXPECT_EQ(result.line, 7u);
}

TEST(FieldText, FillsAnEmptyNode) {
  const ChangedText result = changed(world("   DEF M RotationalMotor {\n   }"), "mine");
  EXPECT_EQ(result.text, world("   DEF M RotationalMotor {\n     #servosim servo \"mine\"\n   }"));
}

TEST(FieldText, TakesThePlaceOfTheFormerValue) {
  const ChangedText result =
      changed(world("        DEF M RotationalMotor {\n          name \"hip\"\n"
                    "          #servosim  servo   \"STS3215 firmware.p=16\" # both\n        }"),
              "mine");
  EXPECT_EQ(result.text, world("        DEF M RotationalMotor {\n          name \"hip\"\n"
                               "          #servosim  servo   \"mine\" # both\n        }"));
  EXPECT_EQ(result.line, 8u);
}

TEST(FieldText, KeepsTheLineEndsOfTheFile) {
  std::string text = world("        DEF M RotationalMotor {\n          name \"hip\"\n        }");
  std::string expected = world(
      "        DEF M RotationalMotor {\n          #servosim servo \"mine\"\n"
      "          name \"hip\"\n        }");
  for (std::string* each : {&text, &expected}) {
    for (std::size_t at = 0; (at = each->find('\n', at)) != each->npos; at += 2) {
      each->replace(at, 1, "\r\n");
    }
  }
  EXPECT_EQ(changed(text, "mine").text, expected);
}

}  // namespace field_text_test
}  // namespace servosim::wbt
