// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <csignal>
#include <optional>
#include <system_error>

#include "base/child_process.h"
#include "base/files.h"

namespace servosim::test {
namespace {

TEST(RunFilter, ReadsTheOutputForAnInputFile) {
  const auto file = open_file(SERVOSIM_TEST_DIR "/base/child_test.cpp");
  const int input = std::get<Descriptor>(file).get();
  const ChildOutput output = run_filter({"head", "-n1"}, input, 1000);
  EXPECT_EQ(output.text, "// SPDX-License-Identifier: Apache-2.0\n");
  EXPECT_EQ(output.wait_status, 0);
}

TEST(RunFilter, HasNoInputUnlessGiven) { EXPECT_EQ(run_filter({"cat"}, -1, 1000).text, ""); }

TEST(RunFilter, EndsAProgramThatWritesForEver) {
  const ChildOutput output = run_filter({"yes"}, -1, 100000);
  EXPECT_GT(output.text.size(), 100000u);
  EXPECT_LT(output.text.size(), 200000u);
  EXPECT_EQ(describe_wait_status(output.wait_status.value()), "was ended by SIGPIPE");
}

TEST(RunFilter, HasNoStatusForAnUnknownEnd) {
  auto* const before = std::signal(SIGCHLD, SIG_IGN);  // the system then keeps no status
  const ChildOutput output = run_filter({"sh", "-c", "echo text; exit 3"}, -1, 1000);
  std::signal(SIGCHLD, before);
  EXPECT_EQ(output.text, "text\n");
  EXPECT_EQ(output.wait_status, std::nullopt);
}

TEST(RunFilter, ReportsAProgramThatCannotBeStarted) {
  try {
    run_filter({"/nowhere/filter"}, -1, 1000);
    FAIL() << "nothing was thrown";
  } catch (const std::system_error& error) {
    EXPECT_STREQ(error.what(), "cannot start /nowhere/filter: No such file or directory");
  }
}

}  // namespace
}  // namespace servosim::test
