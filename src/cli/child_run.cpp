// SPDX-License-Identifier: Apache-2.0
#include "cli/child_run.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <variant>

#include "base/files.h"
#include "base/scoped.h"
#include "cli/run_arguments.h"
#include "run/process.h"

namespace servosim {

// The child writes its document to a file, since the document may have any length; its messages
// come back through a pipe. The file has no name, so that none is left behind if this process is
// killed.
ChildRun run_child(const std::vector<std::string>& arguments, int max_lines) {
  const Descriptor file(::memfd_create("servosim run --json", MFD_CLOEXEC));
  if (!file) {
    throw std::system_error(errno, std::generic_category(), "a file for the document of a run");
  }
  const std::string document = fmt::format("/proc/{}/fd/{}", ::getpid(), file.get());
  std::vector<std::string> command{"sh",
                                   "-c",
                                   "exec \"$@\" >\"$0\"",
                                   document,
                                   std::filesystem::read_symlink("/proc/self/exe"),
                                   "run",
                                   "--json",
                                   fmt::format("{}={}", kEndWithOption, ::getpid())};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const CommandResult result = run_command(command, std::filesystem::current_path(), max_lines);
  ChildRun made{{}, result.output, result.wait_status};
  const auto text = read_file(document);
  if (const auto* json = std::get_if<std::string>(&text)) {
    const auto parsed = nlohmann::ordered_json::parse(*json, nullptr, false);
    if (!parsed.is_discarded() && parsed.contains("runs") && !parsed["runs"].empty()) {
      made.run = parsed["runs"].front();
    }
  }
  return made;
}

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n') + 1;
  const std::size_t begin = end == 0 ? std::string::npos : text.rfind('\n', end - 1);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1));
}

}  // namespace servosim
