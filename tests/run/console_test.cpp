// SPDX-License-Identifier: Apache-2.0
#include "run/console.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

namespace servosim {
namespace {

TEST(Console, LogsUpToItsLevel) {
  Console console(LogLevel::Warning);
  testing::internal::CaptureStderr();
  console.log(LogLevel::Error, "bad");
  console.log(LogLevel::Warning, "odd");
  console.log(LogLevel::Info, "fine");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "servosim: error: bad\nservosim: warning: odd\n");
}

TEST(Console, WipesTheProgressLineBeforeOthers) {
  Console console;
  testing::internal::CaptureStderr();
  console.progress("12.5 s");
  console.progress("4 s");
  console.log(LogLevel::Warning, "odd");
  console.clear_progress();  // there is no progress line any more
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "\r12.5 s\r4 s   \r      \rservosim: warning: odd\n");
}

TEST(Console, SurvivesAReaderThatLeft) {
  const auto old = ::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  const int saved = ::dup(STDOUT_FILENO);
  ::dup2(ends[1], STDOUT_FILENO);
  ::close(ends[1]);
  Console console;
  console.write(STDOUT_FILENO, "lost\n");
  console.write(STDOUT_FILENO, "lost too\n");
  EXPECT_FALSE(console.output_lost());  // the reader itself closed the output
  ::dup2(saved, STDOUT_FILENO);
  ::close(saved);
  ::signal(SIGPIPE, old);
  testing::internal::CaptureStderr();
  console.write(STDERR_FILENO, "seen\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "seen\n");
}

}  // namespace
}  // namespace servosim
