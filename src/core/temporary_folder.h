// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace servosim {

/// A new folder in $TMPDIR, or in /tmp; gone with all in it on every way out.
class TemporaryFolder {
 public:
  /// @param name  what its name begins with
  /// @throws std::runtime_error that says where, why, and what to do
  explicit TemporaryFolder(std::string_view name);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace servosim
