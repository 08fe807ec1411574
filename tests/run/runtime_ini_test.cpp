// SPDX-License-Identifier: Apache-2.0
#include "run/runtime_ini.h"

#include <gtest/gtest.h>

namespace servosim {
namespace {

TEST(RuntimeIni, TakesTheVariablesThatAreForThisSystem) {
  const RuntimeIni ini = parse_runtime_ini(
      "; a comment\r\n"
      "[environment variables with paths]\r\n"
      "WEBOTS_LIBRARY_PATH = lib:$(WEBOTS_LIBRARY_PATH):../../library\r\n"
      "\n"
      "[environment variables]\n"
      "  URI=http://localhost:11311/?a=b;c  \n"
      "# another\n"
      "QUOTED = \"two words \"\n"
      "[environment variables for Windows]\n"
      "HOME_OF_THINGS = C:\\\n"
      "[environment variables for macOS]\n"
      "HOME_OF_THINGS = /Library\n"
      "[ Environment Variables for Linux ]\n"
      "HOME_OF_THINGS = /usr/share\n"
      "[environment variables for Linux 64]\n"
      "EMPTY =\n"
      "[java]\nCOMMAND = javaw\n[matlab]\nOPTIONS = -x");
  ASSERT_EQ(ini.variables.size(), 5u);
  EXPECT_EQ(ini.variables[0].name, "WEBOTS_LIBRARY_PATH");
  EXPECT_EQ(ini.variables[0].value, "lib:$(WEBOTS_LIBRARY_PATH):../../library");
  EXPECT_TRUE(ini.variables[0].holds_paths);
  EXPECT_EQ(ini.variables[1].name, "URI");
  EXPECT_EQ(ini.variables[1].value, "http://localhost:11311/?a=b;c");
  EXPECT_FALSE(ini.variables[1].holds_paths);
  EXPECT_EQ(ini.variables[2].value, "two words ");
  EXPECT_EQ(ini.variables[3].value, "/usr/share");
  EXPECT_EQ(ini.variables[4].name, "EMPTY");
  EXPECT_EQ(ini.variables[4].value, "");
  EXPECT_TRUE(ini.complaints.empty());
  EXPECT_EQ(ini.python_command, "");
}

TEST(RuntimeIni, TakesThePythonCommand) {
  const RuntimeIni ini = parse_runtime_ini(
      "\xef\xbb\xbf[python]\nCOMMAND = python3.11\nOPTIONS = -m package.name\nOTHER = 1\n");
  EXPECT_EQ(ini.python_command, "python3.11");
  EXPECT_EQ(ini.python_options, "-m package.name");
  EXPECT_TRUE(ini.variables.empty());
}

TEST(RuntimeIni, SaysWhichLinesMeanNothing) {
  using namespace std::string_literals;
  const RuntimeIni ini = parse_runtime_ini(
      "A = 1\n[enviroment variables]\nB = 2\n[environment variables]\nC\n= 3\nD\0 = 4\nE = 5"s);
  ASSERT_EQ(ini.variables.size(), 1u);
  EXPECT_EQ(ini.variables[0].name, "E");
  const std::vector<std::string> expected{"line 2: there is no section 'enviroment variables'",
                                          "line 5: neither [SECTION] nor KEY = VALUE",
                                          "line 6: neither [SECTION] nor KEY = VALUE",
                                          "line 7: neither [SECTION] nor KEY = VALUE"};
  EXPECT_EQ(ini.complaints, expected);
}

}  // namespace
}  // namespace servosim
