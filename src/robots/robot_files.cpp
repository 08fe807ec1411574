// SPDX-License-Identifier: Apache-2.0
#include "robots/robot_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "base/letter_case.h"
#include "base/paths.h"
#include "base/text.h"
#include "wbt/world_file.h"

namespace servosim::robots {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 7> kVariables{
    "ROS_PACKAGE_PATH",         "AMENT_PREFIX_PATH", "GAZEBO_MODEL_PATH", "GZ_SIM_RESOURCE_PATH",
    "IGN_GAZEBO_RESOURCE_PATH", "SDF_PATH",          "YARP_DATA_DIRS"};
constexpr const char* kAdvice = "name its folder in ROS_PACKAGE_PATH or GZ_SIM_RESOURCE_PATH";
// Workspaces of ROS are searched for packages down to this depth, and no further than this many
// folders.
constexpr int kMaxPackageDepth = 5;
constexpr int kMaxFolders = 20000;

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// Returns whether the folder has a package.xml or manifest.xml, or Gazebo's model.config.
bool is_package(const fs::path& folder) {
  return std::ranges::any_of(std::array{"package.xml", "manifest.xml", "model.config"},
                             [&](const char* name) { return is_file(folder / name); });
}

// Returns the first <name> in package.xml of a folder; empty if there is none.
std::string package_name(const fs::path& folder) {
  if (!is_file(folder / "package.xml")) {
    return {};
  }
  const std::string text = read_beginning((folder / "package.xml").string(), 1 << 16);
  const std::size_t begin = text.find("<name>");
  const std::size_t end = begin == std::string::npos ? begin : text.find("</name>", begin);
  if (end == std::string::npos) {
    return {};
  }
  return std::string(trimmed(std::string_view(text).substr(begin + 6, end - begin - 6), " \t\r\n"));
}

std::vector<std::string> folders_of_environment() {
  std::vector<std::string> folders;
  for (const char* variable : kVariables) {
    const char* const value = std::getenv(variable);
    std::string_view rest = value != nullptr ? value : "";
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(':'), rest.size());
      const fs::path folder(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (folder.is_absolute()) {
        fs::path normal = folder.lexically_normal();
        normal = normal.has_filename() ? normal : normal.parent_path();
        folders.push_back(normal.string());
      }
    }
  }
  return folders;
}

// Adds the folders of packages in a workspace by the names in their package.xml; the first one of a
// name stays. Packages do not contain packages, and hidden folders contain none.
void index_workspace(const fs::path& top, std::map<std::string, std::string>& packages) {
  std::error_code error;
  int folders = 0;
  fs::recursive_directory_iterator at(top, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code ignored;
    if (!at->is_directory(ignored)) {
      continue;
    }
    if (++folders > kMaxFolders) {
      return;
    }
    if (const std::string name = package_name(at->path()); !name.empty()) {
      packages.emplace(name, at->path().string());
    }
    if (at.depth() >= kMaxPackageDepth || is_package(at->path()) ||
        at->path().filename().string().starts_with('.')) {
      at.disable_recursion_pending();
    }
  }
}

}  // namespace

RobotFiles::RobotFiles(std::string folder)
    : folder_(std::move(folder)), project_(folder_), places_(folders_of_environment()) {
  // A folder that others share may hold anything, so the search ends below it.
  for (fs::path at = folder_; ancestors_.empty() || !wbt::is_shared_folder(at.string());
       at = at.parent_path()) {
    ancestors_.push_back(at.string());
  }
  const auto package =
      std::ranges::find_if(ancestors_, [](const auto& at) { return is_package(at); });
  if (package != ancestors_.end()) {
    project_ = *package;
  } else if (ancestors_.size() > 1) {
    project_ = ancestors_[1];  // of urdf/ and meshes/
  }
}

RobotFiles::Found RobotFiles::find(const std::string& uri) {
  constexpr std::string_view kPackage = "package://";
  constexpr std::string_view kModel = "model://";
  constexpr std::string_view kFile = "file://";
  if (uri.empty() || uri.find('\0') != std::string::npos) {
    return {{}, "a file without a name is not read"};
  }
  if (uri.starts_with(kPackage)) {
    return find_in_package(uri, uri.substr(kPackage.size()));
  }
  if (uri.starts_with(kModel)) {
    return find_in_package(uri, uri.substr(kModel.size()));
  }
  if (uri.starts_with(kFile)) {
    return find_path(uri, uri.substr(kFile.size()));
  }
  if (uri.find("://") != std::string::npos) {
    return {{}, fmt::format("'{}' is an address, which is not read: download the file", uri)};
  }
  return find_path(uri, uri);
}

RobotFiles::Found RobotFiles::find_in_package(const std::string& uri, const std::string& rest) {
  const std::size_t slash = rest.find('/');
  const std::string package = rest.substr(0, slash);
  const fs::path inside =
      fs::path(slash == std::string::npos ? "" : rest.substr(slash + 1)).lexically_normal();
  if (package.empty() || package == "." || package == ".." || inside.empty() ||
      inside.is_absolute() || *inside.begin() == "..") {
    return {{}, fmt::format("'{}' names no file in a package; it is not read", uri)};
  }
  const std::vector<std::string>& folders = folders_of(package);
  for (const std::string& folder : folders) {
    if (const fs::path path = folder / inside; is_file(path)) {
      return {path.string(), {}};
    }
  }
  return {{},
          folders.empty()
              ? fmt::format("'{}' is not found, as there is no package '{}' around this file: {}",
                            uri, package, kAdvice)
              : fmt::format("'{}' is not found: there is no '{}'", uri,
                            (folders.front() / inside).string())};
}

RobotFiles::Found RobotFiles::find_path(const std::string& uri, const std::string& path) const {
  const fs::path full = (fs::path(folder_) / path).lexically_normal();
  const auto has = [&](const std::string& folder) { return is_within(full, folder); };
  if (!has(project_) && !has(folder_) && std::ranges::none_of(places_, has)) {
    return {{}, fmt::format("'{}' is outside of '{}' and is not read: {}", uri, project_, kAdvice)};
  }
  return is_file(full)
             ? Found{full.string(), {}}
             : Found{{}, fmt::format("'{}' is not found: there is no '{}'", uri, full.string())};
}

// Returns where the package may be, in the order of the search.
const std::vector<std::string>& RobotFiles::folders_of(const std::string& package) {
  const auto [known, is_new] = known_.try_emplace(package);
  std::vector<std::string>& found = known->second;
  if (!is_new) {
    return found;
  }
  for (const fs::path at : ancestors_) {
    if (at.filename() == package || package_name(at) == package) {
      found.push_back(at.string());
    }
    if (is_folder(at / package)) {
      found.push_back((at / package).string());
    }
  }
  for (const fs::path place : places_) {
    if (place.filename() == package && is_folder(place)) {
      found.push_back(place.string());
    }
    for (const fs::path& below : {place / package, place / "share" / package}) {
      if (is_folder(below)) {
        found.push_back(below.string());
      }
    }
  }
  if (found.empty()) {
    if (!workspaces_) {
      workspaces_.emplace();
      for (const std::string& place : places_) {
        index_workspace(place, *workspaces_);
      }
    }
    if (const auto indexed = workspaces_->find(package); indexed != workspaces_->end()) {
      found.push_back(indexed->second);
    }
  }
  return found;
}

bool RobotFiles::leads_outside(const std::string& path) const {
  std::error_code ignored;
  const fs::path real = fs::weakly_canonical(path, ignored);
  const auto holds = [&](const std::string& folder) {
    return is_within(real, fs::weakly_canonical(folder, ignored));
  };
  return !holds(project_) && !holds(folder_) && std::ranges::none_of(places_, holds) &&
         std::ranges::none_of(known_, [&](const auto& package) {
           return std::ranges::any_of(package.second, holds);
         });
}

std::string path_from(const std::string& folder, const std::string& file) {
  const fs::path path(file);
  const auto first = [](const fs::path& p) {
    return std::distance(p.begin(), p.end()) > 1 ? *std::next(p.begin()) : fs::path();
  };
  return first(path) == first(fs::path(folder)) ? path.lexically_relative(folder).string() : file;
}

std::string ending_of(const std::string& path) {
  return lower_case(fs::path(path).extension().string());
}

}  // namespace servosim::robots
