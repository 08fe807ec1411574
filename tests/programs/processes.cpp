// SPDX-License-Identifier: Apache-2.0
#include "programs/processes.h"

#include <fstream>

#include "base/raw_client.h"

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
  return net::becomes([&] { return processes_of(project) == 0; });
}

bool catches(pid_t process, int signal_number) {
  const std::string status = read_text("/proc/" + std::to_string(process) + "/status");
  const std::size_t caught = status.find("\nSigCgt:");
  return caught != std::string::npos &&
         (std::stoull(status.substr(caught + 8), nullptr, 16) >> (signal_number - 1) & 1) != 0;
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
