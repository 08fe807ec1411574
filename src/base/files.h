// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

#include "base/scoped.h"

namespace servosim {

/// Why a file cannot be read or written, as a clause: "is a directory", "cannot be opened: …".
struct FileError {
  std::string reason;
  int number = 0;  ///< errno; 0 if no call of the system failed
};

/// The size limit of files that are read [bytes]: several times the largest known world or mesh.
inline constexpr std::uint64_t kMaxFileSize = 256u << 20;

/// Opens a regular file of at most kMaxFileSize for reading. Refuses devices, FIFOs, sockets and
/// directories, and never blocks. @throws Shortage
std::variant<Descriptor, FileError> open_file(const std::string& path);

/// Returns the bytes of a file that open_file() accepts. @throws Shortage
std::variant<std::string, FileError> read_file(const std::string& path);

/// Returns the first bytes of any file, at most `max_bytes`; an empty text if it cannot be read.
/// @throws Shortage
std::string read_beginning(const std::string& path, std::size_t max_bytes);

/// Does the same as read_file(), but returns an empty text for an error. @throws Shortage
std::string read_file_or_nothing(const std::string& path);

/// Makes `text` the content of a file, all of it or nothing, even if the process or the machine
/// stops: it writes a temporary file `.servosim-…` in the same folder, syncs it and renames it. A
/// process that is killed before the rename leaves that file behind. Symbolic links are followed.
/// The new file has the mode of the old one, and its owner if the user may change owners. Other
/// hard links keep the old text; access control lists and extended attributes are those of a new
/// file.
///
/// A device, a FIFO and standard output or error, such as /dev/stdout, are written to in place;
/// each piece must be read within 5 s. Errors are: a file that exists, unless `replace`; a mount
/// point; a folder in which the user may not create files. Returns the error, or nothing.
[[nodiscard]] std::optional<FileError> write_file(const std::string& path, std::string_view text,
                                                  bool replace);

/// Reads a stream of any length line by line, in bounded memory.
///
/// Invariant: begin_ <= buffer_.size(), and the bytes from begin_ on were not returned yet.
class LineReader {
 public:
  /// @param max_line  the maximum length of a line [bytes]
  LineReader(std::istream& in, std::size_t max_line) : in_(in), max_line_(max_line) {}

  /// Sets `line` to the next line that ends with a line break, without the break; it is valid until
  /// the next call. Returns false at the end.
  /// @throws std::length_error for a line that is too long, std::runtime_error if reading fails,
  /// Shortage if the device fails.
  bool next(std::string_view& line);
  /// Returns, at the end, the number of bytes after the last line break.
  std::size_t left_over() const { return buffer_.size() - begin_; }
  /// Returns the number of the last line, counted from 1.
  std::int64_t number() const { return number_; }

 private:
  bool read_more();

  std::istream& in_;
  std::size_t max_line_;
  std::string buffer_;
  std::size_t begin_ = 0;  // offset of the first byte that was not returned yet
  std::int64_t number_ = 0;
};

/// The files that C controllers are built and run with.
struct ControllerKit {
  std::string include_folder;  ///< holds webots/robot.h
  std::string library_folder;  ///< holds libController.so
  /// The folder that WEBOTS_HOME names: it has the layout of a Webots installation.
  std::string home = {};
  /// The version of Webots (3 to 8) whose C API the sources use; 0 means the present one.
  int webots_api = 0;
};

/// Returns the kit of this library: in the folder $SERVOSIM_HOME (with the layout of a Webots
/// installation) if that is set, else in the folder `servosim` next to this library.
/// @throws std::runtime_error that names the folders that were searched
ControllerKit find_controller_kit();

/// Returns the project that is searched last for controllers. It may be missing.
std::string default_project_folder();

/// Returns the path of a helper program, in the folder `servosim` next to this library. It may be
/// missing.
std::string helper_program_path(std::string_view name);

/// A new folder in $TMPDIR, or in /tmp; the destructor removes it with all files in it.
class TemporaryFolder {
 public:
  /// @param name  the beginning of its name
  /// @throws std::runtime_error with the folder, the reason and what to do
  explicit TemporaryFolder(std::string_view name);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace servosim
