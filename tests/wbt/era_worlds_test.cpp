// SPDX-License-Identifier: Apache-2.0
// Worlds with the nodes of public worlds of their era are read completely, with these messages
// only.
#include <gtest/gtest.h>

#include <algorithm>

#include "wbt/world_file.h"

namespace servosim::wbt {
namespace {

struct EraWorld {
  const char* name;
  const char* version;
  std::vector<std::string> said;  // in order of appearance, without the text after " not found"

  friend void PrintTo(const EraWorld& world, std::ostream* out) { *out << world.name; }
};

class EraWorlds : public testing::TestWithParam<EraWorld> {};

TEST_P(EraWorlds, SayOnlyWhatIsMissingOrGivenTwice) {
  Diagnostics diagnostics;
  const WorldFile world =
      read_world(std::string(SERVOSIM_TEST_DIR "/worlds/eras/worlds/") + GetParam().name + ".wbt",
                 {}, diagnostics);
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
    All, EraWorlds,
    testing::Values(
        EraWorld{"v6_legs", "V6.0", {"PROTO 'MeshedFloor'"}},
        EraWorld{
            "v6_team",
            "V6.0",
            {"PROTO 'ClubField'", "Robot has a field 'name' already; the last one is used",
             "Robot has a field 'controller' already; the last one is used", "PROTO 'ClubDisc'",
             "PROTO 'ClubWalls'", "PROTO 'ClubBasket'", "PROTO 'ClubMark'"}},
        EraWorld{"r2020a_biped", "R2020a", {"PROTO 'Floor'"}},
        EraWorld{"r2020a_hopper", "R2020a", {"PROTO 'Floor'"}},
        EraWorld{"r2021b_arm",
                 "R2021b",
                 {"PROTO 'TexturedBackground'", "PROTO 'TexturedBackgroundLight'",
                  "PROTO 'RectangleArena'", "PROTO 'SolidBox'"}},
        EraWorld{
            "r2025a_pendulum", "R2025a", {"PROTO 'TexturedBackground'", "PROTO 'RectangleArena'"}}),
    testing::PrintToStringParamName());

}  // namespace
}  // namespace servosim::wbt
