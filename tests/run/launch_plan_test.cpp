// SPDX-License-Identifier: Apache-2.0
#include "run/launch_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "run/controller_finder.h"
#include "run/test_support.h"

namespace servosim {

namespace {

namespace fs = std::filesystem;
using test::ScopedVariable;
using test::TempFolder;
using Words = std::vector<std::string>;

class MakeLaunch : public testing::Test {
 protected:
  Launch launch_of(const ControllerChoice& choice) {
    Launch launch = make_launch(choice, BuiltController{choice.program},
                                {"arm", project_.path(), proto_.path(), {"1", "two words"}},
                                {"/kit/include/controller/c", "/kit/lib/controller", "/kit"});
    const auto& list = launch.spec.environment;
    environment_ = {list.begin(), list.end()};
    return launch;
  }
  Launch launch(const std::string& file) {
    return launch_of(choose_controller(project_ / ("controllers/walk/" + file)));
  }
  std::string in_folder(const std::string& name) {
    return (project_ / "controllers/walk" / name).lexically_normal().string();
  }
  void write(const std::string& file, const std::string& text) {
    project_.write_program("controllers/walk/" + file, text);
  }

  TempFolder project_;
  TempFolder proto_;
  std::map<std::string, std::string> environment_;
  ScopedVariable no_library_path_{"LD_LIBRARY_PATH", "/old/lib"};
  ScopedVariable no_python_path_{"PYTHONPATH", ""};
  ScopedVariable no_webots_path_{"WEBOTS_LIBRARY_PATH", ""};
};

// Words in comments and parts of names do not count.
TEST_F(MakeLaunch, KnowsControllersThatOpenWindows) {
  const ScopedVariable x11("DISPLAY", "");
  const ScopedVariable wayland("WAYLAND_DISPLAY", "");
  const auto opens = [&](const std::string& file, const std::string& text) {
    write(file, text);
    const Words notes = launch(file).notes;
    return std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
      return note.find("opens windows, and there is no display") != std::string::npos;
    });
  };
  for (const char* text :
       {"import turtle\n", "from turtle import Turtle\n", "import sys, tkinter as tk\n",
        "import matplotlib.pyplot as plt\r\n", "from matplotlib import (cm, pyplot as plt)\n",
        "if True:\n  from PyQt5.QtWidgets import QLabel\n", "import cv2\ncv2.imshow('w', f)\n",
        "import sys; import pygame\n"}) {
    EXPECT_TRUE(opens("walk.py", text)) << text;
  }
  for (const char* text :
       {"# import turtle\n", "robot = 'turtlebot'\n", "import turtlebot\n",
        "from robots import turtle_walk\n", "import matplotlib\n", "def imshow_later(f): pass\n",
        "x = 1  # cv2.imshow('w', f)\n", "print('cv2.imshow(')\n", ""}) {
    EXPECT_FALSE(opens("walk.py", text)) << text;
  }
}

TEST_F(MakeLaunch, SetsWhatWebotsSets) {
  write("walk", "#!/bin/sh\n");
  project_.write("libraries/b/x", "");
  project_.write("libraries/a/x", "");
  proto_.write("libraries/c/x", "");
  const Launch launched = launch("walk");
  EXPECT_EQ(launched.spec.program, in_folder("walk"));
  EXPECT_EQ(launched.spec.folder, project_ / "controllers/walk");
  EXPECT_EQ(launched.spec.arguments, (Words{"1", "two words"}));
  EXPECT_EQ(environment_["WEBOTS_HOME"], "/kit");
  EXPECT_EQ(environment_["WEBOTS_ROBOT_NAME"], "arm");
  EXPECT_EQ(environment_["WEBOTS_CONTROLLER_NAME"], "walk");
  EXPECT_EQ(environment_["WEBOTS_PROJECT"], project_.path());
  EXPECT_EQ(environment_["PYTHONPATH"], "/kit/lib/controller/python");
  EXPECT_EQ(environment_["PYTHONIOENCODING"], "UTF-8");
  EXPECT_EQ(environment_["LD_LIBRARY_PATH"],
            "/kit/lib/controller:" + (project_ / "controllers/walk").string() + ":" +
                (project_ / "libraries/a").string() + ":" + (project_ / "libraries/b").string() +
                ":" + (proto_ / "libraries/c").string() + ":/old/lib");
}

TEST_F(MakeLaunch, FollowsRuntimeIni) {
  write("walk", "#!/bin/sh\n");
  write("runtime.ini",
        "[environment variables with paths]\nWEBOTS_LIBRARY_PATH = lib:$(NO_SUCH):/abs:../up\n"
        "[environment variables]\nURI = http://$(HOST_OF_TEST):1/$(\nWEBOTS_ROBOT_NAME = leg\n"
        "SERVOSIM_CONTROLLER_FD = 0\nPYTHONPATH = mine\nnonsense\n");
  const ScopedVariable host("HOST_OF_TEST", "there");
  const Launch launched = launch("walk");
  EXPECT_EQ(environment_["URI"], "http://there:1/$(");
  EXPECT_EQ(environment_["WEBOTS_LIBRARY_PATH"],
            in_folder("lib") + "::/abs:" + (project_ / "controllers/up").string());
  EXPECT_EQ(environment_["LD_LIBRARY_PATH"], "/kit/lib/controller:" + in_folder("lib") +
                                                 ":/abs:" + (project_ / "controllers/up").string() +
                                                 ":" + (project_ / "controllers/walk").string() +
                                                 ":/old/lib");
  EXPECT_EQ(environment_["WEBOTS_ROBOT_NAME"], "arm");
  EXPECT_EQ(environment_.count("SERVOSIM_CONTROLLER_FD"), 0u);
  EXPECT_EQ(environment_["PYTHONPATH"], "/kit/lib/controller/python:mine");
  EXPECT_EQ(launched.warnings, Words{"'" + in_folder("runtime.ini") +
                                     "', line 8: neither [SECTION] nor KEY = VALUE; left out"});
}

class MakeLaunchOfPython : public MakeLaunch {
 protected:
  MakeLaunchOfPython() {
    bin_.write_program("python3", "#!/bin/sh\n");
    bin_.write_program("snake9", "#!/bin/sh\n");
  }
  // Returns the command that runs a script with this text, by names without folders.
  Words command(const std::string& text) {
    write("walk.py", text);
    const Launch launched = launch("walk.py");
    Words words{fs::path(launched.spec.program).filename()};
    EXPECT_EQ(launched.spec.program, bin_ / words[0]);
    words.insert(words.end(), launched.spec.arguments.begin(), launched.spec.arguments.end());
    warnings_ = launched.warnings;
    return words;
  }

  TempFolder bin_;
  ScopedVariable path_{"PATH", bin_.path()};
  Words warnings_;
};

TEST_F(MakeLaunchOfPython, TakesPython3) {
  EXPECT_EQ(command("pass\n"), (Words{"python3", "walk.py", "1", "two words"}));
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(MakeLaunchOfPython, TakesWhatTheFirstLineAsksFor) {
  const Words expected{"snake9", "-x", "walk.py", "1", "two words"};
  EXPECT_EQ(command("#!/usr/bin/env -S snake9 -x\r\n"), expected);
  EXPECT_EQ(command("#! " + std::string("snake9 -x")), expected);
  EXPECT_TRUE(warnings_.empty());
  EXPECT_EQ(command("#!/usr/bin/env python2.7\npass\n"),
            (Words{"python3", "walk.py", "1", "two words"}));
  EXPECT_EQ(warnings_, Words{"'" + in_folder("walk.py") +
                             "' asks for 'python2.7', which is not there; python3 runs it"});
}

TEST_F(MakeLaunchOfPython, TakesWhatRuntimeIniAsksFor) {
  write("runtime.ini", "[python]\nCOMMAND = snake9\nOPTIONS = -m package.name\n");
  EXPECT_EQ(command("#!/usr/bin/env python3\n"),
            (Words{"snake9", "-m", "package.name", "walk.py", "1", "two words"}));
}

TEST_F(MakeLaunchOfPython, SaysWhatToInstall) {
  fs::remove(bin_ / "python3");
  write("walk.py", "pass\n");
  try {
    launch("walk.py");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), "there is no python3 to run '" + in_folder("walk.py") +
                                "'; on Debian: apt-get install python3");
  }
}

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
  EXPECT_TRUE(ini.faults.empty());
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
  EXPECT_EQ(ini.faults, expected);
}

}  // namespace

}  // namespace servosim
