// SPDX-License-Identifier: Apache-2.0
// Worlds that a supervisor saves.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>

#include "controller_api/server/session.h"
#include "controller_api/server/supervisor/supervisor_client.h"
#include "wbt/test_support.h"

namespace servosim {
namespace {

constexpr const char* kArm = R"(#VRML_SIM R2023b utf8
PROTO Arm [
  field SFVec3f translation 0 0 0
  field SFString name "arm"
  field SFInt32 channel 3
  field SFInt32 reach 4
]
{
  Robot {
    translation IS translation
    name IS name
    controller "<none>"
    children [
      SolidBox { translation 0 0 -1 rotation 1 1 0 0.7 name "plinth" }
      HingeJoint {
        jointParameters HingeJointParameters { axis 0.3 0 1 position 0.25 anchor 0.1 0 0 }
        endPoint Solid { translation 0.3 0 0 rotation 0.1 0.2 1 0.4 name "hand" }
      }
      Emitter { channel IS channel range IS reach }
    ]
  }
}
)";

class SavedWorld : public testing::Test {
 protected:
  SavedWorld() {
    project_.write("protos/Arm.proto", kArm);
    project_.write("parts/Post.proto", "PROTO Post [ ] { Solid { name \"post\" } }");
    project_.write("worlds/w.wbt", world_);
    simulation_.emplace(project_.path("worlds/w.wbt"));
    client_.emplace(*simulation_, 2);
  }
  std::string save(const std::string& path) {
    SupervisorRequest request;
    request.kind = SupervisorRequestKind::SaveWorld;
    request.text = path;
    client_->call(request);
    EXPECT_EQ(client_->failure(), "");
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  const std::string world_ = R"(#VRML_SIM R2023b utf8
EXTERNPROTO "../protos/Arm.proto"
Arm {
}
Arm {
  translation 5 5 0
  name "b"
}
WorldInfo {
  basicTimeStep 16
}
DEF BOSS Robot {
  name "boss"
  controller "<none>"
  supervisor TRUE
}
)";
  wbt::test::TemporaryProject project_;
  std::optional<Simulation> simulation_;
  std::optional<test::SupervisorClient> client_;
};

TEST_F(SavedWorld, IsTheWorldWhereNothingMoved) {
  EXPECT_EQ(save(project_.path("worlds/again.wbt")), world_);
}

TEST_F(SavedWorld, HasWhatMovedInsideOfItsFirstNode) {
  simulation_->solid(2).set_pose(Pose{Mat3{}, {1, 2, 3}});
  const std::string text = save(project_.path("worlds/again.wbt"));
  EXPECT_NE(text.find("Arm {\n  hidden translation_2 1 "), std::string::npos) << text;
}

TEST_F(SavedWorld, HasWhatControllersSetOfParameters) {
  Emitter& emitter = simulation_->robot("b").emitter("emitter");
  emitter.set_channel(12);
  emitter.set_range(2.5);
  const std::string text = save(project_.path("worlds/again.wbt"));
  EXPECT_NE(text.find("name \"b\"\n  channel 12\n}"), std::string::npos) << text;
  emitter.set_range(std::numeric_limits<double>::infinity());
  EXPECT_EQ(emitter.range(), -1.0) << "a world file has no infinity";
}

TEST_F(SavedWorld, KeepsTheExternProtosOfWhatWasImported) {
  client_->import(nullptr, "", 0,
                  "EXTERNPROTO \"elsewhere/Arm.proto\" EXTERNPROTO \"../parts/Post.proto\"\n"
                  "DEF P Post { }");
  EXPECT_EQ(client_->failure(), "");
  client_->import("BOSS", "children", test::kNodes, "EXTERNPROTO \"../parts/Post.proto\" Post { }");
  EXPECT_EQ(client_->failure(), "");
  const std::string path = project_.path("worlds/deep/again.wbt");
  std::filesystem::create_directories(project_.path("worlds/deep"));
  const std::string text = save(path);
  EXPECT_NE(text.find("EXTERNPROTO \"../../protos/Arm.proto\"\n"
                      "EXTERNPROTO \"../../parts/Post.proto\"\nArm {"),
            std::string::npos)
      << text;
  Diagnostics diagnostics;
  const wbt::WorldFile again = wbt::read_world(path, {}, diagnostics);
  EXPECT_EQ(diagnostics.errors() + diagnostics.warnings(), 0u);
  EXPECT_EQ(again.nodes.back()->proto.name, "Post");
  // A text that is refused leaves nothing behind.
  client_->import(nullptr, "", 0, "EXTERNPROTO \"../parts/Other.proto\" Nothing { }");
  EXPECT_NE(client_->failure(), "");
  EXPECT_EQ(save(path).find("Other"), std::string::npos);
}

// The loaded file may be the only copy of the world.
TEST_F(SavedWorld, ReplacesTheLoadedOneAsAWhole) {
  const std::string path = project_.path("worlds/w.wbt");
  const std::string link = project_.path("worlds/link.wbt");
  std::filesystem::create_symlink("w.wbt", link);
  std::ifstream opened(path);
  simulation_->solid(2).set_pose(Pose{Mat3{}, {1, 2, 3}});
  EXPECT_NE(save(link), world_);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  std::ostringstream text;
  text << opened.rdbuf();
  EXPECT_EQ(text.str(), world_) << "it was written in place";
}

TEST_F(SavedWorld, SaysWhyItCannotBeWritten) {
  SupervisorRequest request;
  request.kind = SupervisorRequestKind::SaveWorld;
  const std::string path = project_.path("nowhere/again.wbt");
  request.text = path;
  client_->call(request);
  EXPECT_NE(client_->failure().find("again.wbt' cannot be written: No such file or directory."),
            std::string::npos)
      << client_->failure();
}

}  // namespace
}  // namespace servosim
