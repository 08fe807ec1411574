// SPDX-License-Identifier: Apache-2.0
#include "wbt/proto/proto_finder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "assets/address.h"
#include "base/printable.h"

namespace servosim::wbt {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxFolderDepth = 20;
constexpr std::size_t kMaxFiles = 200000;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

constexpr Version kFirstPublished{2019, 0, 0};
constexpr Version kFirstWithExternproto{2022, 1, 0};

}  // namespace

std::string_view extern_proto_name(std::string_view url) {
  url.remove_prefix(std::min(url.find_last_of("/\\") + 1, url.size()));
  return url.ends_with(".proto") ? url.substr(0, url.size() - 6) : url;
}

std::string project_of(const std::string& path, std::string_view folder_name) {
  if (assets::is_address(path)) {
    return {};
  }
  for (fs::path folder = fs::path(path).parent_path(); folder != folder.parent_path();
       folder = folder.parent_path()) {
    if (folder.filename() == folder_name) {
      return folder.parent_path().string();
    }
  }
  return {};
}

bool precedes_externproto(const Version& version) { return version < kFirstWithExternproto; }

std::string release_tag(const Version& version) {
  return to_string(std::max(Version{version.major, version.minor, 0}, kFirstPublished));
}

// Reads each EXTERNPROTO line of a file once, even if the file has further lines after its first
// nodes.
const ProtoFinder::Declaration& ProtoFinder::declaration(std::string_view name,
                                                         const Source& user) {
  static const Declaration kNone;
  Declarations& known = declared_[user.file];
  for (; known.lines < user.externs.size(); ++known.lines) {
    const std::string& url = user.externs[known.lines];
    Declaration& its = known.by_name[std::string(extern_proto_name(url))];
    std::string file = assets::resolve(user.folder, url, release_tag(user.version));
    std::string& place = assets::is_address(file) ? its.address : its.path;
    if (place.empty()) {
      place = std::move(file);
    }
  }
  const auto found = known.by_name.find(name);
  return found != known.by_name.end() ? found->second : kNone;
}

std::string ProtoFinder::address(std::string_view name, const Source& user) {
  const std::vector<std::string> places = standard_places(name, user);
  return places.empty() ? declaration(name, user).address
                        : assets::resolve(user.folder, fmt::format("webots://{}", places.front()),
                                          release_tag(user.version));
}

std::vector<std::string> ProtoFinder::addresses(std::string_view name, const Source& user) {
  const std::vector<std::string> places = standard_places(name, user);
  const std::string first = address(name, user);
  if (places.empty()) {
    return first.empty() ? std::vector<std::string>() : std::vector<std::string>{first};
  }
  std::vector<std::string> all;
  for (const std::string& release : assets::releases_near(assets::webots_file(first)->tag)) {
    for (const std::string& place : places) {
      all.push_back(assets::published_address(release, place));
    }
  }
  return all;
}

std::string_view ProtoFinder::later_name(std::string_view name, const Source& user) {
  return precedes_externproto(user.version) ? assets::later_name(name) : std::string_view();
}

// Returns where Webots' tree has a PROTO that is not declared. In versions before EXTERNPROTO its
// name was enough.
std::vector<std::string> ProtoFinder::standard_places(std::string_view name, const Source& user) {
  const Declaration& declared = declaration(name, user);
  if (!declared.address.empty() || !declared.path.empty() || !precedes_externproto(user.version)) {
    return {};
  }
  const std::string_view later = later_name(name, user);
  return assets::standard_protos(later.empty() ? name : later);
}

// If several files have the same name, the one with the shallowest folder is used, then the first
// by name.
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

const std::string* ProtoFinder::indexed(std::string_view name, const std::string& folder) {
  const Index& known = index(folder);
  const auto found = known.find(name);
  return found != known.end() ? &found->second : nullptr;
}

std::vector<std::string> ProtoFinder::search_trees(const Source& user) const {
  std::vector<std::string> trees{(fs::path(project_) / "protos").string()};
  // A PROTO of another project finds the PROTOs of its own project.
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
  std::string found = search_project(name, user);
  return found.empty() ? search_library(name, user) : found;
}

std::string ProtoFinder::search_project(std::string_view name, const Source& user) {
  const Declaration& declared = declaration(name, user);
  if (!declared.path.empty() && is_file(declared.path)) {
    return declared.path;
  }
  if (std::string found = library_->find_around(declared.address, user.folder); !found.empty()) {
    return found;
  }
  const fs::path beside = fs::path(user.folder) / fmt::format("{}.proto", name);
  if (beside.is_absolute() && name.find('/') == std::string_view::npos && is_file(beside)) {
    return beside.string();
  }
  std::vector<std::string> trees = search_trees(user);
  for (const std::string& path : library_->places().proto_paths) {
    const fs::path of_clone = fs::path(path) / "projects";
    std::error_code ignored;
    // In a clone of Webots, tests/ has PROTOs too.
    if (fs::is_directory(of_clone, ignored)) {
      trees.push_back(of_clone.string());
    }
    trees.push_back(path);
  }
  for (const std::string& tree : trees) {
    if (const std::string* found = indexed(name, tree)) {
      return *found;
    }
  }
  return {};
}

std::string ProtoFinder::search_library(std::string_view name, const Source& user) {
  const Declaration& declared = declaration(name, user);
  if (!declared.address.empty()) {
    return library_->find(declared.address, user.folder);
  }
  if (!precedes_externproto(user.version) || !declared.path.empty()) {
    return {};
  }
  const auto fits_user = [&](const std::string& file) { return fits(file, name, user); };
  for (const std::string& installation : library_->places().installations) {
    const std::string* found = indexed(name, (fs::path(installation) / "projects").string());
    if (found != nullptr && fits_user(*found)) {
      return *found;
    }
  }
  for (const std::string& place : standard_places(name, user)) {
    const std::string address =
        assets::resolve(user.folder, fmt::format("webots://{}", place), release_tag(user.version));
    if (std::string found = library_->find(address, user.folder, fits_user); !found.empty()) {
      return found;
    }
  }
  return {};
}

// Files of Webots since R2022a use other axes than earlier ones.
bool ProtoFinder::fits(const std::string& file, std::string_view name, const Source& user) {
  if (geometry_axis_is_z(user.version)) {
    return true;
  }
  const auto text = library_->read(file);
  const auto* known = std::get_if<std::string>(&text);
  const Version version =
      known != nullptr ? header_version(*known).value_or(user.version) : user.version;
  if (geometry_axis_is_z(version)) {
    unfit_.try_emplace(std::string(name),
                       fmt::format("that of {} here has other axes", to_string(version)));
    return false;
  }
  return true;
}

std::string ProtoFinder::missing_file(std::string_view name, const Source& user) {
  const std::string& declared = declaration(name, user).path;
  return declared.empty() || is_file(declared) ? "" : declared;
}

namespace {

// The text is short: it has only the server of a long address.
std::string how_to_download(const std::string& address) {
  constexpr std::size_t kLongest = 60;
  if (assets::webots_file(address)) {
    return "it is a PROTO of Webots: 'servosim fetch WORLD' downloads it";
  }
  return address.size() <= kLongest || !assets::fault_of_address(address).empty()
             ? assets::how_to_get(address.substr(0, kLongest))
             : fmt::format("'servosim fetch WORLD' downloads it from {}",
                           printable(assets::server_of(address).substr(0, kLongest)));
}

}  // namespace

std::string ProtoFinder::remedy(std::string_view name, const Source& user) {
  if (!declaration(name, user).path.empty()) {
    return "; put the file where its EXTERNPROTO line says, or name its folder by --proto-path "
           "FOLDER";
  }
  if (const auto unfit = unfit_.find(name); unfit != unfit_.end()) {
    return fmt::format("; {}: 'servosim fetch WORLD' looks for an older one", unfit->second);
  }
  const std::string from = address(name, user);
  return from.empty() ? "" : "; " + how_to_download(from);
}

}  // namespace servosim::wbt
