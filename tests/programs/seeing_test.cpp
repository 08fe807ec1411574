// SPDX-License-Identifier: Apache-2.0
// Controllers in the manner of public ones do their tasks by what their robots see. In each world a
// Supervisor, the judge, knows where everything is, and ends the run when the task is done.
#include <gtest/gtest.h>

#include <string>

#include "programs/program.h"
#include "programs/shell.h"

namespace servosim {
namespace {

using test::contains;
using test::Project;
using test::shell;
using test::ShellResult;

struct SeeingTask {
  std::string world;
  bool is_in_python = false;
};
void PrintTo(const SeeingTask& task, std::ostream* out) { *out << task.world; }

class Seeing : public testing::TestWithParam<SeeingTask> {};

TEST_P(Seeing, DoesItsTask) {
  if (GetParam().is_in_python) {
    SKIP_WITHOUT_PYTHON_API();
  }
  // As for RangeFinders: LeakSanitizer does not always end with Embree's threads.
  const test::ScopedVariable no_leak_check("LSAN_OPTIONS", "detect_leaks=0");
  const Project project("seeing");
  const ShellResult run =
      shell("servosim run worlds/" + GetParam().world + ".wbt --duration 90 2>&1",
            project.folder().path());
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_TRUE(contains(run.output, "[judge] done\n")) << run.output;
  EXPECT_FALSE(contains(run.output, "warning:")) << run.output;
  EXPECT_FALSE(contains(run.output, "error:")) << run.output;
}

INSTANTIATE_TEST_SUITE_P(
    Tasks, Seeing,
    testing::Values(SeeingTask{"line_follower"}, SeeingTask{"color_blob"},
                    SeeingTask{"marker", true}, SeeingTask{"avoider"}, SeeingTask{"wall_follower"},
                    SeeingTask{"scan_matcher", true}, SeeingTask{"pick_and_place", true},
                    SeeingTask{"segmenter"}, SeeingTask{"lander"}, SeeingTask{"signs", true}),
    [](const auto& made) { return made.param.world; });

}  // namespace
}  // namespace servosim
