// SPDX-License-Identifier: Apache-2.0
#include "wbt/world_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/files.h"
#include "base/printable.h"
#include "base/text.h"
#include "base/toml_error.h"
#include "bus/setup/bus_setup.h"
#include "servo_models/catalogue.h"
#include "servo_models/project_servos.h"
#include "servo_models/servo_file.h"
#include "wbt/lexer.h"
#include "wbt/made_world.h"
#include "wbt/node.h"
#include "wbt/node_parser.h"
#include "wbt/proto/proto.h"

namespace servosim::wbt {
namespace {

namespace fs = std::filesystem;

std::string absolute(const std::string& path) {
  std::error_code error;
  const fs::path full = fs::absolute(path, error).lexically_normal();
  return error ? path : full.string();
}

std::string what_next(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) ? "; name a world file (.wbt) in it"
                                         : did_you_mean_file(path);
}

// Returns the place of a fault in a file that is not known yet.
SourceLocation place_in(SourceMap& sources, const TomlError& error) {
  auto text = read_file(error.path);
  const auto* found = std::get_if<std::string>(&text);
  std::size_t offset = 0;
  for (int line = 1; found != nullptr && line < error.line; ++line) {
    offset = found->find('\n', offset) + 1;
  }
  offset += error.line > 0 ? static_cast<std::size_t>(error.column) - 1 : 0;
  return {sources.add(error.path, found != nullptr ? *found : std::string()),
          static_cast<std::uint32_t>(offset)};
}

constexpr int kMaxProjectLevels = 3;  // above the world's own folder

bool is_same(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// A folder of another owner is no project, since that user could make us run its controllers.
bool looks_like_a_project(const fs::path& folder, uid_t owner) {
  return std::ranges::any_of(std::array{"controllers", "protos"}, [&](const char* name) {
    struct stat status {};
    return ::stat((folder / name).c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
           status.st_uid == owner;
  });
}

}  // namespace

bool is_shared_folder(const std::string& path) {
  const fs::path folder = path;
  struct stat status {};
  if (folder == folder.parent_path() || ::stat(folder.c_str(), &status) != 0 ||
      (status.st_mode & S_ISVTX) != 0) {
    return true;
  }
  const char* home_path = std::getenv("HOME");
  struct stat home {};
  return home_path != nullptr && ::stat(home_path, &home) == 0 && is_same(status, home);
}

std::string project_of_world(const std::string& folder) {
  fs::path at = folder;
  at = at.has_filename() ? at : at.parent_path();  // the path may end with a slash
  if (at.filename() == "worlds") {
    return at.parent_path().string();
  }
  struct stat own {};
  if (::stat(folder.c_str(), &own) != 0) {
    return folder;
  }
  std::string nearest;
  bool below_worlds = false;  // whether the last folder was called worlds
  for (int level = 0; level <= kMaxProjectLevels && (level == 0 || !is_shared_folder(at));
       ++level) {
    if (looks_like_a_project(at, own.st_uid)) {
      if (below_worlds) {
        return at.string();
      }
      nearest = nearest.empty() ? at.string() : nearest;
    }
    below_worlds = at.filename() == "worlds";
    at = at.parent_path();
  }
  return nearest.empty() ? folder : nearest;
}

namespace {

// Reads what the project says about servos and buses, and finds the folders in which they are.
void find_servo_files(WorldFile& world, const std::string& folder, const ReadOptions& options,
                      SourceLocation world_place, Diagnostics& diagnostics) {
  std::vector<std::string> folders{folder};
  for (const std::string& path : options.servo_paths) {
    folders.push_back(absolute(path));
    std::error_code ignored;
    if (!fs::is_directory(folders.back(), ignored)) {
      diagnostics.error(world_place, fmt::format("servo_paths: '{}' {}", printable(path),
                                                 fs::exists(folders.back(), ignored)
                                                     ? "is no folder; name the folder of the servos"
                                                     : "does not exist"));
    }
  }
  ProjectServos read;
  try {
    read = read_project_servos(world.project);
    // Buses are opened by `servosim run` alone, but their faults are those of any world.
    static_cast<void>(bus::read_bus_setups(read.text, read.path));
  } catch (const TomlError& error) {
    diagnostics.error(place_in(diagnostics.sources(), error), error.reason);
  }
  folders.insert(folders.end(), read.folders.begin(), read.folders.end());
  world.servos = std::make_shared<const ServoCatalogue>(std::move(folders));
  world.project_servos = std::make_shared<const ProjectServos>(std::move(read));
}

}  // namespace

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
  return read_made_world(diagnostics.sources().add(label, std::move(text)), folder, options,
                         diagnostics);
}

WorldFile read_made_world(std::uint32_t file, const std::string& folder, const ReadOptions& options,
                          Diagnostics& diagnostics) {
  WorldFile world;
  Source source;
  source.file = file;
  const std::string label = diagnostics.sources().label(file);
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
  world.library = options.library ? options.library
                                  : std::make_shared<const assets::Library>(
                                        assets::places_here(options.proto_paths, options.assets));
  find_servo_files(world, source.folder, options, source.at(0), diagnostics);
  for (const std::string& fault : world.library->faults()) {
    diagnostics.warning(source.at(0), fmt::format("{}; no file is looked for in it", fault));
  }
  ParseContext reading(diagnostics, ProtoFinder(world.project, world.library));
  reading.world = world.path;
  reading.project = world.project;
  reading.coordinate_system = source.version < kR2020b ? "NUE" : "ENU";
  reading.use_stand_ins = options.use_stand_ins;
  reading.report_decorations = options.report_decorations;
  reading.templates.program.limit(options.template_seconds);
  world.nodes = NodeParser(reading, source).read_top_level(source.externs, world.importable);
  world.lost = std::move(reading.lost);
  world.externs = std::move(source.externs);
  world.last_id = static_cast<std::uint32_t>(reading.nodes);
  return world;
}

namespace {

class Comparison {
 public:
  bool same(const NodePtr& a, const NodePtr& b);
  bool same(const std::vector<NodePtr>& a, const std::vector<NodePtr>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [this](const NodePtr& x, const NodePtr& y) { return same(x, y); });
  }

  bool same(const Value& a, const Value& b);

 private:
  bool same(const Field& a, const Field& b) { return a.type == b.type && same(a.value, b.value); }

  DefScope<const Node*> a_scope_;
  DefScope<const Node*> b_scope_;
};

bool Comparison::same(const NodePtr& a, const NodePtr& b) {
  if (!a || !b) {
    return !a && !b;
  }
  if (a->type != b->type || a->def != b->def || a->version != b->version ||
      is_use(a_scope_, *a) != is_use(b_scope_, *b)) {
    return false;
  }
  if (is_use(a_scope_, *a)) {
    return true;  // the results of comparisons decide
  }
  const std::uint32_t a_word = a_scope_.enter();
  const std::uint32_t b_word = b_scope_.enter();
  const bool result =
      std::equal(a->fields.begin(), a->fields.end(), b->fields.begin(), b->fields.end(),
                 [this](const Field& x, const Field& y) { return same(x, y); });
  if (!a->def.empty()) {
    a_scope_.leave(a->def, a_word, a.get());
    b_scope_.leave(b->def, b_word, b.get());
  }
  return result;
}

bool Comparison::same(const Value& a, const Value& b) {
  if (a.index() != b.index()) {
    return false;
  }
  if (const auto* one = std::get_if<NodePtr>(&a)) {
    return same(*one, std::get<NodePtr>(b));
  }
  if (const auto* several = std::get_if<std::vector<NodePtr>>(&a)) {
    return same(*several, std::get<std::vector<NodePtr>>(b));
  }
  return a == b;
}

}  // namespace

bool equal(const WorldFile& a, const WorldFile& b) {
  return a.version == b.version && a.comments == b.comments && a.importable == b.importable &&
         Comparison().same(a.nodes, b.nodes);
}

bool equal(const Value& a, const Value& b) { return Comparison().same(a, b); }

}  // namespace servosim::wbt
