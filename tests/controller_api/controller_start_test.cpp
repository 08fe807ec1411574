// SPDX-License-Identifier: Apache-2.0
// How a controller finds its simulation, and which error it gives when it does not find one.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

struct Result {
  int status = -1;
  std::string output;  // stdout and stderr
};

// Runs a shell command in an environment without any variables of servosim.
Result run(const std::string& settings, const std::string& program) {
  const std::string command =
      "env -u SERVOSIM_WORLD -u SERVOSIM_CONTROLLER_FD -u WEBOTS_ROBOT_NAME -u SERVOSIM_TRACE "
      "-u SERVOSIM_WATCH -u SERVOSIM_SEED -u WEBOTS_CONTROLLER_URL TMPDIR=/nowhere " +
      settings + " " + program + " 2>&1";
  Result result;
  FILE* pipe = popen(command.c_str(), "r");
  std::array<char, 4096> buffer;
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    result.output.append(buffer.data(), got);
  }
  const int status = pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

class TemporaryFolder {
 public:
  TemporaryFolder() : path_(testing::TempDir() + "controller_start") {
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }
  std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = std::filesystem::path(path_) / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file.string();
  }

 private:
  std::string path_;
};

// The path is quoted for the shell, because a clone may be in a folder with spaces in its name.
const std::string kProgram = "'" API_NO_INIT "'";

std::string world(const std::string& name) {
  return "SERVOSIM_WORLD='" SERVOSIM_TEST_DIR "/worlds/" + name + "'";
}

bool says(const Result& result, const std::string& text) {
  return result.output.find(text) != std::string::npos;
}

TEST(ControllerStart, WithoutASimulationSaysWhatToDo) {
  const Result result = run("", kProgram + " quietly");
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(says(result, "servosim run WORLD.wbt")) << result.output;
  EXPECT_TRUE(says(result, "SERVOSIM_WORLD=WORLD.wbt")) << result.output;
}

TEST(ControllerStart, SeveralRobotsAreNamed) {
  const Result result = run(world("api_several.wbt"), kProgram + " quietly");
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(says(result, "\"anna\", \"bert\"")) << result.output;
}

TEST(ControllerStart, AnUnknownRobotIsRefused) {
  const Result result =
      run("WEBOTS_ROBOT_NAME=carl " + world("api_several.wbt"), kProgram + " quietly");
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(says(result, "no robot is called \"carl\"; there is \"anna\", \"bert\""))
      << result.output;
}

TEST(ControllerStart, ARobotIsChosenByName) {
  const Result result =
      run("WEBOTS_ROBOT_NAME=anna " + world("api_several.wbt"), kProgram + " quietly wheel");
  EXPECT_EQ(result.status, 0) << result.output;
}

// The robot of the world is a PROTO that does not exist, or is in a folder that the environment
// names.
TEST(ControllerStart, ProtosAreFoundInTheFoldersNamed) {
  const TemporaryFolder folder;
  folder.write("away/Cart.proto",
               "#VRML_SIM R2023b utf8\nPROTO Cart [ ] {\n  Robot { children [ HingeJoint { device "
               "RotationalMotor { name \"wheel\" } endPoint Solid { } } ] }\n}\n");
  const std::string setting =
      "SERVOSIM_WORLD=" + folder.write("cart.wbt", "#VRML_SIM R2023b utf8\nCart { }\n");
  const Result missing = run(setting, kProgram + " quietly");
  EXPECT_EQ(missing.status, 1);
  EXPECT_TRUE(says(missing, "cart.wbt:2:1: warning: ")) << missing.output;
  EXPECT_TRUE(says(missing, "Error: this world has no robot")) << missing.output;
  const Result found = run("SERVOSIM_PROTO_PATH=/nowhere:" + folder.path() + "/away " + setting,
                           kProgram + " quietly wheel");
  EXPECT_EQ(found.status, 0) << found.output;
  EXPECT_FALSE(says(found, "warning")) << found.output;
}

TEST(ControllerStart, ABrokenWorldIsExplained) {
  const Result result = run(world("api_broken.wbt"), kProgram + " quietly");
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(says(result, "api_broken.wbt:4:7: error: ")) << result.output;
}

TEST(ControllerStart, AMissingWorldIsNamed) {
  const Result result = run("SERVOSIM_WORLD=nowhere/none.wbt", kProgram + " quietly");
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(says(result, "nowhere/none.wbt")) << result.output;
}

TEST(ControllerStart, ABadSeedIsRefused) {
  const Result result = run("SERVOSIM_SEED=12x " + world("api_arm.wbt"), kProgram + " quietly");
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(says(result, "SERVOSIM_SEED=12x")) << result.output;
}

TEST(ControllerStart, ADescriptorThatIsNoSocketIsRefused) {
  for (const char* fd : {"1", "77", "three", "99999999999"}) {
    const Result result = run(std::string("SERVOSIM_CONTROLLER_FD=") + fd, kProgram + " quietly");
    EXPECT_EQ(result.status, 1) << fd;
    EXPECT_TRUE(says(result, std::string("SERVOSIM_CONTROLLER_FD=") + fd)) << result.output;
  }
}

TEST(ControllerStart, ATraceIsWrittenEvenWithoutCleanup) {
  const std::string path = testing::TempDir() + "controller_start_trace.csv";
  const Result result =
      run("SERVOSIM_TRACE=" + path + " " + world("api_arm.wbt"), kProgram + " quietly");
  EXPECT_EQ(result.status, 0) << result.output;
  std::ifstream file(path);
  std::string line;
  std::string last;
  int lines = 0;
  while (std::getline(file, line)) {
    last = line;
    ++lines;
  }
  EXPECT_EQ(lines, 3);  // a header and two steps of 16 ms
  EXPECT_EQ(last.substr(0, last.find(',')), "0.032");
  std::filesystem::remove(path);
}

TEST(ControllerStart, ATraceCanFollowChosenJointsAsJsonLines) {
  const std::string path = testing::TempDir() + "controller_start_trace.jsonl";
  Result result =
      run("SERVOSIM_WATCH='no such,*' SERVOSIM_TRACE=" + path + " " + world("api_arm.wbt"),
          kProgram + " quietly");
  EXPECT_NE(result.output.find("Error: no joint or propeller matches 'no such'"), std::string::npos)
      << result.output;
  result = run("SERVOSIM_WATCH='*' SERVOSIM_TRACE=" + path + " " + world("api_arm.wbt"),
               kProgram + " quietly");
  EXPECT_EQ(result.status, 0) << result.output;
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line.find("{\"format\":\"servosim trace\",\"version\":1,\"world\":\""), 0u) << line;
  int steps = 0;
  while (std::getline(file, line)) {
    EXPECT_EQ(line.find("{\"time\":0.0"), 0u) << line;
    ++steps;
  }
  EXPECT_EQ(steps, 2);
  std::filesystem::remove(path);
}

TEST(ControllerStart, ATraceOverwritesNothingButATrace) {
  const std::string path = testing::TempDir() + "controller_start_trace.wbt";
  std::ofstream(path) << "#VRML_SIM R2023b utf8\n";
  const Result result =
      run("SERVOSIM_TRACE=" + path + " " + world("api_arm.wbt"), kProgram + " quietly");
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(says(result, "a trace is a .csv or .jsonl file, not '" + path)) << result.output;
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  EXPECT_EQ(line, "#VRML_SIM R2023b utf8");
  std::filesystem::remove(path);
}

}  // namespace
