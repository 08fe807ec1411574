// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "core/descriptor.h"

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

}  // namespace servosim
