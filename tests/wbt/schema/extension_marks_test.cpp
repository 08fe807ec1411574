// SPDX-License-Identifier: Apache-2.0
// Comments that were meant as `#servosim` lines, and fields that appear twice in a node.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "wbt/test_support.h"

namespace servosim::wbt::test {
namespace {

Messages of_parameters(const std::string& text) {
  return read_body("SliderJoint { jointParameters JointParameters {\n" + text + "\n} }").messages;
}

TEST(ExtensionMarks, ThatAreMisspelledAreReported) {
  for (const char* comment :
       {"# servosim backlash 0.25", "#Servosim backlash 0.25", "##servosim backlash 0.25",
        "#servosim: backlash 0.25", "#servosim:backlash 0.25", "#servosimx backlash 0.25",
        "# : SERVOSIM\tbacklash 0.25"}) {
    EXPECT_EQ(of_parameters(comment),
              Messages{"3:1: warning: this is a comment; write '#servosim backlash' for the field"})
        << comment;
  }
}

TEST(ExtensionMarks, OfFieldsWithATextAreReportedToo) {
  for (const char* comment : {"# servosim servo \"STS3215\"", "#servosim: servo \"STS3215\""}) {
    EXPECT_EQ(read_body(fmt::format("HingeJoint {{ device RotationalMotor {{\n{}\n}} }}", comment))
                  .messages,
              Messages{"3:1: warning: this is a comment; write '#servosim servo' for the field"})
        << comment;
  }
}

TEST(ExtensionMarks, ProseAndRightMarksAreNot) {
  for (const char* text :
       {"#servosim backlash 0.25", "#servosim\tbacklash 0.25", "# servosim runs this with backlash",
        "# backlash 0.25", "# the servosim backlash", "#servosi backlash 0.25",
        "# servosim backlashes 0.25"}) {
    EXPECT_EQ(of_parameters(text), Messages{}) << text;
  }
  EXPECT_EQ(read_body("Solid { name \"# servosim backlash\" }").messages, Messages{});
}

TEST(ExtensionMarks, OfProtosAreReportedOnce) {
  const TemporaryProject project;
  project.write("protos/Rail.proto",
                "#VRML_SIM R2021b utf8\nPROTO Rail [ ]\n{\nSliderJoint { jointParameters "
                "JointParameters {\n# servosim backlash 0.25\n} }\n}\n");
  EXPECT_EQ(project.read("Rail { } Rail { }").messages,
            Messages{"Rail.proto:5:1: warning: this is a comment; write '#servosim backlash' for "
                     "the field"});
}

TEST(FieldsGivenTwice, AreReportedAndTheLastIsUsed) {
  const ReadWorld plain = read_body("Solid { name \"a\"\nname \"b\" }");
  EXPECT_EQ(plain.messages,
            Messages{"3:1: warning: Solid has a field 'name' already; the last one is used"});
  EXPECT_EQ(plain.node().string("name"), "b");
  EXPECT_EQ(of_parameters("backlash 0.25\n#servosim backlash 0.5"),
            Messages{"4:11: warning: JointParameters has a field 'backlash' already; the last one "
                     "is used"});
}

TEST(FieldsGivenTwice, ToAProtoAreReportedToo) {
  const TemporaryProject project;
  project.write("protos/Crate.proto",
                "#VRML_SIM R2021b utf8\nPROTO Crate [ field SFString name \"x\" ]\n{ Solid { name "
                "IS name } }\n");
  const ReadWorld world = project.read("Crate { name \"a\"\nname \"b\" }");
  EXPECT_EQ(world.messages,
            Messages{"3:1: warning: Crate has a field 'name' already; the last one is used"});
  EXPECT_EQ(world.node().string("name"), "b");
}

}  // namespace
}  // namespace servosim::wbt::test
