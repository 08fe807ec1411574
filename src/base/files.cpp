// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/assert.h"
#include "base/private_folder.h"
#include "base/shortage.h"

namespace servosim {
namespace {

FileError failure(const std::string& path, const char* what) {
  const int error = errno;
  throw_if_short(error, fmt::format("'{}' {}", path, what));
  return {fmt::format("{}: {}", what, std::strerror(error)), error};
}

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
  // The system would end the path at the NUL byte and open another file.
  if (path.find('\0') != std::string::npos) {
    return FileError{"has a name with a NUL byte"};
  }
  struct stat info {};
  // Opening some devices has an effect, so the type is checked before opening and again afterwards.
  if (::stat(path.c_str(), &info) != 0) {
    return failure(path, "cannot be read");
  }
  if (auto refused = refusal(info)) {
    return *refused;
  }
  // O_NONBLOCK prevents that opening a FIFO waits for a writer.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (!file || ::fstat(file.get(), &info) != 0) {
    return failure(path, "cannot be opened");
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
    return failure(path, "cannot be read");
  }
  // The file may grow while it is read.
  const auto size = std::min(static_cast<std::uint64_t>(info.st_size), kMaxFileSize);
  std::string text(static_cast<std::size_t>(size), '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::read(file.get(), text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0) {
      return failure(path, "cannot be read");
    }
    if (n == 0) {
      break;  // the file has shrunk
    }
    done += static_cast<std::size_t>(n);
  }
  text.resize(done);
  return text;
}

std::string read_beginning(const std::string& path, std::size_t max_bytes) {
  constexpr std::size_t kPiece = 1 << 16;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  std::string text;
  std::size_t done = 0;
  while (file && done < max_bytes) {
    text.resize(done + std::min(max_bytes - done, kPiece));
    const ssize_t n = ::read(file.get(), text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0) {
      throw_if_short(n < 0 && errno != EAGAIN ? errno : 0,
                     fmt::format("'{}' cannot be read", path));
      break;
    }
    done += static_cast<std::size_t>(n);
  }
  if (!file) {
    throw_if_short(errno, fmt::format("'{}' cannot be opened", path));
  }
  text.resize(done);
  return text;
}

std::string read_file_or_nothing(const std::string& path) {
  auto read = read_file(path);
  auto* text = std::get_if<std::string>(&read);
  return text != nullptr ? std::move(*text) : std::string();
}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = begin_;
  for (;;) {
    SERVOSIM_ASSERT(begin_ <= buffer_.size(), "{} of {} bytes", begin_, buffer_.size());
    const std::size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      line = std::string_view(buffer_).substr(begin_, end - begin_);
      begin_ = end + 1;
      ++number_;
      return true;
    }
    searched = left_over();  // where the search continues after read_more()
    if (searched > max_line_) {
      throw std::length_error("a line is too long");
    }
    if (!read_more()) {
      return false;
    }
  }
}

bool LineReader::read_more() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  std::array<char, 1 << 16> block;
  errno = 0;
  in_.read(block.data(), block.size());
  if (in_.bad()) {
    throw_if_short(errno, "a file cannot be read");
    throw std::runtime_error("cannot be read");
  }
  buffer_.append(block.data(), static_cast<std::size_t>(in_.gcount()));
  return in_.gcount() > 0;
}

namespace {

namespace fs = std::filesystem;

bool complete(const ControllerKit& kit) {
  std::error_code ignored;
  return fs::exists(fs::path(kit.include_folder) / "webots" / "robot.h", ignored) &&
         fs::exists(fs::path(kit.library_folder) / "libController.so", ignored);
}

ControllerKit installation(const fs::path& home) {
  return {(home / "include" / "controller" / "c").string(), (home / "lib" / "controller").string(),
          home.string()};
}

// Returns the folder of the shared library or program that contains this function.
fs::path own_folder() {
  Dl_info info{};
  std::error_code error;
  if (::dladdr(reinterpret_cast<void*>(&find_controller_kit), &info) == 0 ||
      info.dli_fname == nullptr) {
    return fs::read_symlink("/proc/self/exe", error).parent_path();
  }
  const fs::path file = fs::canonical(info.dli_fname, error);
  throw_if_short(error, fmt::format("'{}' cannot be found", info.dli_fname));
  return error ? fs::path() : file.parent_path();
}

// The build tree also has such a folder, which holds links.
fs::path home_folder() {
  const char* home = std::getenv("SERVOSIM_HOME");
  return home != nullptr && *home != '\0' ? fs::absolute(home) : own_folder() / "servosim";
}

}  // namespace

ControllerKit find_controller_kit() {
  const ControllerKit kit = installation(home_folder());
  if (!complete(kit)) {
    throw std::runtime_error(
        fmt::format("libController.so and webots/robot.h are not both in '{}' and '{}'; "
                    "SERVOSIM_HOME, if set, must name the folder lib/servosim of an installation",
                    kit.library_folder, kit.include_folder));
  }
  return kit;
}

std::string default_project_folder() { return (home_folder() / "projects" / "default").string(); }

std::string helper_program_path(std::string_view name) {
  const fs::path self = own_folder();
  // A program that contains this library is in bin, next to lib.
  const fs::path of_program = self / "../lib/servosim" / name;
  std::error_code ignored;
  return fs::exists(of_program, ignored) && self.filename() == "bin"
             ? of_program.string()
             : (self / "servosim" / name).string();
}

TemporaryFolder::TemporaryFolder(std::string_view name) {
  const fs::path parent = temporary_files_folder();
  path_ = (fs::absolute(parent) / fmt::format("{}-XXXXXX", name)).string();
  if (::mkdtemp(path_.data()) == nullptr) {
    throw_if_short(errno, fmt::format("cannot create a folder in '{}'", parent.string()));
    throw std::runtime_error(fmt::format(
        "cannot create a folder in '{}': {}; set TMPDIR to a folder that you may write to",
        parent.string(), std::strerror(errno)));
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace servosim
