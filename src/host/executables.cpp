// SPDX-License-Identifier: Apache-2.0
#include "host/executables.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/file.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;

std::array<char, 20> first_bytes(const fs::path& file) {
  std::array<char, 20> bytes{};
  const std::string text = beginning_of(file.string(), bytes.size());
  std::copy(text.begin(), text.end(), bytes.begin());
  return bytes;
}

bool is_executable_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

bool runs_here(const fs::path& file) {
  if (!is_executable_file(file)) {
    return false;
  }
  const auto bytes = first_bytes(file);
  if (bytes[0] == '#' && bytes[1] == '!') {
    return true;
  }
  static const auto own = first_bytes("/proc/self/exe");  // this machine, told by our own header
  constexpr std::size_t kIdentity = 6;                    // magic, class, byte order
  constexpr std::size_t kMachine = 18;
  return std::equal(bytes.begin(), bytes.begin() + kIdentity, own.begin()) &&
         std::equal(bytes.begin() + kMachine, bytes.end(), own.begin() + kMachine);
}

bool is_any_program(const fs::path& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) {
    return false;
  }
  const auto bytes = first_bytes(file);
  const std::string_view magic(bytes.data(), 4);
  return magic == "\x7f\x45LF" || magic == "\xcf\xfa\xed\xfe" || magic == "\xca\xfe\xba\xbe" ||
         magic == "\xce\xfa\xed\xfe" || magic.substr(0, 2) == "MZ";
}

std::string find_in_path(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    return is_executable_file(name) ? fs::absolute(name).string() : std::string();
  }
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!rest.empty() && !name.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const fs::path file = fs::path(rest.substr(0, colon)) / name;
    if (is_executable_file(file)) {
      return fs::absolute(file).string();
    }
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return {};
}

}  // namespace servosim
