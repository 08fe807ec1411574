// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace servosim::robots {

/// Finds the files that a robot's file names, in its search path only: the package around the
/// robot's file, packages in the folders above it, and the folders of ROS_PACKAGE_PATH,
/// AMENT_PREFIX_PATH, GAZEBO_MODEL_PATH, GZ_SIM_RESOURCE_PATH, IGN_GAZEBO_RESOURCE_PATH, SDF_PATH
/// and YARP_DATA_DIRS. It opens no file but `package.xml`.
///
/// Links in these folders may lead out of them: builds of ROS install meshes and pictures that way.
/// Files with text of which messages show parts should not; leads_outside() tells.
///
/// Threads: one at a time.
class RobotFiles {
 public:
  struct Found {
    std::string path;   ///< absolute; empty if there is none
    std::string fault;  ///< then a clause that says why, and what to do
  };

  /// @param folder  of the robot's file, absolute
  explicit RobotFiles(std::string folder);

  /// Finds the file of `package://PACKAGE/PATH`, `model://PACKAGE/PATH`, `file:///PATH`, an
  /// absolute path, or one from the folder of the robot's file.
  Found find(const std::string& uri);

  /// Returns whether a path that find() has returned is, behind all links, outside of the search
  /// path.
  bool leads_outside(const std::string& path) const;

 private:
  Found find_in_package(const std::string& uri, const std::string& rest);
  Found find_path(const std::string& uri, const std::string& path) const;
  const std::vector<std::string>& folders_of(const std::string& package);

  std::string folder_;
  std::string project_;                 // the folder above which relative paths do not lead
  std::vector<std::string> ancestors_;  // from folder_ upwards
  std::vector<std::string> places_;     // of the environment, absolute
  std::map<std::string, std::vector<std::string>> known_;  // of packages
  // The packages in workspaces, by name, as soon as one is looked for there.
  std::optional<std::map<std::string, std::string>> workspaces_;
};

/// Returns the path of a file from a folder if both are in one folder below the root, and the file
/// itself otherwise. Both are absolute.
std::string path_from(const std::string& folder, const std::string& file);

/// Returns the ending of a path with its dot, in small letters.
std::string ending_of(const std::string& path);

}  // namespace servosim::robots
