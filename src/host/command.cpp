// SPDX-License-Identifier: Apache-2.0
#include "host/command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

#include "host/descriptor.h"

namespace servosim {
namespace {

constexpr std::size_t kMaxLineBytes = 4096;  // on average; bounds memory for endless lines

// Keeps the first lines of a text that comes in pieces and counts the rest.
class BoundedText {
 public:
  explicit BoundedText(int max_lines) : max_lines_(max_lines) {}

  void append(std::string_view piece) {
    for (const char c : piece) {
      if (lines_ < max_lines_ && text_.size() < max_lines_ * kMaxLineBytes) {
        text_.push_back(c);
      } else {
        cut_ = true;
      }
      lines_ += c == '\n';
    }
  }

  std::string take() {
    if (cut_) {
      text_ += fmt::format("... ({} lines in all)\n", lines_);
    }
    return std::move(text_);
  }

 private:
  std::size_t max_lines_;
  std::size_t lines_ = 0;
  bool cut_ = false;
  std::string text_;
};

// Closed again on every way out of run_command().
class SpawnSetup {
 public:
  SpawnSetup(const std::string& folder, int output) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDERR_FILENO);
    ::posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
    ::posix_spawnattr_init(&attributes_);
    sigset_t set;
    ::sigemptyset(&set);
    ::posix_spawnattr_setsigmask(&attributes_, &set);
    ::sigaddset(&set, SIGPIPE);
    ::posix_spawnattr_setsigdefault(&attributes_, &set);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSetup() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;

  int start(const std::vector<std::string>& arguments, pid_t& pid) const {
    std::vector<char*> argv;
    for (const std::string& argument : arguments) {
      argv.push_back(const_cast<char*>(argument.c_str()));
    }
    argv.push_back(nullptr);
    return ::posix_spawnp(&pid, argv[0], &actions_, &attributes_, argv.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

std::string read_to_end(int fd, int max_lines) {
  BoundedText text(max_lines);
  std::array<char, 1 << 14> buffer;
  for (;;) {
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n > 0) {
      text.append({buffer.data(), static_cast<std::size_t>(n)});
    } else if (n == 0 || errno != EINTR) {
      return text.take();
    }
  }
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& arguments, const std::string& folder,
                          int max_lines) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "pipe");
  }
  const Descriptor reader(ends[0]);
  Descriptor writer(ends[1]);
  pid_t pid = 0;
  const int error = SpawnSetup(folder, writer.get()).start(arguments, pid);
  writer.reset();
  if (error == ENOENT || error == ENOTDIR) {
    return {};
  }
  if (error != 0) {
    throw std::system_error(error, std::generic_category(), "cannot start " + arguments[0]);
  }
  CommandResult result{true, 0, read_to_end(reader.get(), max_lines)};
  while (::waitpid(pid, &result.wait_status, 0) < 0 && errno == EINTR) {
  }
  return result;
}

std::string describe_wait_status(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    const char* name = ::sigabbrev_np(WTERMSIG(wait_status));
    return name != nullptr ? fmt::format("was ended by SIG{}", name)
                           : fmt::format("was ended by signal {}", WTERMSIG(wait_status));
  }
  return fmt::format("exited with status {}", WEXITSTATUS(wait_status));
}

}  // namespace servosim
