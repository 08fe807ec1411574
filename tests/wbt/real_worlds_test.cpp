// SPDX-License-Identifier: Apache-2.0
// Public worlds that are not part of this project; skipped where they are not at hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "wbt/world_file.h"

namespace servosim::wbt {
namespace {

struct RealWorld {
  const char* path;
  const char* version;
  std::vector<std::string> said;  // without what follows " not found", in order of appearance

  friend void PrintTo(const RealWorld& world, std::ostream* out) {
    *out << std::filesystem::path(world.path).stem().string();
  }
};

class RealWorlds : public testing::TestWithParam<RealWorld> {};

TEST_P(RealWorlds, SayOnlyWhatIsMissingOrGivenTwice) {
  const std::string path = std::string(SERVOSIM_SHARED_WORLDS_DIR) + "/" + GetParam().path;
  Diagnostics diagnostics;
  const WorldFile world = read_world(path, {}, diagnostics);
  if (diagnostics.errors() == 1 && diagnostics.list()[0].message.starts_with("cannot be read")) {
    GTEST_SKIP() << "no file " << path;
  }
  EXPECT_EQ(to_string(world.version), GetParam().version);
  std::vector<std::string> said;
  for (const Diagnostic& d : diagnostics.list()) {
    if (!d.only_looks) {
      said.push_back(d.message.substr(0, d.message.find(" not found")));
    }
  }
  said.erase(std::unique(said.begin(), said.end()), said.end());
  EXPECT_EQ(said, GetParam().said);
}

INSTANTIATE_TEST_SUITE_P(
    All, RealWorlds,
    testing::Values(
        RealWorld{"v6-saffir/worlds/saffir.wbt", "V6.0", {"PROTO 'MetricFloor'"}},
        RealWorld{
            "v6-charli/worlds/charli_test_walk.wbt",
            "V6.0",
            {"PROTO 'TeenSoccerField'", "Robot has a field 'name' already; the last one is used",
             "Robot has a field 'controller' already; the last one is used", "PROTO 'Ball'",
             "PROTO 'TeenWalls'", "PROTO 'TeenGoal'", "PROTO 'Landmark'"}},
        RealWorld{"r2020a-monopod/monopod.wbt", "R2020a", {"PROTO 'Floor'"}},
        RealWorld{"r2020a-biped/biped.wbt", "R2020a", {"PROTO 'Floor'"}},
        RealWorld{
            "r2021b-arm/robot_arm.wbt", "R2021b", {"PROTO 'RectangleArena'", "PROTO 'SolidBox'"}},
        RealWorld{
            "r2025a-pendulum/my_inverted_pendulum.wbt", "R2025a", {"PROTO 'RectangleArena'"}}),
    testing::PrintToStringParamName());

}  // namespace
}  // namespace servosim::wbt
