// SPDX-License-Identifier: Apache-2.0
#include "programs/shell.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <regex>
#include <sstream>

#include "programs/program.h"

namespace servosim::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrelude = R"(
servosim() {
  "$SERVOSIM_UNDER_TEST" "$@"
  local status=$?
  echo $status > "$STATUS_FILE"
  return $status
}
)";

}  // namespace

ShellResult shell(const std::string& script, const fs::path& folder) {
  const TempFolder work;
  const fs::path file = work.write("script", kPrelude + script);
  const ScopedVariable program("SERVOSIM_UNDER_TEST", SERVOSIM_PROGRAM);
  const ScopedVariable compiler("CC", SERVOSIM_TEST_COMPILER);
  const ScopedVariable status_file("STATUS_FILE", (folder / "status").string());
  const ScopedVariable path("SCRIPT_FILE", file.string());
  const ScopedVariable cwd("SCRIPT_FOLDER", folder.string());
  FILE* pipe =
      ::popen("cd \"$SCRIPT_FOLDER\" && exec bash --norc --noprofile \"$SCRIPT_FILE\" 2>&1", "r");
  ShellResult result{-1, {}};
  if (pipe == nullptr) {
    return result;
  }
  std::array<char, 4096> buffer;
  for (std::size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    result.output.append(buffer.data(), n);
  }
  const int status = ::pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

std::string help_of(const std::string& command) {
  Program program(command.empty() ? std::vector<std::string>{"--help"}
                                  : std::vector<std::string>{command, "--help"});
  EXPECT_EQ(program.finish(), 0) << command;
  EXPECT_EQ(program.err(), "");
  return program.out();
}

std::vector<std::string> commands() {
  std::vector<std::string> names{""};
  std::istringstream page(help_of(""));
  bool listed = false;
  for (std::string line; std::getline(page, line);) {
    listed = line == "Commands:" || (listed && !line.empty());
    if (listed && line.substr(0, 2) == "  ") {
      names.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
  }
  return names;
}

std::set<std::string> options_in_help(const std::string& command) {
  static const std::regex kOption("\n  (-\\w)?(?:, )?(--[a-z-]+)?");
  const std::string page = help_of(command);
  std::set<std::string> options;
  for (std::sregex_iterator match(page.begin(), page.end(), kOption), end; match != end; ++match) {
    for (const std::string& name : {(*match)[1].str(), (*match)[2].str()}) {
      if (!name.empty()) {
        options.insert(name);
      }
    }
  }
  return options;
}

void copy_worlds_and_controllers(const fs::path& folder) {
  const fs::path source(SERVOSIM_SOURCE_DIR);
  for (const char* name : {"worlds", "controllers"}) {
    fs::copy(source / name, folder / name, fs::copy_options::recursive);
  }
}

void expect_to_work(const std::vector<std::string>& examples) {
  const TempFolder folder;
  copy_worlds_and_controllers(folder.path());
  fs::create_directories(folder / "docs/reference");
  fs::create_directories(folder / "protos");
  for (const std::string& example : examples) {
    // `servosim fetch` creates the cache, and other tests would search it.
    const ShellResult result =
        shell("export XDG_CACHE_HOME=\"$PWD/cache\"\n" + example + '\n', folder.path());
    EXPECT_EQ(read_text(folder / "status"), "0\n") << example << '\n' << result.output;
    fs::remove(folder / "status");
  }
}

}  // namespace servosim::test
