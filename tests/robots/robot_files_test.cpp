// SPDX-License-Identifier: Apache-2.0
#include "robots/robot_files.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "wbt/test_support.h"

namespace servosim::robots::robot_files_test {
namespace {

using wbt::test::TemporaryProject;

/// Sets a variable of the environment as long as it lives.
class Variable {
 public:
  Variable(std::string name, const std::string& value) : name_(std::move(name)) {
    const char* const before = std::getenv(name_.c_str());
    had_ = before != nullptr;
    before_ = had_ ? before : "";
    ::setenv(name_.c_str(), value.c_str(), 1);
  }
  ~Variable() { had_ ? ::setenv(name_.c_str(), before_.c_str(), 1) : ::unsetenv(name_.c_str()); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  std::string name_;
  std::string before_;
  bool had_ = false;
};

std::string package_xml(const std::string& name) {
  return "<package><name> " + name + " </name></package>";
}

TEST(RobotFiles, FindsPackagesAroundTheFile) {
  TemporaryProject project;
  project.write("ws/arm_description/package.xml", package_xml("arm_description"));
  project.write("ws/arm_description/urdf/arm.urdf", "");
  project.write("ws/arm_description/meshes/a.stl", "");
  project.write("ws/renamed/package.xml", package_xml("other_name"));
  project.write("ws/hand_description/meshes/b.stl", "");
  RobotFiles files(project.path("ws/arm_description/urdf"));
  EXPECT_EQ(files.find("package://arm_description/meshes/a.stl").path,
            project.path("ws/arm_description/meshes/a.stl"));
  EXPECT_EQ(files.find("model://hand_description/meshes/b.stl").path,
            project.path("ws/hand_description/meshes/b.stl"));
  EXPECT_EQ(files.find("../meshes/a.stl").path, project.path("ws/arm_description/meshes/a.stl"));
  EXPECT_EQ(files.find("file://" + project.path("ws/arm_description/meshes/a.stl")).path,
            project.path("ws/arm_description/meshes/a.stl"));
  EXPECT_EQ(files.find("package://arm_description/meshes/c.stl").fault,
            "'package://arm_description/meshes/c.stl' is not found: there is no '" +
                project.path("ws/arm_description/meshes/c.stl") + "'");
  // These exist, but the package of the file ends below them.
  EXPECT_EQ(files.find("../../hand_description/meshes/b.stl").path, "");
  EXPECT_EQ(files.find("package://arm_description/../hand_description/meshes/b.stl").path, "");
}

TEST(RobotFiles, FindsAPackageByTheNameInItsFile) {
  TemporaryProject project;
  project.write("folder/package.xml", package_xml("robot_description"));
  project.write("folder/urdf/robot.urdf", "");
  project.write("folder/meshes/a.stl", "");
  RobotFiles files(project.path("folder/urdf"));
  EXPECT_EQ(files.find("package://robot_description/meshes/a.stl").path,
            project.path("folder/meshes/a.stl"));
}

TEST(RobotFiles, FindsPackagesInTheEnvironment) {
  TemporaryProject robot;
  robot.write("urdf/robot.urdf", "");
  TemporaryProject places;
  places.write("share/with_share/a.stl", "");
  places.write("src/group/deep/package.xml", package_xml("in_workspace"));
  places.write("src/group/deep/b.stl", "");
  EXPECT_EQ(RobotFiles(robot.path("urdf")).find("package://with_share/a.stl").fault,
            "'package://with_share/a.stl' is not found, as there is no package 'with_share' around "
            "this file: name its folder in ROS_PACKAGE_PATH or GZ_SIM_RESOURCE_PATH");
  {
    const Variable ament("AMENT_PREFIX_PATH", "/nowhere:" + places.path("."));
    EXPECT_EQ(RobotFiles(robot.path("urdf")).find("package://with_share/a.stl").path,
              places.path("share/with_share/a.stl"));
  }
  {
    const Variable ros("ROS_PACKAGE_PATH", places.path("src"));
    RobotFiles files(robot.path("urdf"));
    EXPECT_EQ(files.find("package://in_workspace/b.stl").path, places.path("src/group/deep/b.stl"));
    EXPECT_EQ(files.find(places.path("src/group/deep/b.stl")).path,
              places.path("src/group/deep/b.stl"));
    EXPECT_EQ(files.find(places.path("share/with_share/a.stl")).path, "");
  }
}

TEST(RobotFiles, IndexesWorkspacesOnce) {
  TemporaryProject robot;
  robot.write("urdf/robot.urdf", "");
  TemporaryProject places;
  places.write("group/first/package.xml", package_xml("first"));
  places.write("group/first/a.stl", "");
  const Variable ros("ROS_PACKAGE_PATH", places.path("."));
  RobotFiles files(robot.path("urdf"));
  EXPECT_EQ(files.find("package://missing/a.stl").path, "");
  EXPECT_EQ(files.find("package://first/a.stl").path, places.path("group/first/a.stl"));
  // What comes later is not looked for again.
  places.write("group/second/package.xml", package_xml("second"));
  places.write("group/second/a.stl", "");
  EXPECT_EQ(files.find("package://second/a.stl").path, "");
  EXPECT_NE(RobotFiles(robot.path("urdf")).find("package://second/a.stl").path, "");
}

TEST(RobotFiles, TellsWhichLinksLeadOutside) {
  TemporaryProject elsewhere;
  elsewhere.write("a.xml", "");
  TemporaryProject project;
  project.write("robot/robot.xml", "");
  project.write("parts/b.xml", "");
  std::filesystem::create_symlink(elsewhere.path("a.xml"), project.path("robot/a.xml"));
  std::filesystem::create_symlink(project.path("parts/b.xml"), project.path("robot/b.xml"));
  RobotFiles files(project.path("robot"));
  EXPECT_EQ(files.find("a.xml").path, project.path("robot/a.xml"));
  EXPECT_TRUE(files.leads_outside(project.path("robot/a.xml")));
  EXPECT_FALSE(files.leads_outside(project.path("robot/b.xml")));
  EXPECT_FALSE(files.leads_outside(project.path("robot/robot.xml")));
  // The place of the file becomes one where files are looked for.
  const Variable ros("ROS_PACKAGE_PATH", elsewhere.path("."));
  EXPECT_FALSE(RobotFiles(project.path("robot")).leads_outside(project.path("robot/a.xml")));
}

}  // namespace
}  // namespace servosim::robots::robot_files_test
