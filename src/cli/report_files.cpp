// SPDX-License-Identifier: Apache-2.0
#include "cli/report_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <exception>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "assets/address.h"
#include "assets/library.h"
#include "base/files.h"
#include "base/letter_case.h"
#include "base/printable.h"
#include "base/shortage.h"
#include "cli/secrets.h"
#include "fetch/references.h"
#include "fetch/world_files.h"
#include "run/launch_plan.h"
#include "wbt/world_file.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;
using std::string_view_literals::operator""sv;

constexpr std::array kTexts{".wbt"sv, ".proto"sv, ".toml"sv};
constexpr std::array kOthers{".stl"sv, ".obj"sv, ".dae"sv, ".png"sv, ".jpg"sv, ".jpeg"sv, ".hdr"sv};
constexpr const char* kOfNoKind = "is no world, PROTO, mesh or picture";
constexpr std::array kPrivateFolders{"controllers"sv, "libraries"sv, "plugins"sv, ".git"sv};

std::string ending_of(const fs::path& path) { return lower_case(path.extension().string()); }

bool is_text(const fs::path& path) {
  return std::find(kTexts.begin(), kTexts.end(), ending_of(path)) != kTexts.end();
}

bool may_be_packed(const fs::path& path) {
  return is_text(path) ||
         std::find(kOthers.begin(), kOthers.end(), ending_of(path)) != kOthers.end();
}

bool is_below(const fs::path& path, const fs::path& folder) {
  const fs::path rest = path.lexically_relative(folder);
  return !folder.empty() && !rest.empty() && *rest.begin() != "..";
}

// Returns the path without links as far as it exists; as it is if that cannot be found out.
fs::path real_path(const fs::path& path) {
  std::error_code error;
  fs::path real = fs::weakly_canonical(path, error);
  return error ? path : real;
}

bool is_really_below(const fs::path& real, const fs::path& folder) {
  return !folder.empty() && is_below(real, real_path(folder));
}

// Follows references from file to file, beginning with a world.
class ReportSearch {
 public:
  ReportSearch(std::string world, const ReportPlaces& places)
      : places_(places),
        world_(world),
        project_(wbt::project_of_world(assets::folder_of(world))),
        here_(assets::places_here(places.proto_paths, places.assets)) {
    want(std::move(world));
    want_if_there(project_ + "/servosim.toml");
  }

  void want(std::string name) {
    if (wanted_.insert(name).second) {
      waiting_.push_back(std::move(name));
    }
  }

  void follow() {
    for (; !waiting_.empty(); waiting_.pop_front()) {
      take(waiting_.front());
    }
  }

  ReportFiles found() { return std::move(found_); }

 private:
  void want_if_there(const std::string& path) {
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) {
      want(path);
    }
  }

  void leave_out(const std::string& name, std::string reason) {
    found_.left_out.push_back({name, std::move(reason)});
  }

  // Returns why a report must not have the file, as a clause; empty if it may.
  std::string refusal(const fs::path& path) const {
    const bool is_world = path == world_;  // the user has named it
    if (!is_world && !may_be_packed(path)) {
      return kOfNoKind;
    }
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    if (error) {
      return "cannot be read: " + error.message();
    }
    if (!is_world && ending_of(real) != ending_of(path)) {
      return fmt::format("is a link to a file of another kind, '{}'", real.string());
    }
    for (const fs::path& rest :
         {path.lexically_relative(project_), real.lexically_relative(real_path(project_))}) {
      for (const fs::path& part : rest) {
        if (std::find(kPrivateFolders.begin(), kPrivateFolders.end(), part.string()) !=
            kPrivateFolders.end()) {
          return fmt::format("is in a folder '{}'", part.string());
        }
      }
    }
    const std::vector<std::string>& installations = here_.installations;
    if (std::any_of(installations.begin(), installations.end(), [&](const std::string& folder) {
          return is_below(path, folder) || is_really_below(real, folder);
        })) {
      return "belongs to the installation of Webots";
    }
    if (!is_world && is_below(path, project_) && !is_in_places(real)) {
      return fmt::format("is a link out of the project, to '{}'", real.string());
    }
    if (!is_world && ending_of(path) == ".toml" && !is_in_places(real)) {
      return "is a TOML file outside of the project";
    }
    return {};
  }

  // Returns whether the path, which has no links, is in the project or in a folder of its options.
  bool is_in_places(const fs::path& real) const {
    const auto has = [&real](const std::string& folder) { return is_really_below(real, folder); };
    return has(project_) || std::any_of(here_.proto_paths.begin(), here_.proto_paths.end(), has) ||
           std::any_of(here_.named_stores.begin(), here_.named_stores.end(), has);
  }

  void take(const std::string& name) {
    if (assets::is_address(name)) {
      leave_out(name, "is published: servosim fetch finds it by this address");
      return;
    }
    if (std::string reason = refusal(name); !reason.empty()) {
      leave_out(name, std::move(reason));
      return;
    }
    std::error_code ignored;
    const std::uintmax_t size = fs::file_size(name, ignored);
    if (!ignored && size > kMaxReportFile) {
      leave_out(name, fmt::format("is larger than {} MB", kMaxReportFile >> 20));
      return;
    }
    auto read = read_file(name);
    if (const auto* error = std::get_if<FileError>(&read)) {
      leave_out(name, error->reason);
      return;
    }
    std::string content = std::get<std::string>(std::move(read));
    bytes_ += content.size();
    if (content.size() > kMaxReportFile || bytes_ > kMaxReportBytes) {
      bytes_ -= content.size();
      leave_out(name,
                fmt::format("would make the report larger than {} MB", kMaxReportBytes >> 20));
      return;
    }
    if (is_text(name) || name == world_) {
      look_into(name, content);
    }
    add(name, std::move(content));
  }

  void add(const std::string& path, std::string content) {
    ReportFile& file = found_.files.emplace_back();
    file.path = path;
    file.is_outside = !is_really_below(real_path(path), project_);
    file.name = "files/elsewhere" + path;
    for (const std::string& home : places_.homes) {
      if (home.size() > 1 && is_below(path, home)) {
        file.name = "files/below-home/" + fs::path(path).lexically_relative(home).string();
        break;
      }
    }
    if (is_text(path) || path == world_) {
      CleanText clean = without_secrets(content);
      file.removed = clean.removed;
      file.content = without_homes(std::move(clean.text), places_.homes);
    } else {
      file.content = std::move(content);
    }
  }

  void look_into(const std::string& name, const std::string& text) {
    const fetch::References found = fetch::references_in(text);
    const std::string folder = assets::folder_of(name);
    for (const auto* const list : {&found.externs, &found.meshes, &found.textures}) {
      for (const std::string& url : *list) {
        constexpr std::string_view kFile = "file://";
        std::string path =
            assets::resolve(folder, url.starts_with(kFile) ? url.substr(kFile.size()) : url, "");
        if (list != &found.externs || assets::is_address(path) || ending_of(path) == ".proto") {
          want(std::move(path));
        } else if (wanted_.insert(path).second) {
          leave_out(path, kOfNoKind);
        }
      }
    }
    for (const std::string& node : found.nodes) {
      want_if_there(fmt::format("{}/protos/{}.proto", project_, node));
      for (const std::string& proto_path : places_.proto_paths) {
        want_if_there(fmt::format("{}/{}.proto", fs::absolute(proto_path).string(), node));
      }
    }
  }

  const ReportPlaces& places_;
  const std::string world_;
  const std::string project_;
  const assets::Places here_;
  std::set<std::string> wanted_;
  std::deque<std::string> waiting_;
  ReportFiles found_;
  std::uint64_t bytes_ = 0;
};

}  // namespace

ReportFiles files_for_report(const std::string& world, const ReportPlaces& places) {
  if (const auto opened = open_file(world); const auto* error = std::get_if<FileError>(&opened)) {
    throw InputError(fmt::format("{} {}", printable(world), error->reason));
  }
  const std::string path = fs::absolute(world).lexically_normal().string();
  ReportSearch search(path, places);
  search.follow();
  if (places.may_be_loaded) {
    try {
      for (const fetch::WorldFilePart& part :
           fetch::files_of_world(path, places.proto_paths, {}, places.assets).files) {
        search.want(part.name);
      }
    } catch (const std::exception& error) {  // check says what is wrong with the world
      rethrow_if_short(error);
    }
    search.follow();
  }
  return search.found();
}

}  // namespace servosim
