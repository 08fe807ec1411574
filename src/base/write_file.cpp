// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/files.h"
#include "base/scoped.h"

// libController, which depends on nothing, contains this source too, so it uses neither fmt nor
// std::filesystem.

namespace servosim {
namespace {

FileError unwritten(std::string_view what = {}) {
  const int error = errno;
  return {"cannot be written: " + std::string(what) + std::strerror(error), error};
}

// The result includes the last '/'; it is empty if the path has none.
std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

// Returns the target of the symbolic links at the end of a path, whether it exists or not. For a
// loop, returns nothing and sets errno.
std::optional<std::string> resolve_links(std::string path) {
  constexpr int kMaxLinks = 40;  // the limit of Linux
  for (int i = 0; i < kMaxLinks; ++i) {
    std::array<char, PATH_MAX> link;
    const ssize_t size = ::readlink(path.c_str(), link.data(), link.size());
    if (size < 0) {
      return path;
    }
    const std::string_view target(link.data(), static_cast<std::size_t>(size));
    path = (target.starts_with('/') ? std::string() : folder_of(path)).append(target);
  }
  errno = ELOOP;
  return std::nullopt;
}

// The name is short, since that of the file may have the greatest length of a name.
std::string temporary_name_in(const std::string& folder) {
  std::uint64_t number = 0;
  static_cast<void>(::getrandom(&number, sizeof number, 0));  // if it fails, O_EXCL finds a clash
  std::array<char, 16> digits;
  const auto end = std::to_chars(digits.begin(), digits.end(), number, 16).ptr;
  return folder + ".servosim-" + std::string(digits.begin(), end);
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(descriptor, text.data(), text.size());
    if (n < 0 && errno != EINTR) {
      return false;
    }
    text.remove_prefix(n < 0 ? 0 : static_cast<std::size_t>(n));
  }
  return true;
}

// Writes to a stream that may have to wait for its reader. When poll() reports that a pipe has
// room, the pipe takes PIPE_BUF bytes at once, even if the descriptor is shared and blocks.
std::optional<FileError> write_in_pieces(int descriptor, std::string_view text) {
  constexpr int kTimeoutMs = 5000;
  while (!text.empty()) {
    pollfd ready{descriptor, POLLOUT, 0};
    const int events = ::poll(&ready, 1, kTimeoutMs);
    if (events == 0) {
      return FileError{"is written in part only: its reader does not read on"};
    }
    const ssize_t n =
        events < 0 ? -1
                   : ::write(descriptor, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (n < 0 && errno != EINTR && errno != EAGAIN) {
      return unwritten();
    }
    text.remove_prefix(n < 0 ? 0 : static_cast<std::size_t>(n));
  }
  return std::nullopt;
}

// EINVAL means that the file system does not sync.
bool sync(int descriptor) { return ::fsync(descriptor) == 0 || errno == EINVAL; }

// A new file that is removed unless it is renamed.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& folder, mode_t mode)
      : path_(temporary_name_in(folder)),
        file_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)) {}
  ~TemporaryFile() {
    if (file_ && !renamed_) {
      ::unlink(path_.c_str());
    }
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  bool is_open() const { return static_cast<bool>(file_); }
  // Copies the owner and then the mode, since a change of the owner may clear bits of the mode.
  bool copy_attributes(const struct stat& old) const {
    struct stat own {};
    if (::fstat(file_.get(), &own) != 0) {
      return false;
    }
    if (own.st_uid != old.st_uid || own.st_gid != old.st_gid) {
      const bool changed = ::fchown(file_.get(), old.st_uid, old.st_gid) == 0 ||
                           ::fchown(file_.get(), static_cast<uid_t>(-1), old.st_gid) == 0;
      static_cast<void>(changed);  // if it fails, the file belongs to the user who writes
    }
    return ::fchmod(file_.get(), old.st_mode & 07777) == 0;
  }
  bool write(std::string_view text) const {
    return write_all(file_.get(), text) && sync(file_.get());
  }
  bool rename_to(const std::string& path, bool replace) {
    renamed_ = replace ? ::rename(path_.c_str(), path.c_str()) == 0 : move_to_new(path);
    return renamed_;
  }

 private:
  // Not every file system has RENAME_NOREPLACE.
  bool move_to_new(const std::string& path) const {
    if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0) {
      return true;
    }
    return (errno == EINVAL || errno == ENOSYS) && ::access(path.c_str(), F_OK) != 0 &&
           ::rename(path_.c_str(), path.c_str()) == 0;
  }

  std::string path_;
  Descriptor file_;
  bool renamed_ = false;
};

// A new name is on the disk once its folder is synced.
bool sync_folder(const std::string& folder) {
  const Descriptor opened(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // EACCES is no error: one may create files in a folder that one may not read.
  return opened ? sync(opened.get()) : errno == EACCES;
}

std::optional<FileError> write_to_stream(const std::string& path, std::string_view text) {
  // O_NONBLOCK prevents that opening a FIFO waits forever for a reader.
  const Descriptor stream(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!stream && errno == ENXIO) {
    return FileError{"cannot be written: it has no reader"};
  }
  return stream ? write_in_pieces(stream.get(), text) : unwritten();
}

// /dev/stdout may be a regular file; text is then appended to it.
std::optional<int> standard_stream(const struct stat& file) {
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat info {};
    if (::fstat(stream, &info) == 0 && info.st_dev == file.st_dev && info.st_ino == file.st_ino) {
      return stream;
    }
  }
  return std::nullopt;
}

// `old` has the attributes of the file that is replaced, or is null.
std::optional<FileError> put_file(const std::string& path, std::string_view text,
                                  const struct stat* old) {
  if (old != nullptr && ::access(path.c_str(), W_OK) != 0) {
    return unwritten();
  }
  const std::string folder = folder_of(path);
  TemporaryFile file(folder, old != nullptr ? 0600 : 0666);
  if (!file.is_open()) {
    return unwritten(old != nullptr ? "no temporary file can be created beside it: " : "");
  }
  if ((old != nullptr && !file.copy_attributes(*old)) || !file.write(text)) {
    return unwritten();
  }
  if (!file.rename_to(path, old != nullptr)) {
    return errno == EBUSY ? FileError{"is a mount point, which no other file can replace; choose "
                                      "another name"}
                          : unwritten();
  }
  if (!sync_folder(folder)) {
    return FileError{std::string("is written, but perhaps not on the disk yet: ") +
                     std::strerror(errno)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<FileError> write_file(const std::string& path, std::string_view text, bool replace) {
  if (path.empty() || path.find('\0') != std::string::npos) {
    return FileError{"is no file name"};
  }
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (!exists && errno != ENOENT) {
    return unwritten();
  }
  if (exists && S_ISDIR(info.st_mode)) {
    return FileError{"is a directory"};
  }
  if (const auto stream = exists ? standard_stream(info) : std::nullopt) {
    return write_in_pieces(*stream, text);
  }
  if (exists && !S_ISREG(info.st_mode)) {
    return write_to_stream(path, text);
  }
  if (exists && !replace) {
    return FileError{"exists already"};
  }
  const std::optional<std::string> target = resolve_links(path);
  return target ? put_file(*target, text, exists ? &info : nullptr) : unwritten();
}

}  // namespace servosim
