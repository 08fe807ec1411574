// SPDX-License-Identifier: Apache-2.0
#include "assets/library.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

#include "assets/address.h"
#include "assets/bytes_file.h"
#include "assets/zip_archive.h"
#include "base/cache_folder.h"
#include "base/printable.h"
#include "base/shortage.h"

namespace servosim::assets {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool is_there(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

std::string absolute(const std::string& path) {
  std::error_code error;
  const fs::path full = fs::absolute(path, error).lexically_normal();
  return error ? path : full.string();
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string below(const std::string& folder, const char* path) {
  return folder.empty() ? "" : folder + '/' + path;
}

void add(std::vector<std::string>& list, const std::string& path) {
  if (!path.empty() && std::find(list.begin(), list.end(), path) == list.end()) {
    list.push_back(path);
  }
}

// Searches the folders above `start`, since a project may lie in a tree like that of Webots, as
// Webots' own samples and tests do.
std::string above(std::string_view place, const std::string& start) {
  for (fs::path folder = start; folder.is_absolute(); folder = folder.parent_path()) {
    if (const fs::path file = folder / place; is_file(file)) {
      return file.string();
    }
    if (folder == folder.parent_path()) {
      break;
    }
  }
  return {};
}

}  // namespace

std::variant<Descriptor, FileError> file_of_bytes(std::string_view bytes) {
  const auto failure = [] {
    const int error = errno;
    throw_if_short(error, "a file of an archive cannot be unpacked");
    return FileError{fmt::format("cannot be unpacked: {}", std::strerror(error)), error};
  };
  Descriptor file(::memfd_create("servosim", MFD_CLOEXEC));
  if (!file) {
    return failure();
  }
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::write(file.get(), bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno != EINTR) {
      return failure();
    }
    done += static_cast<std::size_t>(std::max<ssize_t>(n, 0));
  }
  if (::lseek(file.get(), 0, SEEK_SET) != 0) {
    return failure();
  }
  return file;
}

Places places_here(const std::vector<std::string>& proto_paths,
                   const std::vector<std::string>& named_stores) {
  Places places;
  for (const std::string& path : proto_paths) {
    places.proto_paths.push_back(absolute(path));
  }
  for (const std::string& path : named_stores) {
    add(places.named_stores, absolute(path));
  }
  std::istringstream listed(variable("SERVOSIM_ASSETS"));
  for (std::string path; std::getline(listed, path, ':');) {
    add(places.named_stores, path.empty() ? "" : absolute(path));
  }
  const std::string home = variable("HOME");
  for (const std::string& path : {variable("WEBOTS_HOME"), std::string("/usr/local/webots"),
                                  std::string("/snap/webots/current/usr/share/webots"),
                                  std::string("/Applications/Webots.app"),
                                  std::string("/Applications/Webots.app/Contents")}) {
    add(places.installations, path.empty() ? "" : absolute(path));
  }
  for (const std::string& folder :
       {user_cache_folder(), below(home, ".cache"), below(home, "Library/Caches"),
        below(home, "snap/webots/common/.cache")}) {
    add(places.webots_caches, below(folder, "Cyberbotics/Webots/assets"));
  }
  places.own_caches = cache_folders("assets");
  return places;
}

Store::Store(std::string path) : path_(std::move(path)) {
  if (is_file(path_)) {
    archive_ = std::make_shared<ZipArchive>(path_);
  }
}

bool Store::exists() const { return is_there(path_); }

std::string Store::fault() const {
  std::error_code error;
  if (archive_) {
    return archive_->fault();
  }
  return fs::is_directory(path_, error) ? ""
         : exists()                     ? "is neither a folder nor a zip archive"
                                        : "does not exist";
}

bool Store::has(const std::string& name) const {
  return archive_ ? archive_->has(name) : is_file(fs::path(path_) / name);
}

std::string Store::file_of(const std::string& name) const {
  return archive_ ? "" : (fs::path(path_) / name).string();
}

std::variant<std::string, FileError> Store::read(const std::string& name) const {
  return archive_ ? archive_->read(name) : read_file(file_of(name));
}

Library::Library(Places places, OnMiss on_miss)
    : places_(std::move(places)), on_miss_(std::move(on_miss)) {
  for (const auto* list : {&places_.named_stores, &places_.webots_caches, &places_.own_caches}) {
    for (const std::string& path : *list) {
      stores_.emplace_back(path);
    }
  }
}

std::string Library::find_around(const std::string& address, const std::string& folder) {
  const auto file = webots_file(address);
  return file && !file->path.empty() ? above(file->path, folder) : "";
}

std::string Library::find(const std::string& address, const std::string& folder,
                          const std::function<bool(const std::string&)>& fits) const {
  std::vector<std::string> found{find_around(address, folder)};
  for (const std::string& path : places_.proto_paths) {
    found.push_back(find_around(address, path));
  }
  if (const auto file = webots_file(address); file && !file->path.empty()) {
    for (const std::string& installation : places_.installations) {
      const fs::path inside = fs::path(installation) / file->path;
      found.push_back(is_file(inside) ? inside.string() : "");
    }
  }
  for (std::string& equal : equal_addresses(address)) {
    found.push_back(store_of(cache_name(equal)) != nullptr ? std::move(equal) : "");
  }
  const auto first = std::find_if(found.begin(), found.end(), [&](const std::string& name) {
    return !name.empty() && (!fits || fits(name));
  });
  if (first == found.end() && on_miss_) {
    on_miss_(address, folder);
  }
  return first != found.end() ? *first : "";
}

const Store* Library::store_of(const std::string& name) const {
  const auto found = std::find_if(stores_.begin(), stores_.end(),
                                  [&](const Store& store) { return store.has(name); });
  return found != stores_.end() ? &*found : nullptr;
}

namespace {

FileError gone() { return FileError{"is in no cache any more"}; }

}  // namespace

std::variant<std::string, FileError> Library::read(const std::string& name) const {
  if (!is_address(name)) {
    return read_file(name);
  }
  const std::string key = cache_name(name);
  const Store* store = store_of(key);
  return store != nullptr ? store->read(key) : gone();
}

std::variant<Descriptor, FileError> Library::open(const std::string& name) const {
  if (!is_address(name)) {
    return open_file(name);
  }
  const std::string key = cache_name(name);
  const Store* store = store_of(key);
  if (store == nullptr) {
    return gone();
  }
  if (const std::string path = store->file_of(key); !path.empty()) {
    return open_file(path);
  }
  auto bytes = store->read(key);
  if (const auto* failure = std::get_if<FileError>(&bytes)) {
    return *failure;
  }
  return file_of_bytes(std::get<std::string>(bytes));
}

std::vector<std::string> Library::faults() const {
  std::vector<std::string> faults;
  for (std::size_t i = 0; i < places_.named_stores.size(); ++i) {
    if (const std::string fault = stores_[i].fault(); !fault.empty()) {
      faults.push_back(fmt::format("'{}' {}", stores_[i].path(), fault));
    }
  }
  return faults;
}

std::string how_to_get(const std::string& address) {
  constexpr std::size_t kLongest = 1000;
  const std::string shown = printable(std::string_view(address).substr(0, kLongest));
  if (const std::string fault = fault_of_address(address); !fault.empty()) {
    return fmt::format("'servosim fetch WORLD' does not download it, since {} {}", shown, fault);
  }
  std::string text = fmt::format("'servosim fetch WORLD' looks for it at {}", shown);
  if (const auto file = webots_file(address); file && !file->path.empty()) {
    text +=
        ", and so does a run with an installation of Webots (WEBOTS_HOME), a clone of it "
        "(--proto-path) or its archive of assets (--assets)";
  }
  return text;
}

}  // namespace servosim::assets
