// SPDX-License-Identifier: Apache-2.0
#include "fetch/world_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "assets/address.h"
#include "assets/library.h"
#include "base/files.h"
#include "base/text.h"
#include "fetch/references.h"
#include "robots/robot_file.h"
#include "scene/mesh_file.h"
#include "scene/scene_builder.h"
#include "servo_models/catalogue.h"
#include "servo_models/project_servos.h"
#include "servosim/diagnostics.h"
#include "wbt/lexer.h"
#include "wbt/proto/proto_finder.h"
#include "wbt/schema/node_types.h"
#include "wbt/world_file.h"

namespace servosim::fetch {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxWorldFiles = 20'000;
constexpr std::size_t kMaxWorldBytes = 1u << 30;

// Follows references from file to file, beginning with a world.
class WorldSearch {
 public:
  WorldSearch(wbt::WorldFile world, std::shared_ptr<const assets::Library> library)
      : world_(std::move(world)), library_(std::move(library)), finder_(world_.project, library_) {}

  // `name` is a path or an address. A file that does not exist is ignored.
  void want(const std::string& name, const wbt::Version& user) {
    if (texts_.contains(name)) {
      return;
    }
    auto read = library_->read(name);
    if (auto* text = std::get_if<std::string>(&read)) {
      bytes_ += text->size();
      if (texts_.size() == kMaxWorldFiles || bytes_ > kMaxWorldBytes) {
        throw std::invalid_argument(fmt::format("{} needs more than {} files or {} MB", world_.path,
                                                kMaxWorldFiles, kMaxWorldBytes >> 20));
      }
      texts_.emplace(name, std::move(*text));
      waiting_.emplace_back(name, user);
    }
  }

  void follow() {
    for (; !waiting_.empty(); waiting_.pop_front()) {
      const auto& [name, user] = waiting_.front();
      if (name == world_.path || name.ends_with(".proto")) {
        look_into(name, user);
      }
    }
  }

  // Adds what values of fields name: PROTOs, and meshes in every folder from which a url may be
  // resolved.
  void want_of_values(const std::vector<std::string>& values, const wbt::Version& user) {
    std::set<std::string> folders{assets::folder_of(world_.path)};
    folders.insert(library_->places().proto_paths.begin(), library_->places().proto_paths.end());
    for (const auto& [name, text] : texts_) {
      if (name.ends_with(".proto")) {
        folders.insert(assets::folder_of(name));
      }
    }
    wbt::Source source;
    source.file = ++looked_into_;
    source.version = user;
    source.externs = references_in(texts_.at(world_.path)).externs;
    for (const std::string& value : values) {
      References found = references_in(value);
      if (value.find('"') == std::string::npos) {  // a value may be written without quotes
        found.meshes = references_in('"' + value + '"').meshes;
      }
      for (const std::string& folder : folders) {
        source.folder = folder;
        want_nodes_and_meshes(found, source);
      }
    }
  }

  std::vector<WorldFilePart> take() {
    std::vector<WorldFilePart> files;
    files.push_back({world_.path, std::move(texts_.at(world_.path))});
    texts_.erase(world_.path);
    for (auto& [name, text] : texts_) {
      files.push_back({name, std::move(text)});
    }
    return files;
  }

 private:
  void look_into(const std::string& name, const wbt::Version& user) {
    const std::string& text = texts_.at(name);
    const References found = references_in(text);
    wbt::Source source;
    source.file = ++looked_into_;
    source.version = wbt::header_version(text).value_or(user);
    source.folder = assets::folder_of(name);
    source.externs = found.externs;
    for (const std::string& url : found.externs) {
      want_proto(wbt::extern_proto_name(url), source);
    }
    want_nodes_and_meshes(found, source);
  }

  void want_nodes_and_meshes(const References& found, const wbt::Source& source) {
    for (const std::string& node : found.nodes) {
      if (wbt::find_node_type(node) == nullptr) {
        want_proto(node, source);
      }
    }
    for (const std::string& url : found.meshes) {
      const std::string mesh =
          assets::resolve(source.folder, url, wbt::release_tag(source.version));
      want_if_named(assets::is_address(mesh) ? library_->find(mesh, source.folder) : mesh,
                    source.version);
    }
  }

  void want_proto(std::string_view name, const wbt::Source& source) {
    want_if_named(finder_.find(name, source), source.version);
  }

  void want_if_named(const std::string& name, const wbt::Version& user) {
    if (!name.empty()) {
      want(name, user);
    }
  }

  wbt::WorldFile world_;
  std::shared_ptr<const assets::Library> library_;
  wbt::ProtoFinder finder_;
  std::map<std::string, std::string> texts_;  // the key is the name
  // Files whose references are still to be followed.
  std::deque<std::pair<std::string, wbt::Version>> waiting_;
  std::uint32_t looked_into_ = 0;
  std::size_t bytes_ = 0;
};

// Returns the paths of servosim.toml and of the user's servos that the world or the values name.
std::vector<std::string> files_about_servos(const wbt::WorldFile& world, const Scene& scene,
                                            const std::vector<std::string>& values) {
  std::vector<std::string> choices = values;
  for (const RobotSpec& robot : scene.robots) {
    for (const DeviceSpec& device : robot.devices) {
      if (device.motor) {
        choices.push_back(device.motor->servo_choice);
      }
    }
  }
  for (const ProjectServo& servo : world.project_servos->servos) {
    choices.push_back(servo.model.value_or(""));
  }
  std::vector<std::string> paths;
  if (!world.project_servos->servos.empty() || !world.project_servos->folders.empty()) {
    paths.push_back(world.project_servos->path);
  }
  for (const std::string& choice : choices) {
    const std::string_view first = trimmed(choice, " \t\"");
    if (std::string path = world.servos->path_of(first.substr(0, first.find_first_of(" \t/\"")));
        !path.empty()) {
      paths.push_back(std::move(path));
    }
  }
  return paths;
}

bool is_in_folder(const std::string& name, const std::string& folder) {
  return name.starts_with(folder + '/');
}

}  // namespace

WorldFiles files_of_world(const std::string& world, const std::vector<std::string>& proto_paths,
                          const std::vector<std::string>& servo_paths,
                          const std::vector<std::string>& assets,
                          const std::vector<std::string>& values) {
  wbt::ReadOptions options;
  options.library =
      std::make_shared<const assets::Library>(assets::places_here(proto_paths, assets));
  options.servo_paths = servo_paths;
  Diagnostics diagnostics;
  wbt::WorldFile file = robots::read_world(world, options, {}, diagnostics);
  std::shared_ptr<const MeshStore> meshes;
  Scene scene;
  if (diagnostics.errors() == 0) {
    scene = build_scene(file, diagnostics, &meshes);
  }
  if (diagnostics.errors() > 0) {
    throw LoadError(diagnostics.list());
  }
  WorldFiles made;
  made.world = file.path;
  const std::vector<std::string> servo_files = files_about_servos(file, scene, values);
  made.servo_paths = file.servos->folders();
  const wbt::Version version = file.version;
  WorldSearch search(std::move(file), options.library);
  search.want(made.world, version);
  // Loading the world has shown what its templates compute.
  SourceMap& sources = diagnostics.sources();
  const std::uint32_t end = sources.add("<end>", {});
  for (std::uint32_t i = 1; i < end; ++i) {
    const std::string& name = sources.label(i);
    if (assets::is_address(name) || fs::path(name).is_absolute()) {
      search.want(name, version);
    }
  }
  if (meshes != nullptr) {
    for (const auto& [key, parts] : meshes->files) {
      search.want(key.first, version);
    }
  }
  search.follow();
  for (const std::string& name : servo_files) {
    search.want(name, version);
  }
  search.want_of_values(values, version);
  search.follow();
  made.files = search.take();
  made.proto_paths = options.library->places().proto_paths;
  for (const std::string& installation : options.library->places().installations) {
    if (std::any_of(made.files.begin(), made.files.end(), [&](const WorldFilePart& part) {
          return is_in_folder(part.name, installation);
        })) {
      made.proto_paths.push_back(installation);
    }
  }
  return made;
}

}  // namespace servosim::fetch
