// SPDX-License-Identifier: Apache-2.0
#include "base/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

namespace servosim {
namespace {

class SpawnSetup {
 public:
  SpawnSetup(const std::string& folder, const ChildStreams& streams) {
    keep_first(::posix_spawn_file_actions_init(&actions_));
    connect(streams.input, STDIN_FILENO, O_RDONLY);
    connect(streams.output, STDOUT_FILENO, O_WRONLY);
    connect(streams.error, STDERR_FILENO, O_WRONLY);
    if (!folder.empty()) {
      keep_first(::posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str()));
    }
    keep_first(::posix_spawnattr_init(&attributes_));
    sigset_t set;
    ::sigemptyset(&set);
    keep_first(::posix_spawnattr_setsigmask(&attributes_, &set));
    for (const int ignored_here : {SIGPIPE, SIGXFSZ}) {
      ::sigaddset(&set, ignored_here);
    }
    keep_first(::posix_spawnattr_setsigdefault(&attributes_, &set));
    keep_first(::posix_spawnattr_setpgroup(&attributes_, 0));
    keep_first(::posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP));
  }
  ~SpawnSetup() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;

  int start(const std::vector<std::string>& arguments, pid_t& pid) const {
    if (error_ != 0) {
      return error_;
    }
    std::vector<char*> argv;
    for (const std::string& argument : arguments) {
      argv.push_back(const_cast<char*>(argument.c_str()));
    }
    argv.push_back(nullptr);
    return ::posix_spawnp(&pid, argv[0], &actions_, &attributes_, argv.data(), environ);
  }

 private:
  void connect(int descriptor, int in_child, int mode) {
    if (descriptor < 0) {
      keep_first(::posix_spawn_file_actions_addopen(&actions_, in_child, "/dev/null", mode, 0));
    } else {
      keep_first(::posix_spawn_file_actions_adddup2(&actions_, descriptor, in_child));
    }
  }
  void keep_first(int error) { error_ = error_ != 0 ? error_ : error; }

  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
  int error_ = 0;  // errno of the first call that failed
};

}  // namespace

std::string read_to_end(int fd, std::size_t max_bytes) {
  constexpr std::size_t kPiece = 1 << 16;
  const auto piece = std::make_unique<char[]>(kPiece);
  std::string text;
  while (text.size() <= max_bytes) {
    const ssize_t n = ::read(fd, piece.get(), kPiece);
    if (n < 0 && errno != EINTR) {
      throw std::system_error(errno, std::generic_category(), "reading");
    }
    if (n == 0) {
      break;
    }
    text.append(piece.get(), n > 0 ? static_cast<std::size_t>(n) : 0);
  }
  return text;
}

int start_child(const std::vector<std::string>& arguments, const std::string& folder,
                const ChildStreams& streams, pid_t& pid) {
  return SpawnSetup(folder, streams).start(arguments, pid);
}

std::optional<int> wait_for_child(pid_t pid) {
  int status = 0;
  pid_t ended = -1;
  do {
    ended = ::waitpid(pid, &status, 0);
  } while (ended < 0 && errno == EINTR);
  return ended == pid ? std::optional(status) : std::nullopt;
}

std::string describe_wait_status(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    const char* name = ::sigabbrev_np(WTERMSIG(wait_status));
    return name != nullptr ? fmt::format("was ended by SIG{}", name)
                           : fmt::format("was ended by signal {}", WTERMSIG(wait_status));
  }
  return fmt::format("exited with status {}", WEXITSTATUS(wait_status));
}

PipedChild start_piped_child(const std::vector<std::string>& arguments, const std::string& folder,
                             int input, bool with_errors) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "pipe");
  }
  PipedChild child{Descriptor(ends[0])};
  const Descriptor writer(ends[1]);
  const int error = start_child(arguments, folder,
                                {input, writer.get(), with_errors ? writer.get() : -1}, child.pid);
  if (error != 0) {
    throw std::system_error(error, std::generic_category(), "cannot start " + arguments[0]);
  }
  return child;
}

ChildOutput run_filter(const std::vector<std::string>& arguments, int input,
                       std::size_t max_output) {
  auto [reader, pid] = start_piped_child(arguments, {}, input, false);
  ChildOutput result;
  try {
    result.text = read_to_end(reader.get(), max_output);
  } catch (...) {
    reader.reset();
    static_cast<void>(wait_for_child(pid));  // its status does not matter
    throw;
  }
  reader.reset();
  result.wait_status = wait_for_child(pid);
  return result;
}

}  // namespace servosim
