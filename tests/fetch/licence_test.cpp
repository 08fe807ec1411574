// SPDX-License-Identifier: Apache-2.0
#include "fetch/licence.h"

#include <gtest/gtest.h>

namespace servosim::fetch {
namespace {

TEST(Licence, StandsInTheCommentsAtTheHead) {
  const Licence licence = licence_of(
      "#VRML_SIM R2023b utf8\r\n# license: Apache License 2.0\r\n# license url: "
      "http://www.apache.org/licenses/LICENSE-2.0\r\n\r\n# keywords: robot\nPROTO P [ ] { }\n");
  EXPECT_EQ(licence.text, "Apache License 2.0");
  EXPECT_EQ(licence.address, "http://www.apache.org/licenses/LICENSE-2.0");
  EXPECT_EQ(licence.shown(), "Apache License 2.0 (http://www.apache.org/licenses/LICENSE-2.0)");
  EXPECT_FALSE(licence.is_for_webots_only());
}

TEST(Licence, FurtherDownIsNone) {
  const Licence licence = licence_of("#VRML_SIM R2023b utf8\nPROTO P [ ] {\n# license: MIT\n}\n");
  EXPECT_FALSE(licence.is_stated());
  EXPECT_EQ(licence.shown(), "none stated");
  EXPECT_EQ(licence_of("").text, "");
  EXPECT_EQ(licence_of("#").text, "");
  EXPECT_EQ(licence_of("# license").text, "");
  EXPECT_EQ(licence_of("##  LICENCE :  MIT  \n# license: other").text, "MIT");
}

TEST(Licence, MayBeForWebotsOnly) {
  for (const char* text :
       {"# license: Copyright Cyberbotics Ltd. Licensed for use only with Webots.",
        "# license: Licensed for use ONLY with Webots", "# license: Webots Assets License",
        "# license: see there\n# license url: https://cyberbotics.com/webots_assets_license",
        "# license: may be used with Webots only"}) {
    EXPECT_TRUE(licence_of(text).is_for_webots_only()) << text;
  }
  for (const char* text : {"# license: MIT, made with Webots", "# license: BSD", "",
                           "# license: CC-BY-4.0\n# license url: https://example.org/webots"}) {
    EXPECT_FALSE(licence_of(text).is_for_webots_only()) << text;
  }
  EXPECT_TRUE(webots_assets_licence().is_for_webots_only());
}

}  // namespace
}  // namespace servosim::fetch
