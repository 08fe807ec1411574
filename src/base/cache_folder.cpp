// SPDX-License-Identifier: Apache-2.0
#include "base/cache_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "base/private_folder.h"
#include "base/shortage.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;

std::string absolute_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value == '/' ? value : "";
}

std::string in_user_cache(std::string_view kind) {
  const std::string folder = user_cache_folder();
  return folder.empty() ? "" : fmt::format("{}/servosim/{}", folder, kind);
}

// Other users may write to the parent folder, so the name has the number of the user.
std::string temporary_cache() {
  return fs::absolute(fmt::format("{}/servosim-cache-{}", temporary_files_folder(), ::geteuid()))
      .string();
}

// Makes a folder and checks that it can be written to. Returns the reason if not, else an empty
// text.
std::string make_writable(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  throw_if_short(error, fmt::format("'{}' cannot be made", path));
  if (!error && ::access(path.c_str(), W_OK | X_OK) != 0) {
    error = std::error_code(errno, std::generic_category());
  }
  return error ? error.message() : "";
}

}  // namespace

std::string user_cache_folder() {
  const std::string named = absolute_variable("XDG_CACHE_HOME");
  const std::string home = absolute_variable("HOME");
  return !named.empty() || home.empty() ? named : home + "/.cache";
}

std::vector<std::string> cache_folders(std::string_view kind) {
  std::vector<std::string> folders;
  if (std::string own = in_user_cache(kind); !own.empty()) {
    folders.push_back(std::move(own));
  }
  if (const std::string temporary = temporary_cache(); open_private_folder(temporary)) {
    folders.push_back(fmt::format("{}/{}", temporary, kind));
  }
  return folders;
}

CacheFolder make_cache_folder(std::string_view kind) {
  const std::string own = in_user_cache(kind);
  const std::string why =
      own.empty() ? "there is no HOME that can be written to" : make_writable(own);
  if (why.empty()) {
    return {own, ""};
  }
  const std::string first =
      own.empty() ? why : fmt::format("'{}' cannot be written to ({})", own, why);
  const std::string temporary = temporary_cache();
  const std::string second = fmt::format("{}/{}", temporary, kind);
  // open_private_folder() checks what is there now.
  static_cast<void>(::mkdir(temporary.c_str(), 0700));
  if (!open_private_folder(temporary) || !make_writable(second).empty()) {
    throw std::runtime_error(fmt::format(
        "{}, nor can '{}'; XDG_CACHE_HOME names another folder for caches", first, second));
  }
  return {second, fmt::format("{}; '{}' is used, and XDG_CACHE_HOME would name another folder",
                              first, second)};
}

}  // namespace servosim
