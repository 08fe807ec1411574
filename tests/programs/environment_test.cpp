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
      variables_in(read_text(root / "docs/reference/environment.md"), "`([A-Z_]+)`");
  EXPECT_GT(read.size(), 15u);
  for (const std::string& name : read) {
    EXPECT_EQ(known.count(name), 1u) << name;
  }
}

}  // namespace
}  // namespace servosim::test
