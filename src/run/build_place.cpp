// SPDX-License-Identifier: Apache-2.0
#include "run/build_place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <string_view>

#include "base/shortage.h"
#include "base/state_archive.h"
#include "run/controller_finder.h"
#include "run/signals.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;

fs::path cache_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') {
    return cache;
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    return fs::path(home) / ".cache";
  }
  const passwd* user = ::getpwuid(::getuid());
  if (user == nullptr) {
    throw BuildError("neither XDG_CACHE_HOME nor HOME says where to build");
  }
  return fs::path(user->pw_dir) / ".cache";
}

fs::path cached_folder(const std::string& of) {
  return cache_folder() / "servosim" / "controllers" /
         fmt::format("{:016x}", Fnv1a().add(of).value());
}

bool may_replace(const fs::path& path) {
  std::error_code ignored;
  return !fs::exists(path, ignored) || is_any_program(path);
}

std::vector<std::string> folders_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (it->is_directory(ignored)) {
      names.push_back(it->path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Makes `copy` a folder of links to all that is in `real`, but for the names in `own`: these are
// made in the copy itself. A link that is right stays: somebody may be building there.
void mirror(const fs::path& real, const fs::path& copy, const std::set<std::string>& own) {
  fs::create_directories(copy);
  for (const fs::directory_entry& entry : fs::directory_iterator(copy)) {
    const fs::path name = entry.path().filename();
    std::error_code ignored;
    if (entry.is_symlink() &&
        (own.count(name.string()) != 0 || !fs::exists(real / name, ignored))) {
      fs::remove(entry.path());
    }
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(real)) {
    const fs::path link = copy / entry.path().filename();
    std::error_code ignored;
    if (own.count(entry.path().filename().string()) == 0 && !fs::exists(link, ignored)) {
      fs::create_symlink(entry.path(), link);
    }
  }
}

// The controller's folder in a mirror of the project; of a folder that belongs to no project, one
// of itself alone.
fs::path mirror_project(const ControllerChoice& choice, const fs::path& project) {
  const fs::path copy = cached_folder(project.empty() ? choice.folder : project.string());
  fs::create_directories(copy);
  const FolderLock lock(copy);
  if (!project.empty()) {
    const fs::path libraries = project / "libraries";
    mirror(project, copy, {"controllers", "libraries"});
    mirror(project / "controllers", copy / "controllers", {choice.name});
    for (const std::string& name : folders_in(libraries)) {
      mirror(libraries / name, copy / "libraries" / name,
             {"build", "lib" + name + ".so", "lib" + name + ".a"});
    }
  }
  const fs::path folder = copy / "controllers" / choice.name;
  mirror(choice.folder, folder, {"build", choice.name});
  return folder;
}

}  // namespace

FolderLock::FolderLock(const std::string& folder)
    : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (!folder_) {
    throw_if_short(errno, fmt::format("'{}' cannot be opened", folder));
    throw BuildError(fmt::format("'{}' cannot be opened: {}", folder, std::strerror(errno)));
  }
  while (::flock(folder_.get(), LOCK_EX) != 0 && errno == EINTR) {
    if (interrupting_signal() != 0) {
      throw BuildError("interrupted");
    }
  }
}

bool may_build_beside(const ControllerChoice& choice) {
  const char* in_cache = std::getenv("SERVOSIM_BUILD_IN_CACHE");
  const bool asked_not_to = in_cache != nullptr && std::string_view(in_cache) == "1";
  return !asked_not_to && ::access(choice.folder.c_str(), W_OK) == 0 &&
         may_replace(fs::path(choice.folder) / choice.name);
}

std::string cached_program(const ControllerChoice& choice) {
  return (cached_folder(choice.folder) / choice.name).string();
}

MakePlace make_place(const ControllerChoice& choice) {
  const fs::path parent = fs::path(choice.folder).parent_path();
  const fs::path project = parent.filename() == "controllers" ? parent.parent_path() : fs::path();
  MakePlace place{choice.folder, {}, !may_build_beside(choice)};
  if (place.mirrored) {
    place.folder = mirror_project(choice, project).string();
  }
  if (!project.empty()) {
    const fs::path libraries = fs::path(place.folder).parent_path().parent_path() / "libraries";
    for (const std::string& name : folders_in(libraries)) {
      place.libraries.push_back((libraries / name).string());
    }
  }
  return place;
}

}  // namespace servosim
