// SPDX-License-Identifier: Apache-2.0
#include "wbt/world_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "core/file.h"
#include "core/suggest.h"
#include "wbt/extension_marks.h"
#include "wbt/parser.h"
#include "wbt/reading.h"

namespace servosim::wbt {
namespace {

namespace fs = std::filesystem;

std::string absolute(const std::string& path) {
  std::error_code error;
  const fs::path full = fs::absolute(path, error).lexically_normal();
  return error ? path : full.string();
}

std::vector<std::string> absolute(const std::vector<std::string>& paths) {
  std::vector<std::string> result;
  for (const std::string& path : paths) {
    result.push_back(absolute(path));
  }
  return result;
}

std::string what_next(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) ? "; name a world file (.wbt) in it"
                                         : did_you_mean_file(path);
}

}  // namespace

std::string project_of_world(const std::string& folder) {
  const auto has = [](const fs::path& project, const char* name) {
    std::error_code ignored;
    return fs::is_directory(project / name, ignored);
  };
  for (fs::path at = folder; at != at.parent_path(); at = at.parent_path()) {
    if (at.filename() == "worlds") {
      return at.parent_path().string();
    }
    if (has(at, "controllers") || has(at, "protos")) {
      return at.string();
    }
  }
  return folder;
}

WorldFile read_world(const std::string& path, const ReadOptions& options,
                     Diagnostics& diagnostics) {
  auto content = read_file(path);
  const std::string full = absolute(path);
  if (const auto* failure = std::get_if<FileError>(&content)) {
    const std::uint32_t file = diagnostics.sources().add(path, {});
    diagnostics.error({file, 0}, failure->reason + what_next(path));
    WorldFile none;
    none.path = full;
    none.project = project_of_world(fs::path(full).parent_path().string());
    return none;
  }
  WorldFile world = read_world_text(std::move(std::get<std::string>(content)), path,
                                    fs::path(full).parent_path().string(), options, diagnostics);
  world.path = full;
  return world;
}

WorldFile read_world_text(std::string text, const std::string& label, const std::string& folder,
                          const ReadOptions& options, Diagnostics& diagnostics) {
  WorldFile world;
  Source source;
  source.file = diagnostics.sources().add(label, std::move(text));
  source.text = diagnostics.sources().text(source.file);
  source.folder = absolute(folder);
  world.path = (fs::path(source.folder) / fs::path(label).filename()).string();
  world.project = project_of_world(source.folder);
  if (source.text.size() > kMaxFileSize) {
    diagnostics.error(source.at(0), fmt::format("is larger than {} MB", kMaxFileSize >> 20));
    return world;
  }
  const auto version = header_version(source.text);
  if (!version) {
    diagnostics.error(source.at(0),
                      "not a Webots world file: the first line must be "
                      "'#VRML_SIM <version> utf8'");
    return world;
  }
  if (fs::path(label).extension() == ".proto") {
    diagnostics.error(source.at(0),
                      "is a PROTO, not a world; name a world file (.wbt) that uses it");
    return world;
  }
  source.version = world.version = *version;
  world.comments = leading_comments(source.text);
  warn_if_newer(diagnostics, source);
  check_extension_marks(source, diagnostics);
  world.proto_paths = absolute(options.proto_paths);
  Reading reading(diagnostics, ProtoFinder(world.project, world.proto_paths));
  reading.world = world.path;
  reading.project = world.project;
  reading.coordinate_system = source.version < kR2020b ? "NUE" : "ENU";
  reading.report_decorations = options.report_decorations;
  reading.templates.program.limit(options.template_seconds);
  world.nodes = NodeParser(reading, source).read_top_level(source.externs, world.importable);
  world.lost = std::move(reading.lost);
  world.externs = std::move(source.externs);
  world.last_id = static_cast<std::uint32_t>(reading.nodes);
  return world;
}

}  // namespace servosim::wbt
