// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/scoped.h"

namespace servosim {

/// Why a file could not be read or written, as a clause: "is a directory", "cannot be opened: …".
struct FileError {
  std::string reason;
  int number = 0;  ///< errno; 0 if it is not the system that refuses
};

/// Largest file this program reads.
inline constexpr std::uint64_t kMaxFileSize = 256u << 20;

/// Opens a regular file of at most kMaxFileSize to be read. Devices, FIFOs, sockets and directories
/// are refused without blocking on them. @throws Shortage
std::variant<Descriptor, FileError> open_file(const std::string& path);

/// The bytes of a regular file of at most kMaxFileSize, as open_file() takes it. @throws Shortage
std::variant<std::string, FileError> read_file(const std::string& path);

/// At most `most` bytes from the beginning of any file; an empty text for what cannot be read.
/// @throws Shortage
std::string beginning_of(const std::string& path, std::size_t most);

/// As read_file(); an empty text for what read_file() refuses. @throws Shortage
std::string read_file_or_nothing(const std::string& path);

/// What C controllers are built with and run with.
struct ControllerKit {
  std::string include_folder;  ///< holds webots/robot.h
  std::string library_folder;  ///< holds libController.so
  std::string home = {};       ///< the folder shaped like a Webots installation: WEBOTS_HOME
  /// 3 to 8: their sources call the functions as that version of Webots had them; 0: as today.
  int webots_api = 0;
};

/// The kit that belongs to this library: in the folder $SERVOSIM_HOME (shaped like a Webots
/// installation) if that is set, else in the folder `servosim` beside this library.
/// @throws std::runtime_error naming the folders looked in.
ControllerKit find_controller_kit();

/// The project whose controllers are looked for last. It may be missing.
std::string default_project_folder();

/// A program that works for this library, in the folder servosim beside it. It may be missing.
std::string helper_program_path(std::string_view name);

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
