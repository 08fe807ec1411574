// SPDX-License-Identifier: Apache-2.0
// Reads any bytes as a world. What follows a line `#PROTO` becomes the project's PROTO `P`, so
// that PROTO files are covered too.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "wbt/world_file.h"

namespace {

namespace fs = std::filesystem;

// A project of its own, gone when the process ends.
class TemporaryProject {
 public:
  TemporaryProject() {
    std::string name = (fs::temp_directory_path() / "wbt_fuzz_XXXXXX").string();
    folder_ = mkdtemp(name.data());
    fs::create_directories(folder_ / "protos");
  }
  ~TemporaryProject() { fs::remove_all(folder_); }

  void write_proto(const std::string& text) {
    std::ofstream(folder_ / "protos" / "P.proto", std::ios::binary) << text;
  }
  std::string worlds() const { return (folder_ / "worlds").string(); }

 private:
  fs::path folder_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static TemporaryProject project;
  std::string world(reinterpret_cast<const char*>(data), size);
  const std::size_t mark = world.find("\n#PROTO\n");
  if (mark != std::string::npos) {
    project.write_proto(world.substr(mark + 8));
    world.resize(mark + 1);
  }
  servosim::Diagnostics diagnostics;
  servosim::wbt::read_world_text(std::move(world), "fuzz.wbt", project.worlds(), {}, diagnostics);
  return 0;
}
