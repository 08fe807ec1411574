// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/own_places.h"
#include "wbt/world_file.h"

namespace servosim::wbt::test {

/// A world that was read from a text, with its messages as `line:column: severity: text`.
struct ReadWorld {
  WorldFile file;
  std::vector<std::string> messages;
  std::size_t errors = 0;

  const Node& node(std::size_t index = 0) const { return *file.nodes.at(index); }
  /// Returns the messages except for those at level info, such as those about stand-ins.
  std::vector<std::string> faults() const {
    std::vector<std::string> list;
    for (const std::string& message : messages) {
      if (message.find(": info: ") == std::string::npos) {
        list.push_back(message);
      }
    }
    return list;
  }
};

inline ReadWorld read_text(const std::string& text, const std::string& folder,
                           const ReadOptions& options = {}) {
  Diagnostics diagnostics;
  ReadWorld world{read_world_text(text, "w.wbt", folder,
                                  servosim::test::without_places_here(options), diagnostics),
                  {},
                  0};
  world.errors = diagnostics.errors();
  for (Diagnostic d : diagnostics.list()) {
    const std::string file = std::filesystem::path(d.file).filename().string();
    d.file = file == "w.wbt" ? "" : file;
    const std::string text_of_it = to_string(d);
    world.messages.push_back(
        (d.file.empty() ? "" : d.file + ":") + std::to_string(d.line) + ":" +
        std::to_string(d.column) + ": " +
        (d.file.empty() ? text_of_it : text_of_it.substr(text_of_it.find(": ") + 2)));
  }
  return world;
}

/// Reads `body` from line 2 on, after a header of that version. There are no PROTO files.
inline ReadWorld read_body(const std::string& body, const std::string& version = "R2021b") {
  return read_text("#VRML_SIM " + version + " utf8\n" + body, "/nowhere/worlds");
}

/// A project with its own files, which is removed at the end of the test.
class TemporaryProject {
 public:
  TemporaryProject() {
    std::string name = (std::filesystem::temp_directory_path() / "servosim_XXXXXX").string();
    root_ = mkdtemp(name.data());
    std::filesystem::create_directories(root_ / "worlds");
  }
  ~TemporaryProject() { std::filesystem::remove_all(root_); }
  TemporaryProject(const TemporaryProject&) = delete;
  TemporaryProject& operator=(const TemporaryProject&) = delete;

  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path full = root_ / path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full, std::ios::binary) << text;
  }
  std::string path(const std::string& below) const { return (root_ / below).string(); }

  ReadWorld read(const std::string& body, const std::string& version = "R2021b",
                 const ReadOptions& options = {}) const {
    return read_text("#VRML_SIM " + version + " utf8\n" + body, path("worlds"), options);
  }

 private:
  std::filesystem::path root_;
};

using Messages = std::vector<std::string>;

}  // namespace servosim::wbt::test
