// SPDX-License-Identifier: Apache-2.0
#include "core/temporary_folder.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "core/shortage.h"

namespace servosim {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder(std::string_view name) {
  const char* set = std::getenv("TMPDIR");
  const fs::path parent = set != nullptr && *set != '\0' ? set : "/tmp";
  path_ = (fs::absolute(parent) / fmt::format("{}-XXXXXX", name)).string();
  if (::mkdtemp(path_.data()) == nullptr) {
    throw_if_short(errno, fmt::format("cannot make a folder in '{}'", parent.string()));
    throw std::runtime_error(
        fmt::format("cannot make a folder in '{}': {}; set TMPDIR to a folder you can write",
                    parent.string(), std::strerror(errno)));
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace servosim
