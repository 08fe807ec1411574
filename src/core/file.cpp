// SPDX-License-Identifier: Apache-2.0
#include "core/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

namespace servosim {
namespace {

FileError failure(const char* what) { return {fmt::format("{}: {}", what, std::strerror(errno))}; }

std::optional<FileError> refusal(const struct stat& info) {
  if (S_ISDIR(info.st_mode)) {
    return FileError{"is a directory"};
  }
  if (!S_ISREG(info.st_mode)) {
    return FileError{"is not a regular file"};
  }
  if (static_cast<std::uint64_t>(info.st_size) > kMaxFileSize) {
    return FileError{fmt::format("is larger than {} MB", kMaxFileSize >> 20)};
  }
  return std::nullopt;
}

}  // namespace

std::variant<Descriptor, FileError> open_file(const std::string& path) {
  // A path with a NUL byte would be cut there by the system and name another file.
  if (path.find('\0') != std::string::npos) {
    return FileError{"has a name with a NUL byte"};
  }
  struct stat info {};
  // Some devices act when they are opened, so look first, and again at what was opened.
  if (::stat(path.c_str(), &info) != 0) {
    return failure("cannot be read");
  }
  if (auto refused = refusal(info)) {
    return *refused;
  }
  // O_NONBLOCK: opening a FIFO without a writer would otherwise wait for one.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (!file || ::fstat(file.get(), &info) != 0) {
    return failure("cannot be opened");
  }
  if (auto refused = refusal(info)) {
    return *refused;
  }
  return file;
}

std::variant<std::string, FileError> read_file(const std::string& path) {
  auto opened = open_file(path);
  if (const auto* refused = std::get_if<FileError>(&opened)) {
    return *refused;
  }
  const Descriptor& file = std::get<Descriptor>(opened);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) {
    return failure("cannot be read");
  }
  // It may grow meanwhile.
  const auto size = std::min(static_cast<std::uint64_t>(info.st_size), kMaxFileSize);
  std::string text(static_cast<std::size_t>(size), '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::read(file.get(), text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0) {
      return failure("cannot be read");
    }
    if (n == 0) {
      break;  // it shrank meanwhile
    }
    done += static_cast<std::size_t>(n);
  }
  text.resize(done);
  return text;
}

namespace {

// Short, since the name of the file may be as long as a name can be.
std::string some_name_beside(const std::string& path) {
  std::uint64_t number = 0;
  static_cast<void>(::getrandom(&number, sizeof number, 0));  // else O_EXCL still guards
  return std::filesystem::path(path).replace_filename(fmt::format(".servosim-{:x}", number));
}

// Removed unless it has been renamed.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& beside, mode_t mode)
      : path_(some_name_beside(beside)),
        file_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)) {}
  ~TemporaryFile() {
    if (file_ && !renamed_) {
      ::unlink(path_.c_str());
    }
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  bool is_open() const { return static_cast<bool>(file_); }
  bool write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t n = ::write(file_.get(), text.data(), text.size());
      if (n < 0 && errno != EINTR) {
        return false;
      }
      text.remove_prefix(n < 0 ? 0 : static_cast<std::size_t>(n));
    }
    return ::fsync(file_.get()) == 0;
  }
  bool change_mode(mode_t mode) const { return ::fchmod(file_.get(), mode) == 0; }
  bool rename_to(const std::string& path, bool replace) {
    renamed_ = replace ? ::rename(path_.c_str(), path.c_str()) == 0 : move_to_new(path);
    return renamed_;
  }

 private:
  // Not every file system can do this in one step.
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

}  // namespace

std::optional<FileError> write_file(const std::string& path, std::string_view text, bool replace) {
  if (path.empty() || path.find('\0') != std::string::npos) {
    return FileError{"is no name of a file"};
  }
  std::error_code error;
  std::string target = path;
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && !replace) {
    return FileError{"exists already"};
  }
  if (exists) {
    if (auto refused = refusal(info); refused && !S_ISREG(info.st_mode)) {
      return refused;
    }
    target = std::filesystem::canonical(path, error).string();  // what a link leads to
    if (error || ::access(target.c_str(), W_OK) != 0) {
      return failure("cannot be written");
    }
  }
  TemporaryFile file(target, exists ? 0600 : 0666);
  if (!file.is_open() || (exists && !file.change_mode(info.st_mode & 07777)) || !file.write(text) ||
      !file.rename_to(target, replace)) {
    return failure("cannot be written");
  }
  return std::nullopt;
}

std::string read_file_or_nothing(const std::string& path) {
  auto read = read_file(path);
  auto* text = std::get_if<std::string>(&read);
  return text != nullptr ? std::move(*text) : std::string();
}

}  // namespace servosim
