// SPDX-License-Identifier: Apache-2.0
#include "wbt/convert/kept_protos.h"

#include <gtest/gtest.h>

#include "wbt/convert/convert.h"
#include "wbt/test_support.h"
#include "wbt/writer.h"

namespace servosim {
namespace {

using wbt::test::Messages;
using wbt::test::TemporaryProject;

struct Kept {
  WorldWithProtos written;
  Messages messages;
};

// Converts the project's worlds/w.wbt as if the result went to the folder worlds/ next to it.
Kept keep(const TemporaryProject& project, const std::string& world) {
  project.write("worlds/w.wbt", world);
  Diagnostics diagnostics;
  wbt::WorldFile converted =
      convert(wbt::read_world(project.path("worlds/w.wbt"), {}, diagnostics), diagnostics);
  const std::string folder = project.path("worlds");
  move_urls(converted, folder, diagnostics.sources());
  Kept kept{write_with_protos(converted, folder, {}, diagnostics), {}};
  for (const Diagnostic& d : diagnostics.list()) {
    kept.messages.push_back(d.message);
  }
  EXPECT_EQ(kept.written.fault, "") << kept.written.text;
  return kept;
}

// Returns the message that PROTO P of `file` is written out for `reason`.
std::string written_out(const std::string& reason) {
  return "PROTO 'P' is written out as its nodes: " + reason;
}

TEST(KeptProtos, HaveTheirParametersAndALine) {
  const TemporaryProject project;
  project.write("protos/a/P.proto",
                "#VRML_SIM R2023b utf8\nPROTO P [ field SFVec3f translation 0 0 0 field SFString "
                "name \"p\" field SFFloat size 1 ] { Solid { translation IS translation name IS "
                "name children [ Shape { geometry Sphere { radius IS size } } ] } }\n");
  const Kept kept = keep(project,
                         "#VRML_SIM R2023b utf8\n#by me\nWorldInfo {\n}\nDEF ONE P {\n  name "
                         "\"one\"\n  size 0.25\n}\nP {\n  translation 1 2 3\n}\n");
  EXPECT_EQ(kept.messages, Messages());
  EXPECT_EQ(kept.written.text,
            "#VRML_SIM R2025a utf8\n#by me\nEXTERNPROTO \"../protos/a/P.proto\"\nWorldInfo {\n}\n"
            "DEF ONE P {\n  name \"one\"\n  size 0.25\n}\nP {\n  translation 1 2 3\n}\n");
  EXPECT_EQ(kept.written.instances, 2u);
}

// Before R2022a the axis of a Cylinder was y.
TEST(KeptProtos, HaveConvertedNodesAmongTheirParameters) {
  const TemporaryProject project;
  project.write("protos/P.proto",
                "#VRML_SIM R2025a utf8\nPROTO P [ field MFNode tools [ ] field SFNode body NULL ] "
                "{ Solid { children [ Group { children IS tools } ] boundingObject IS body } }\n");
  project.write("protos/Tool.proto",
                "#VRML_SIM R2022b utf8\nPROTO Tool [ field SFFloat height 2 ] { Pose { children [ "
                "Shape { geometry Cone { height IS height } } ] } }\n");
  const Kept kept =
      keep(project,
           "#VRML_SIM R2021b utf8\nWorldInfo {\n}\nP { tools [ DEF C Shape { geometry Cylinder { } "
           "} Tool { height 0.5 } USE C ] body Capsule { } }\n");
  EXPECT_EQ(kept.messages, Messages());
  EXPECT_EQ(kept.written.instances, 2u);
  EXPECT_NE(kept.written.text.find("  tools [\n    Pose {\n      rotation 1 0 0 "
                                   "-1.5707963267948966\n      children [\n        DEF C Shape"),
            std::string::npos)
      << kept.written.text;
  EXPECT_NE(kept.written.text.find("    Tool {\n      height 0.5\n    }\n"), std::string::npos)
      << kept.written.text;
  EXPECT_NE(kept.written.text.find("  body Pose {\n    rotation 1 0 0 -1.57"), std::string::npos)
      << kept.written.text;
}

// Gravity is along -x, so the whole world is turned, with the poses of instances.
TEST(KeptProtos, TurnWithTheWorld) {
  const TemporaryProject project;
  project.write("protos/P.proto",
                "#VRML_SIM R2025a utf8\nPROTO P [ field SFVec3f translation 0 0 0 field SFRotation "
                "rotation 0 0 1 0 ] { Solid { translation IS translation rotation IS rotation } "
                "}\n");
  const Kept kept =
      keep(project,
           "#VRML_SIM R2020a utf8\nWorldInfo { gravity -9.81 0 0 }\nP { translation 1 0 "
           "0 }\n");
  EXPECT_NE(kept.written.text.find("\nP {\n  translation 0 0 1\n  rotation "), std::string::npos)
      << kept.written.text;
  EXPECT_EQ(kept.written.instances, 1u);
}

struct Unfit {
  const char* name;
  const char* file;
  const char* reason;  ///< the text after the name of the file
  friend void PrintTo(const Unfit& unfit, std::ostream* out) { *out << unfit.name; }
};

class UnfitProtos : public testing::TestWithParam<Unfit> {};

TEST_P(UnfitProtos, AreWrittenOutOnceTheyAreNamed) {
  const TemporaryProject project;
  project.write("protos/P.proto", GetParam().file);
  const Kept kept = keep(project, "#VRML_SIM R2025a utf8\nWorldInfo {\n}\nP {\n}\nP {\n}\n");
  EXPECT_EQ(kept.messages,
            Messages{written_out("'" + project.path("protos/P.proto") + "' " + GetParam().reason)});
  EXPECT_EQ(kept.written.text, "#VRML_SIM R2025a utf8\nWorldInfo {\n}\nSolid {\n}\nSolid {\n}\n");
  EXPECT_EQ(kept.written.instances, 0u);
  EXPECT_TRUE(kept.written.nodes.empty());
}

INSTANTIATE_TEST_SUITE_P(
    All, UnfitProtos,
    testing::ValuesIn(std::vector<Unfit>{
        {"OldFile", "#VRML_SIM R2022a utf8\nPROTO P [ ] { Solid { } }\n",
         "is of R2022a; only those since R2022b are read as they are"},
        {"NoHeader", "PROTO P [ ] { Solid { } }\n", "names no version in its first line"},
        {"Lua",
         "#VRML_SIM R2025a utf8\nPROTO P [ field SFInt32 n 1 ] { Solid { %{ if fields.n.value > 1 "
         "then }% name \"x\" %{ end }% } }\n",
         "is a Lua template, which Webots reads up to R2023b"},
        {"Unused", "#VRML_SIM R2025a utf8\nPROTO P [ field SFNode hand Servo { } ] { Solid { } }\n",
         "has a Servo, which is no node of R2025a and has no EXTERNPROTO line"},
    }),
    [](const auto& test) { return std::string(test.param.name); });

TEST(KeptProtos, AreNotInsideOfWhatIsScaled) {
  const TemporaryProject project;
  project.write("protos/P.proto",
                "#VRML_SIM R2023a utf8\nPROTO P [ ] { Solid { boundingObject Box { } } }\n");
  const Kept kept = keep(
      project,
      "#VRML_SIM R2023a utf8\nWorldInfo {\n}\nTransform { scale 3 3 3 children [ P { } ] }\nP { "
      "}\n");
  EXPECT_EQ(kept.messages,
            Messages{written_out("its file makes other nodes of what is converted")});
  EXPECT_EQ(kept.written.instances, 1u);
  EXPECT_NE(kept.written.text.find("size 6 6 6"), std::string::npos) << kept.written.text;
}

// An instance is in the body of another one that is written out, and a further instance has no
// file.
TEST(KeptProtos, StayWhereOthersAreWrittenOut) {
  const TemporaryProject project;
  project.write("protos/P.proto",
                "#VRML_SIM R2020a utf8\nPROTO P [ ] { Solid { children [ Q { n 3 } ] } }\n");
  project.write("protos/Q.proto",
                "#VRML_SIM R2025a utf8\nPROTO Q [ field SFFloat n 1 ] { Pose { children [ Solid { "
                "radarCrossSection IS n } ] } }\n");
  const Kept kept = keep(project, "#VRML_SIM R2025a utf8\nWorldInfo {\n}\nP {\n}\nFloor {\n}\n");
  EXPECT_EQ(kept.messages.back(),
            "PROTO 'Floor' is written out as its nodes: PROTO 'Floor' has no file here: servosim "
            "makes its shapes without one");
  EXPECT_NE(kept.written.text.find("EXTERNPROTO \"../protos/Q.proto\""), std::string::npos);
  EXPECT_NE(kept.written.text.find("    Q {\n      n 3\n    }\n"), std::string::npos)
      << kept.written.text;
  EXPECT_EQ(kept.written.instances, 1u);
}

TEST(KeptProtos, MayBeTemplates) {
  const TemporaryProject project;
  project.write("protos/P.proto",
                "#VRML_SIM R2023b utf8\n# template language: javascript\nPROTO P [ field SFInt32 n "
                "1 field MFNode parts [ ] ] { Group { children [ %< for (let i = 0; i < "
                "fields.n.value; i++) { >% Pose { translation %<= i >% 0 0 } %< } >% %< if "
                "(fields.parts.value.length > 0) { >% Solid { } %< } >% ] } }\n");
  const Kept kept = keep(project, "#VRML_SIM R2023b utf8\nWorldInfo {\n}\nP {\n  n 3\n}\n");
  EXPECT_EQ(kept.messages, Messages());
  EXPECT_NE(kept.written.text.find("\nP {\n  n 3\n}\n"), std::string::npos) << kept.written.text;
  const Kept old = keep(project,
                        "#VRML_SIM R2021b utf8\nWorldInfo {\n}\nP {\n  parts [ Shape { geometry "
                        "Cone { } } ] }\n");
  EXPECT_EQ(old.messages,
            Messages{written_out("its template uses the nodes in 'parts', which change")});
}

}  // namespace
}  // namespace servosim
