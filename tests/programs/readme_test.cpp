// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include "programs/program.h"
#include "programs/shell.h"

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

std::set<std::string> variables_in(const std::string& text, const std::string& pattern) {
  std::set<std::string> names;
  const std::regex regex(pattern);
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it) {
    names.insert((*it)[1]);
  }
  return names;
}

TEST(Environment, EveryVariableIsInTheTable) {
  const std::filesystem::path root(SERVOSIM_SOURCE_DIR);
  std::set<std::string> read;
  for (const char* const folder : {"src", "python"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      if (entry.is_regular_file() && entry.path().extension() != ".pyc") {
        read.merge(variables_in(read_text(entry.path()), "[\"'](SERVOSIM_[A-Z_]*[A-Z])[\"']"));
        read.merge(variables_in(read_text(entry.path()), "getenv\\(\"([A-Z_]+)\"\\)"));
      }
    }
  }
  const std::set<std::string> known =
      variables_in(read_text(root / "docs/environment.md"), "`([A-Z_]+)`");
  EXPECT_GT(read.size(), 15u);
  for (const std::string& name : read) {
    EXPECT_EQ(known.count(name), 1u) << name;
  }
}

}  // namespace
}  // namespace servosim::test
