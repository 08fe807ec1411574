// SPDX-License-Identifier: Apache-2.0
#include "wbt/eras/version.h"

#include <gtest/gtest.h>

namespace servosim::wbt {
namespace {

TEST(Version, ReadsEveryEra) {
  EXPECT_EQ(parse_version("V3.0"), (Version{3, 0, 0}));
  EXPECT_EQ(parse_version("V6.0"), (Version{6, 0, 0}));
  EXPECT_EQ(parse_version("V7.4.3"), (Version{7, 4, 3}));
  EXPECT_EQ(parse_version("V8.6"), (Version{8, 6, 0}));
  EXPECT_EQ(parse_version("R2018a"), (Version{2018, 0, 0}));
  EXPECT_EQ(parse_version("R2021b revision 1"), (Version{2021, 1, 1}));
  EXPECT_EQ(parse_version("R2020b-rev2"), (Version{2020, 1, 2}));
}

TEST(Version, RefusesWhatIsNone) {
  for (const char* text : {"", "V", "V6", "V6.", "V6.x", "6.0", "R", "R2021", "R2021B", "R2021b2",
                           "R2021b revision", "V7.4.3.2", "V-6.0", "R99999a", "V2021.1", "R12a"}) {
    EXPECT_EQ(parse_version(text), std::nullopt) << text;
  }
}

TEST(Version, EveryVIsOlderThanEveryR) {
  EXPECT_LT(*parse_version("V8.6.2"), *parse_version("R2018a"));
  EXPECT_LT(*parse_version("V7.4.3"), *parse_version("V8.0"));
  EXPECT_LT(*parse_version("R2021b"), *parse_version("R2021b revision 1"));
  EXPECT_LT(*parse_version("R2021b revision 1"), *parse_version("R2022a"));
}

TEST(Version, IsWrittenAsRead) {
  for (const char* text : {"V6.0", "V7.4.3", "R2018a", "R2021b revision 1"}) {
    EXPECT_EQ(to_string(*parse_version(text)), text);
  }
}

// The change of axes came between R2021b-rev1 and R2021c.
TEST(Version, GeometryAxisTurnsToZAfterR2021bRevision1) {
  EXPECT_FALSE(geometry_axis_is_z(*parse_version("V6.0")));
  EXPECT_FALSE(geometry_axis_is_z(*parse_version("R2021b revision 1")));
  EXPECT_TRUE(geometry_axis_is_z(*parse_version("R2021c")));
  EXPECT_TRUE(geometry_axis_is_z(*parse_version("R2025a")));
}

}  // namespace
}  // namespace servosim::wbt
