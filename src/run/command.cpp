// SPDX-License-Identifier: Apache-2.0
#include "run/command.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/child_process.h"
#include "base/scoped.h"
#include "run/signals.h"

namespace servosim {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::size_t kMaxLineBytes = 4096;  // on average; bounds memory for endless lines
constexpr int kCommandPollMs = 100;
// For a command that was told to end, and for what one has left behind that still prints.
constexpr auto kPatienceWithCommand = 500ms;

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

// A running command, in a process group of its own.
class Child {
 public:
  explicit Child(pid_t pid)
      : pid_(pid), end_watch_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {
    add_doomed_group(pid);
  }

  /// Becomes readable when the command ends; -1 on a kernel without such descriptors.
  int end_watch() const { return end_watch_.get(); }

  bool ended() const {
    siginfo_t info{};
    const int result = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    return result == 0 ? info.si_pid != 0 : errno != EINTR;
  }

  /// After SIGINT or SIGTERM: ends the group, politely first.
  void heed_signals() {
    if (interrupting_signal() == 0) {
      return;
    }
    if (!told_) {
      told_ = Clock::now();
      ::kill(-pid_, SIGTERM);
    } else if (Clock::now() - *told_ >= kPatienceWithCommand) {
      ::kill(-pid_, SIGKILL);
    }
  }

  int wait() {
    remove_doomed_group(pid_);  // while its number is still its own
    const std::optional<int> status = wait_for_child(pid_);
    if (!status) {
      throw std::system_error(ECHILD, std::generic_category(), "how a command has ended");
    }
    return *status;
  }

 private:
  pid_t pid_;
  Descriptor end_watch_;
  std::optional<Clock::time_point> told_;
};

// False at the end of the pipe.
bool read_some(int fd, BoundedText& text) {
  std::array<char, 1 << 14> buffer;
  const ssize_t n = ::read(fd, buffer.data(), buffer.size());
  if (n > 0) {
    text.append({buffer.data(), static_cast<std::size_t>(n)});
  }
  return n > 0 || (n < 0 && errno == EINTR);
}

// Reads until the command has ended and the pipe is dry. A process that it left in the background
// may hold the pipe for ever, and print for ever.
std::string output_of(Child& child, Descriptor reader, int max_lines) {
  BoundedText text(max_lines);
  std::optional<Clock::time_point> end;
  for (;;) {
    if (!end && child.ended()) {
      end = Clock::now();
    }
    // poll() leaves out what is -1.
    pollfd queries[]{{reader.get(), POLLIN, 0}, {child.end_watch(), POLLIN, 0}};
    const int ready = ::poll(queries, 2, end ? 0 : kCommandPollMs);
    const bool readable = ready > 0 && queries[0].revents != 0;
    if (readable && !read_some(reader.get(), text)) {
      reader.reset();
    }
    if (end && (!readable || !reader || Clock::now() - *end >= kPatienceWithCommand)) {
      return text.take();
    }
    if (!end) {
      child.heed_signals();
    }
  }
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& arguments, const std::string& folder,
                          int max_lines) try {
  PipedChild started = start_piped_child(arguments, folder, -1, true);
  Child child(started.pid);
  std::string output = output_of(child, std::move(started.reader), max_lines);
  return {true, child.wait(), std::move(output)};
} catch (const std::system_error& error) {
  if (error.code() == std::errc::no_such_file_or_directory ||
      error.code() == std::errc::not_a_directory) {
    return {};
  }
  throw;
}

}  // namespace servosim
