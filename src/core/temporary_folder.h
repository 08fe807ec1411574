// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace servosim {

/// A folder of our own where temporary files go, gone with everything in it when this object is.
class TemporaryFolder {
 public:
  /// @throws std::system_error naming the folder that cannot be made
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace servosim
