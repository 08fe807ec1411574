// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace servosim::fuzz {

/// A project with a world and the PROTO `P`. It is removed when the process ends.
class FuzzProject {
 public:
  FuzzProject() {
    namespace fs = std::filesystem;
    std::string name = (fs::temp_directory_path() / "servosim_fuzz_XXXXXX").string();
    folder_ = mkdtemp(name.data());
    fs::create_directories(folder_ / "protos");
    fs::create_directories(worlds());
  }
  ~FuzzProject() { std::filesystem::remove_all(folder_); }
  FuzzProject(const FuzzProject&) = delete;
  FuzzProject& operator=(const FuzzProject&) = delete;

  /// Moves the text after a line `#PROTO` from `text` to P. Without such a line P is removed.
  void take_proto(std::string& text) {
    const std::filesystem::path proto = folder_ / "protos" / "P.proto";
    const std::size_t mark = text.find("\n#PROTO\n");
    if (mark == std::string::npos) {
      std::filesystem::remove(proto);
      return;
    }
    write(proto, text.substr(mark + 8));
    text.resize(mark + 1);
  }
  void write_world(const std::string& text) { write(world(), text); }
  std::string world() const { return worlds() + "/fuzz.wbt"; }
  std::string worlds() const { return (folder_ / "worlds").string(); }

 private:
  static void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }

  std::filesystem::path folder_;
};

}  // namespace servosim::fuzz
