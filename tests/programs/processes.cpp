// SPDX-License-Identifier: Apache-2.0
#include "programs/processes.h"

#include <fstream>

namespace servosim::test {

namespace fs = std::filesystem;

int processes_of(const Project& project) {
  int count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    std::error_code error;
    const fs::path program = fs::read_symlink(entry.path() / "exe", error);
    count += !error && program.string().find(project.folder().path()) == 0;
  }
  return count;
}

bool all_gone(const Project& project) {
  for (int i = 0; i < 500; ++i) {
    if (processes_of(project) == 0) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

std::vector<pid_t> children_of(pid_t process) {
  const std::string id = std::to_string(process);
  std::ifstream file("/proc/" + id + "/task/" + id + "/children");
  std::vector<pid_t> children;
  for (pid_t child = 0; file >> child;) {
    children.push_back(child);
  }
  return children;
}

}  // namespace servosim::test
