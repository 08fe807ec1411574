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
constexpr std::array kPrivateFolders{"controllers"sv, "libraries"sv, "plugins"sv, ".git"sv};

bool is_text(const fs::path& path) {
  return std::find(kTexts.begin(), kTexts.end(), path.extension().string()) != kTexts.end();
}

bool is_below(const fs::path& path, const std::string& folder) {
  const fs::path rest = path.lexically_relative(folder);
  return !folder.empty() && !rest.empty() && *rest.begin() != "..";
}

// Follows references from file to file, beginning with a world.
class ReportSearch {
 public:
  ReportSearch(std::string world, const ReportPlaces& places)
      : places_(places), project_(wbt::project_of_world(assets::folder_of(world))) {
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
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    if (error) {
      return "cannot be read: " + error.message();
    }
    for (const fs::path& each : {path, real}) {
      for (const fs::path& part : each.lexically_relative(project_)) {
        if (std::find(kPrivateFolders.begin(), kPrivateFolders.end(), part.string()) !=
            kPrivateFolders.end()) {
          return fmt::format("is in a folder '{}'", part.string());
        }
      }
    }
    if (real.extension() != path.extension()) {
      return fmt::format("is a link to a file of another kind, '{}'", real.string());
    }
    const std::vector<std::string>& installations = here_.installations;
    if (std::any_of(installations.begin(), installations.end(),
                    [&path](const std::string& folder) { return is_below(path, folder); })) {
      return "belongs to the installation of Webots";
    }
    return {};
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
    if (is_text(name)) {
      look_into(name, content);
    }
    add(name, std::move(content));
  }

  void add(const std::string& path, std::string content) {
    ReportFile& file = found_.files.emplace_back();
    file.path = path;
    const bool is_at_home = places_.home.size() > 1 && is_below(path, places_.home);
    file.name = is_at_home
                    ? "files/home/" + fs::path(path).lexically_relative(places_.home).string()
                    : "files/root" + path;
    if (is_text(path)) {
      CleanText clean = without_secrets(content);
      file.removed = clean.removed;
      file.content = without_home(clean.text, places_.home);
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
        want(assets::resolve(folder, url.starts_with(kFile) ? url.substr(kFile.size()) : url, ""));
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
  std::string project_;
  const assets::Places here_ = assets::places_here({}, {});
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
