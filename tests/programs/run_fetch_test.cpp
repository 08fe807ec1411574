// SPDX-License-Identifier: Apache-2.0
// `servosim run --fetch` without a server: the run reports what it lacks, and how it ended.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "programs/program.h"

namespace servosim::test {
namespace {

class RunFetch : public testing::Test {
 protected:
  // Nothing listens at the port of tcpmux.
  static std::vector<std::string> command(const std::vector<std::string>& more) {
    std::vector<std::string> all{"run",     "--fetch", "--mirror", "http://127.0.0.1:1/files",
                                 "--steps", "1"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  TempFolder folder_;
  ScopedVariable cache_{"XDG_CACHE_HOME", (folder_ / "cache").string()};
  ScopedVariable no_proxy_{"no_proxy", "127.0.0.1"};
};

TEST_F(RunFetch, LeavesTheExitCodeToTheRun) {
  const std::string lacking =
      folder_.write("worlds/w.wbt", "#VRML_SIM R2021b utf8\nWorldInfo { }\nBlimp { }\n");
  Program incomplete(command({lacking}));
  EXPECT_EQ(incomplete.finish(), 3) << incomplete.out() << incomplete.err();
  EXPECT_TRUE(contains(incomplete.out(), "1 failed")) << incomplete.out();
  Program allowed(command({"--allow-missing=protos", "--json", lacking}));
  EXPECT_EQ(allowed.finish(), 0) << allowed.out() << allowed.err();
  EXPECT_TRUE(contains(allowed.err(), "1 failed")) << allowed.err();
  EXPECT_TRUE(contains(allowed.out(), "\"exit_code\": 0")) << allowed.out();
}

TEST_F(RunFetch, LeavesAWorldThatIsWrongToTheRun) {
  const std::string good =
      folder_.write("worlds/good.wbt", "#VRML_SIM R2023b utf8\nWorldInfo { }\n");
  const std::string gone = (folder_ / "worlds/gone.wbt").string();
  constexpr const char* kUnreadable = "gone.wbt:1:1: error: cannot be read";
  Program several(command({"--json", gone, good}));
  EXPECT_EQ(several.finish(), 2) << several.out() << several.err();
  EXPECT_TRUE(contains(several.out(), kUnreadable)) << several.out();
  EXPECT_TRUE(contains(several.out(), "\"steps\": 1")) << several.out();
  Program one(command({"--json", gone}));
  EXPECT_EQ(one.finish(), 2) << one.out() << one.err();
  EXPECT_TRUE(contains(one.out(), kUnreadable)) << one.out();
  Program text(command({gone}));
  EXPECT_EQ(text.finish(), 2) << text.out() << text.err();
  EXPECT_EQ(std::count(text.err().begin(), text.err().end(), '\n'), 1) << text.err();
  EXPECT_EQ(text.out(), "");
}

}  // namespace
}  // namespace servosim::test
