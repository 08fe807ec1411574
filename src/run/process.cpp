// SPDX-License-Identifier: Apache-2.0

#include "run/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/child_process.h"
#include "base/scoped.h"
#include "controller_api/protocol/extern_entry.h"
#include "run/signals.h"

namespace servosim {

namespace {

[[noreturn]] void fail(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

struct Ends {
  Descriptor ours;
  Descriptor theirs;
};

Ends make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    fail(errno, "pipe");
  }
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

Ends make_socket_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    fail(errno, "socketpair");
  }
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

// Returns whether a variable contradicts ours. Such variables are for controllers that a user
// starts, or come from another run in which this one is started.
bool is_misleading(std::string_view name) {
  return name == "SERVOSIM_WORLD" || name == "SERVOSIM_TRACE" || name == "SERVOSIM_SEED" ||
         name == "SERVOSIM_WORLD_TASK" || name == kFallbackSocketVariable ||
         name == "WEBOTS_CONTROLLER_URL" || name == "WEBOTS_INSTANCE_PATH";
}

std::vector<std::string> environment_of(const LaunchSpec& spec, int link) {
  auto ours = spec.environment;
  ours.emplace_back(kLinkVariable, std::to_string(link));
  ours.emplace_back(kLinkInodeVariable, inode_of(link));
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    const bool replaced = std::any_of(ours.begin(), ours.end(),
                                      [&](const auto& variable) { return variable.first == name; });
    if (!replaced && !is_misleading(name)) {
      all.emplace_back(text);
    }
  }
  for (const auto& [name, value] : ours) {
    all.push_back(fmt::format("{}={}", name, value));
  }
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& text : strings) {
    pointers.push_back(text.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

// What a child needs. It is prepared before fork(), since a child of a program with threads must
// not allocate memory.
struct ChildSetup {
  const char* folder;
  char* const* argv;
  char* const* envp;
  int input;
  int output;
  int errors;
  int link;
  int report;  // gets errno if something fails; a successful exec closes it
  pid_t parent;
};

void reset_signals() {
  for (int number = 1; number < NSIG; ++number) {
    ::signal(number, SIG_DFL);
  }
}

bool unblock_signals() {
  sigset_t none;
  ::sigemptyset(&none);
  return ::sigprocmask(SIG_SETMASK, &none, nullptr) == 0;
}

bool connect_streams(const ChildSetup& child) {
  return ::dup2(child.input, STDIN_FILENO) >= 0 && ::dup2(child.output, STDOUT_FILENO) >= 0 &&
         ::dup2(child.errors, STDERR_FILENO) >= 0 &&
         ::close_range(STDERR_FILENO + 1, ~0u, CLOSE_RANGE_CLOEXEC) == 0 &&
         ::fcntl(child.link, F_SETFD, 0) == 0;
}

[[noreturn]] void give_up(const ChildSetup& child) {
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(child.report, &error, sizeof error);
  ::_exit(127);
}

[[noreturn]] void become(const ChildSetup& child) {
  if (::setpgid(0, 0) != 0) {
    give_up(child);
  }
  const bool ends_with_us = ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;
  if (::getppid() != child.parent) {
    ::_exit(127);  // servosim ended before prctl()
  }
  reset_signals();
  if (ends_with_us && unblock_signals() && connect_streams(child) && ::chdir(child.folder) == 0) {
    static_cast<void>(::execve(child.argv[0], child.argv, child.envp));  // returns only if it fails
  }
  give_up(child);
}

// The clock of files advances in ticks of the kernel, which last at most 10 ms.
constexpr std::chrono::milliseconds kClockOfFiles{20};

// Returns the child's errno, or 0 once it has become the program.
int exec_error(int report) {
  int error = 0;
  ssize_t n;
  do {
    n = ::read(report, &error, sizeof error);
  } while (n < 0 && errno == EINTR);
  return n == sizeof error ? error : 0;
}

}  // namespace

ControllerProcess::ControllerProcess(const LaunchSpec& spec)
    : folder_(spec.folder),
      started_(std::filesystem::file_time_type::clock::now() - kClockOfFiles) {
  Ends link = make_socket_pair();
  Ends output = make_pipe();
  Ends errors = make_pipe();
  Ends report = make_pipe();
  const Descriptor input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!input) {
    fail(errno, "/dev/null");
  }
  std::vector<std::string> arguments{spec.program};
  arguments.insert(arguments.end(), spec.arguments.begin(), spec.arguments.end());
  std::vector<std::string> environment = environment_of(spec, link.theirs.get());
  const std::vector<char*> argv = pointers_to(arguments);
  const std::vector<char*> envp = pointers_to(environment);
  const ChildSetup child{spec.folder.c_str(), argv.data(),         envp.data(),
                         input.get(),         output.theirs.get(), errors.theirs.get(),
                         link.theirs.get(),   report.theirs.get(), ::getpid()};
  pid_ = ::fork();
  if (pid_ < 0) {
    fail(errno, "cannot start a process");
  }
  if (pid_ == 0) {
    become(child);
  }
  report.theirs.reset();
  if (const int error = exec_error(report.ours.get()); error != 0) {
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    fail(error, fmt::format("cannot start '{}'", spec.program));
  }
  add_process_group(pid_);
  link_ = std::move(link.ours);
  output_ = std::move(output.ours);
  errors_ = std::move(errors.ours);
}

ControllerProcess::~ControllerProcess() {
  signal(SIGKILL);
  while (!wait_status()) {
    siginfo_t info;
    static_cast<void>(  // the loop checks again until it has ended
        ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT));
  }
}

std::optional<int> ControllerProcess::wait_status() {
  if (status_) {
    return status_;
  }
  siginfo_t info{};
  const int result = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  if (result == 0 && info.si_pid == 0) {
    return std::nullopt;
  }
  if (result != 0) {
    return status_ = 0;  // another thread has reaped it, so its id may be in use again
  }
  // Before the process is reaped, no other process group can have its id.
  ::kill(-pid_, SIGKILL);
  remove_process_group(pid_);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  status_ = status;
  return status_;
}

std::string ControllerProcess::core_file() const {
  for (const std::string& name : {fmt::format("core.{}", pid_), std::string("core")}) {
    std::error_code ignored;
    const std::filesystem::path path = std::filesystem::path(folder_) / name;
    if (std::filesystem::is_regular_file(path, ignored) &&
        std::filesystem::last_write_time(path, ignored) >= started_) {
      return path.string();
    }
  }
  return {};
}

void ControllerProcess::signal(int number) {
  if (!status_) {
    ::kill(-pid_, number);
  }
}

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::size_t kMaxLineBytes = 4096;  // average; bounds the memory for endless lines
constexpr int kCommandPollMs = 100;
// The time for a command after SIGTERM, and for a process that it has left behind and that still
// prints.
constexpr auto kTerminationTime = 500ms;

// Keeps the first or the last lines of a text that comes in pieces, and counts the others.
class BoundedText {
 public:
  BoundedText(int max_lines, KeptLines kept) : max_lines_(max_lines), kept_(kept) {}

  void append(std::string_view piece) {
    if (kept_ == KeptLines::Last) {
      append_last(piece);
      return;
    }
    for (const char c : piece) {
      if (lines_ < max_lines_ && text_.size() < max_bytes()) {
        text_.push_back(c);
      } else {
        cut_ = true;
      }
      lines_ += c == '\n';
    }
  }

  std::string take() {
    if (kept_ == KeptLines::Last) {
      remove_lines();
    }
    if (cut_) {
      const std::string count = fmt::format("... ({} lines in all)\n", lines_);
      text_.insert(kept_ == KeptLines::Last ? 0 : text_.size(), count);
    }
    return std::move(text_);
  }

 private:
  std::size_t max_bytes() const { return max_lines_ * kMaxLineBytes; }

  // The text grows to twice its limit, so that its bytes are moved only once in a while.
  void append_last(std::string_view piece) {
    text_ += piece;
    lines_ += static_cast<std::size_t>(std::count(piece.begin(), piece.end(), '\n'));
    if (text_.size() > 2 * max_bytes()) {
      text_.erase(0, text_.size() - max_bytes());
      cut_ = true;
    }
  }

  // Removes all lines but the last ones, of which the very last one may lack a line break.
  void remove_lines() {
    std::size_t begin = text_.size();
    const std::size_t least = begin - std::min(begin, max_bytes());
    for (std::size_t lines = 0; begin > least; --begin) {
      if (text_[begin - 1] == '\n' && begin < text_.size() && ++lines == max_lines_) {
        break;
      }
    }
    cut_ = cut_ || begin > 0;
    text_.erase(0, begin);
  }

  std::size_t max_lines_;
  KeptLines kept_;
  std::size_t lines_ = 0;
  bool cut_ = false;
  std::string text_;
};

// A running command in its own process group.
class Child {
 public:
  explicit Child(pid_t pid)
      : pid_(pid), end_watch_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {
    add_process_group(pid);
  }

  /// Returns a descriptor that becomes readable when the command ends; -1 on a kernel without such
  /// descriptors.
  int end_watch() const { return end_watch_.get(); }

  bool ended() const {
    siginfo_t info{};
    const int result = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    return result == 0 ? info.si_pid != 0 : errno != EINTR;
  }

  /// Sends SIGTERM, and later SIGKILL, to the group after SIGINT or SIGTERM.
  void forward_signals() {
    if (interrupting_signal() == 0) {
      return;
    }
    if (!terminated_at_) {
      terminated_at_ = Clock::now();
      ::kill(-pid_, SIGTERM);
    } else if (Clock::now() - *terminated_at_ >= kTerminationTime) {
      ::kill(-pid_, SIGKILL);
    }
  }

  int wait() {
    remove_process_group(pid_);  // while the id still belongs to it
    const std::optional<int> status = wait_for_child(pid_);
    if (!status) {
      throw std::system_error(ECHILD, std::generic_category(), "how a command has ended");
    }
    return *status;
  }

 private:
  pid_t pid_;
  Descriptor end_watch_;
  std::optional<Clock::time_point> terminated_at_;
};

// Returns false at the end of the pipe.
bool read_some(int fd, BoundedText& text) {
  std::array<char, 1 << 14> buffer;
  const ssize_t n = ::read(fd, buffer.data(), buffer.size());
  if (n > 0) {
    text.append({buffer.data(), static_cast<std::size_t>(n)});
  }
  return n > 0 || (n < 0 && errno == EINTR);
}

// Reads until the command has ended and the pipe is empty. A process that the command has left in
// the background may keep the pipe open, and print, forever.
std::string output_of(Child& child, Descriptor reader, int max_lines, KeptLines kept) {
  BoundedText text(max_lines, kept);
  std::optional<Clock::time_point> end;
  for (;;) {
    if (!end && child.ended()) {
      end = Clock::now();
    }
    // poll() ignores -1.
    pollfd queries[]{{reader.get(), POLLIN, 0}, {child.end_watch(), POLLIN, 0}};
    const int ready = ::poll(queries, 2, end ? 0 : kCommandPollMs);
    const bool readable = ready > 0 && queries[0].revents != 0;
    if (readable && !read_some(reader.get(), text)) {
      reader.reset();
    }
    if (end && (!readable || !reader || Clock::now() - *end >= kTerminationTime)) {
      return text.take();
    }
    if (!end) {
      child.forward_signals();
    }
  }
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& arguments, const std::string& folder,
                          int max_lines, KeptLines kept) try {
  PipedChild started = start_piped_child(arguments, folder, -1, true);
  Child child(started.pid);
  std::string output = output_of(child, std::move(started.reader), max_lines, kept);
  return {true, child.wait(), std::move(output)};
} catch (const std::system_error& error) {
  if (error.code() == std::errc::no_such_file_or_directory ||
      error.code() == std::errc::not_a_directory) {
    return {};
  }
  throw;
}

}  // namespace servosim
