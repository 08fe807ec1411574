// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "host/program.h"
#include "host/shell.h"

namespace servosim::test {
namespace {

// Wall-clock times, and bits that are the same on one machine type and build only.
std::string without_what_varies(const std::string& text) {
  const std::string steady =
      std::regex_replace(text, std::regex("in [0-9.]+ s, [0-9.e+]+ x real time"), "in TIME");
  return std::regex_replace(steady, std::regex("state_hash: [0-9a-f]{16}"), "state_hash: BITS");
}

TEST(Readme, ShowsWhatTheCommandsPrint) {
  const std::string readme = read_text(std::filesystem::path(SERVOSIM_SOURCE_DIR) / "README.md");
  const TempFolder folder;
  copy_worlds_and_controllers(folder.path());
  const std::string start = "```console\n$ servosim ";
  int shown = 0;
  for (std::size_t at = readme.find(start); at != std::string::npos; at = readme.find(start, at)) {
    at += start.size();
    const std::size_t end_of_command = readme.find('\n', at);
    const std::string command = "servosim " + readme.substr(at, end_of_command - at);
    const std::size_t end = readme.find("```", at);
    const std::string expected = readme.substr(end_of_command + 1, end - end_of_command - 1);
    // That it compiles the controller is said on standard error.
    const ShellResult result = shell(command + " 2>/dev/null\n", folder.path());
    EXPECT_EQ(result.status, 0) << command;
    EXPECT_EQ(without_what_varies(result.output), without_what_varies(expected)) << command;
    ++shown;
  }
  EXPECT_EQ(shown, 3);
}

}  // namespace
}  // namespace servosim::test
