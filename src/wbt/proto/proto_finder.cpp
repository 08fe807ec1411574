// SPDX-License-Identifier: Apache-2.0
#include "wbt/proto/proto_finder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "base/printable.h"

namespace servosim::wbt {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxFolderDepth = 20;
constexpr std::size_t kMaxFiles = 200000;

bool is_url(std::string_view text) { return text.find("://") != std::string_view::npos; }

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// What Webots' own tree has at that place, "projects/…", "tests/…"; empty for other addresses.
std::string_view place_in_webots(std::string_view url) {
  constexpr std::string_view kOwn = "webots://";
  constexpr std::string_view kPublished = "https://raw.githubusercontent.com/cyberbotics/webots/";
  if (url.starts_with(kOwn)) {
    return url.substr(kOwn.size());
  }
  if (!url.starts_with(kPublished)) {
    return {};
  }
  url.remove_prefix(kPublished.size());
  return url.substr(std::min(url.find('/') + 1, url.size()));  // without the release
}

// A project may lie in a tree like that of Webots, as its own samples and tests do.
std::string above(std::string_view place, const std::string& start) {
  for (fs::path folder = start; folder != folder.parent_path(); folder = folder.parent_path()) {
    if (const fs::path file = folder / place; is_file(file)) {
      return file.string();
    }
  }
  return {};
}

// Whole, so that it can be copied, unlike shown().
std::string copyable(std::string_view url) {
  constexpr std::size_t kLongest = 1000;
  return printable(url.substr(0, kLongest));
}

}  // namespace

std::string_view extern_proto_name(std::string_view url) {
  url.remove_prefix(std::min(url.find_last_of("/\\") + 1, url.size()));
  return url.ends_with(".proto") ? url.substr(0, url.size() - 6) : url;
}

std::string project_of(const std::string& path, std::string_view folder_name) {
  for (fs::path folder = fs::path(path).parent_path(); folder != folder.parent_path();
       folder = folder.parent_path()) {
    if (folder.filename() == folder_name) {
      return folder.parent_path().string();
    }
  }
  return {};
}

// The lines of a file are read once, also when more of them follow its first nodes.
const ProtoFinder::Declaration& ProtoFinder::declaration(std::string_view name,
                                                         const Source& user) {
  static const Declaration kNone;
  Declarations& known = declared_[user.file];
  for (; known.lines < user.externs.size(); ++known.lines) {
    const std::string& url = user.externs[known.lines];
    Declaration& its = known.by_name[std::string(extern_proto_name(url))];
    if (is_url(url) && its.url.empty()) {
      its.url = url;
    }
    if (its.place.empty() && (!is_url(url) || !place_in_webots(url).empty())) {
      its.place = url;
    }
  }
  const auto found = known.by_name.find(name);
  return found != known.by_name.end() ? found->second : kNone;
}

// The file an EXTERNPROTO line names, if it names one on this machine.
std::string ProtoFinder::extern_path(std::string_view name, const Source& user) {
  const std::string& place = declaration(name, user).place;
  if (place.empty() || is_url(place)) {
    return place.empty() ? "" : above(place_in_webots(place), user.folder);
  }
  return (fs::path(user.folder) / place).lexically_normal().string();
}

// Of several files of one name, the one least deep counts, then the first by name.
const ProtoFinder::Index& ProtoFinder::index(const std::string& folder) {
  const auto [found, is_new] = indices_.try_emplace(folder);
  Index& index = found->second;
  if (!is_new) {
    return index;
  }
  std::vector<std::pair<int, fs::path>> files;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error);
  for (std::size_t seen = 0; !error && at != fs::recursive_directory_iterator();
       at.increment(error)) {
    if (at.depth() >= kMaxFolderDepth) {
      at.disable_recursion_pending();
    }
    if (at->path().extension() == ".proto" && is_file(at->path())) {
      files.emplace_back(at.depth(), at->path());
    }
    if (++seen == kMaxFiles) {
      break;
    }
  }
  std::sort(files.begin(), files.end());
  for (const auto& [depth, path] : files) {
    index.try_emplace(path.stem().string(), path.string());
  }
  return index;
}

std::vector<std::string> ProtoFinder::search_trees(const Source& user) const {
  std::vector<std::string> trees{(fs::path(project_) / "protos").string()};
  // A PROTO of another project finds its neighbours.
  const std::string own = project_of(user.folder + "/file", "protos");
  if (!own.empty() && own != project_) {
    trees.push_back((fs::path(own) / "protos").string());
  }
  return trees;
}

const std::string& ProtoFinder::find(std::string_view name, const Source& user) {
  const auto [known, is_new] =
      found_.try_emplace({user.file, user.externs.size(), std::string(name)});
  if (is_new) {
    known->second = search(name, user);
  }
  return known->second;
}

std::string ProtoFinder::search(std::string_view name, const Source& user) {
  const std::string declared = extern_path(name, user);
  if (!declared.empty() && is_file(declared)) {
    return declared;
  }
  for (const std::string& tree : search_trees(user)) {
    const Index& known = index(tree);
    if (const auto found = known.find(name); found != known.end()) {
      return found->second;
    }
  }
  const fs::path beside = fs::path(user.folder) / fmt::format("{}.proto", name);
  if (name.find('/') == std::string_view::npos && is_file(beside)) {
    return beside.string();
  }
  for (const std::string& tree : proto_paths_) {
    const Index& known = index(tree);
    if (const auto found = known.find(name); found != known.end()) {
      return found->second;
    }
  }
  return {};
}

std::string ProtoFinder::places(std::string_view name, const Source& user) {
  std::vector<std::string> places;
  if (const std::string declared = extern_path(name, user); !declared.empty()) {
    places.push_back(declared);
  }
  for (const std::string& tree : search_trees(user)) {
    places.push_back(tree);
  }
  places.push_back(user.folder);
  places.insert(places.end(), proto_paths_.begin(), proto_paths_.end());
  return fmt::format("{}", fmt::join(places, ", "));
}

std::string ProtoFinder::remedy(std::string_view name, const Source& user) {
  if (!extern_path(name, user).empty()) {
    return "; put the file where its EXTERNPROTO line says, or name its folder by --proto-path "
           "FOLDER";
  }
  if (const std::string& url = declaration(name, user).url; !url.empty()) {
    return fmt::format(
        "; Webots would download it from {}, but servosim does not use the network: put the file "
        "into {}, or name its folder by --proto-path FOLDER",
        copyable(url), (fs::path(project_) / "protos").string());
  }
  return {};
}

}  // namespace servosim::wbt
