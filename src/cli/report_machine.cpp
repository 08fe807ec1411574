// SPDX-License-Identifier: Apache-2.0
#include "cli/report_machine.h"

#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/files.h"
#include "base/shortage.h"
#include "base/text.h"
#include "cli/performance_log.h"
#include "cli/secrets.h"
#include "run/process.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxProcText = 1 << 16;

// Returns the value of the first line `key SEPARATOR value`; empty if there is none.
std::string value_in(std::string_view text, std::string_view key, char separator) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t at = line.find(separator);
    if (at != std::string_view::npos && trimmed(line.substr(0, at), " \t") == key) {
      return std::string(trimmed(line.substr(at + 1), " \t\""));
    }
  }
  return {};
}

int add_library(dl_phdr_info* info, std::size_t, void* names) {
  if (const std::string_view name = info->dlpi_name; !name.empty()) {
    static_cast<std::set<std::string>*>(names)->emplace(name);
  }
  return 0;
}

std::vector<std::string> loaded_libraries() {
  std::set<std::string> names;
  ::dl_iterate_phdr(add_library, &names);
  std::set<std::string> files;
  for (const std::string& name : names) {
    std::error_code error;
    const fs::path real = fs::canonical(name, error);
    files.insert((error ? fs::path(name) : real).filename().string());
  }
  return {files.begin(), files.end()};
}

std::string compiler_of_controllers() {
  const char* const chosen = std::getenv("CC");
  const std::string_view command = trimmed(chosen != nullptr ? chosen : "", " \t");
  const std::string program(command.empty() ? "cc" : command.substr(0, command.find(' ')));
  try {
    const std::string text = run_command({program, "--version"}, "/", 1).output;
    return text.substr(0, text.find('\n'));
  } catch (const std::system_error& error) {
    rethrow_if_short(error);
    return error.what();
  }
}

// Returns a URL such as tcp://HOST:PORT/ROBOT without its host.
std::string without_host(std::string_view url) {
  constexpr std::string_view kScheme = "tcp://";
  if (!url.starts_with(kScheme)) {
    return std::string(url);
  }
  const std::string_view rest = url.substr(kScheme.size());
  const std::size_t brackets = rest.starts_with('[') ? rest.find(']') : 0;
  const std::size_t end =
      std::min(rest.find_first_of(":/", std::min(brackets, rest.size())), rest.size());
  return fmt::format("{}{}{}", kScheme, kRemoved, rest.substr(end));
}

bool is_ours(std::string_view name) {
  return name.starts_with("SERVOSIM_") || name.starts_with("WEBOTS_");
}

}  // namespace

Json build_json() {
#ifdef __clang__
  constexpr const char* kCompiler = __VERSION__;
#else
  constexpr const char* kCompiler = "GCC " __VERSION__;
#endif
  return {{"compiler", kCompiler},
          {"type", SERVOSIM_BUILD_TYPE},
          {"sanitizers", SERVOSIM_BUILD_SANITIZE},
          {"lto", SERVOSIM_BUILD_LTO != 0},
          {"assertions", SERVOSIM_BUILD_ASSERTIONS != 0},
          {"c_library", fmt::format("glibc {}.{}", __GLIBC__, __GLIBC_MINOR__)}};
}

Json machine_json() {
  utsname system{};
  static_cast<void>(::uname(&system));  // it fails only for an invalid address
  const std::string release = read_file_or_nothing("/etc/os-release");
  const std::string memory = read_beginning("/proc/meminfo", kMaxProcText);
  return {{"system", value_in(release, "PRETTY_NAME", '=')},
          {"kernel", fmt::format("{} {}", system.sysname, system.release)},
          {"architecture", system.machine},
          {"processor", processor_name()},
          {"processors", ::sysconf(_SC_NPROCESSORS_ONLN)},
          {"memory", value_in(memory, "MemTotal", ':')},
          {"c_library", fmt::format("glibc {}", ::gnu_get_libc_version())},
          {"compiler_of_controllers", compiler_of_controllers()},
          {"libraries", loaded_libraries()}};
}

Json environment_json() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = std::min(text.find('='), text.size());
    if (const std::string_view name = text.substr(0, equals); is_ours(name)) {
      const std::string_view value = text.substr(std::min(equals + 1, text.size()));
      const bool is_secret = may_be_token(value) || without_secrets(text).removed > 0;
      variables.emplace(name, is_secret                         ? std::string(kRemoved)
                              : name == "WEBOTS_CONTROLLER_URL" ? without_host(value)
                                                                : std::string(value));
    }
  }
  Json json = Json::object();
  for (const auto& [name, value] : variables) {
    json[name] = value;
  }
  return json;
}

}  // namespace servosim
