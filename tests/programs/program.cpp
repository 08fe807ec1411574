// SPDX-License-Identifier: Apache-2.0
#include "programs/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "base/files.h"
#include "controller_api/protocol/extern_entry.h"

namespace servosim::test {
namespace {

/// A program that a test kills cannot remove its folder for extern controllers. So the tests of
/// this process have a temporary folder of their own, in which nothing else may be left.
class PrivateTemporaryFolder : public testing::Environment {
 public:
  void SetUp() override {
    folder_ = std::make_unique<TemporaryFolder>("host_tests");
    variable_ = std::make_unique<ScopedVariable>("TMPDIR", folder_->path());
  }
  void TearDown() override {
    for (const auto& entry : std::filesystem::directory_iterator(folder_->path())) {
      EXPECT_EQ(entry.path(), instances_folder()) << "left behind by a test";
    }
    variable_.reset();
    folder_.reset();
  }

 private:
  std::unique_ptr<TemporaryFolder> folder_;
  std::unique_ptr<ScopedVariable> variable_;
};

testing::Environment* const kPrivateTemporaryFolder =
    testing::AddGlobalTestEnvironment(new PrivateTemporaryFolder);

using Clock = std::chrono::steady_clock;
constexpr std::chrono::minutes kPatience{1};  // the machine may be busy
constexpr std::size_t kMaxKept = 4u << 20;    // bounds an endless output

struct Channel {
  int ours = -1;
  int theirs = -1;
};

Channel open_channel(Program::Sink sink) {
  Channel channel;
  if (sink == Program::Sink::Terminal) {
    channel.ours = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    ::grantpt(channel.ours);
    ::unlockpt(channel.ours);
    channel.theirs = ::open(::ptsname(channel.ours), O_RDWR | O_NOCTTY | O_CLOEXEC);
    return channel;
  }
  int ends[2];
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  if (sink == Program::Sink::Full) {
    ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
    while (::write(ends[1], "full", 1) > 0) {
    }
    ::fcntl(ends[1], F_SETFL, 0);
  }
  if (sink == Program::Sink::Closed) {
    ::close(ends[0]);  // the program's writes fail with a broken pipe
    return {-1, ends[1]};
  }
  return {ends[0], ends[1]};
}

[[noreturn]] void become(const std::vector<std::string>& arguments, const std::string& folder,
                         int out, int err) {
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  ::signal(SIGPIPE, SIG_DFL);
  ::setenv("CC", SERVOSIM_TEST_COMPILER, 1);
  ::setenv("CXX", SERVOSIM_TEST_CXX_COMPILER, 1);
  std::vector<char*> argv{const_cast<char*>("servosim")};
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  if (::chdir(folder.c_str()) == 0) {
    ::execv(SERVOSIM_PROGRAM, argv.data());
  }
  ::_exit(126);
}

// Returns false at the end of the stream.
bool read_into(std::string& text, int fd) {
  char buffer[1 << 14];
  const ssize_t n = ::read(fd, buffer, sizeof buffer);
  if (n > 0 && text.size() < kMaxKept) {
    text.append(buffer, static_cast<std::size_t>(n));
  }
  return n > 0;
}

}  // namespace

Program::Program(const std::vector<std::string>& arguments, const Setup& setup)
    : read_output_(setup.output != Sink::Unread && setup.output != Sink::Full),
      start_(Clock::now()) {
  const Channel out = open_channel(setup.output);
  const Channel err = open_channel(setup.errors);
  pid_ = ::fork();
  if (pid_ == 0) {
    become(arguments, setup.folder, out.theirs, err.theirs);
  }
  ::close(out.theirs);
  ::close(err.theirs);
  out_fd_ = out.ours;
  err_fd_ = err.ours;
}

Program::~Program() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  for (const int fd : {out_fd_, err_fd_}) {
    if (fd >= 0) {
      ::close(fd);
    }
  }
}

bool Program::over() const {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid != 0;
}

void Program::send_signal(int number) const { ::kill(pid_, number); }

// Waits a moment for output. Returns false when both streams are at their end.
bool Program::read_some() {
  pollfd queries[]{{read_output_ ? out_fd_ : -1, POLLIN, 0}, {err_fd_, POLLIN, 0}};
  if (queries[0].fd < 0 && queries[1].fd < 0) {
    return false;
  }
  ::poll(queries, 2, 20);
  if (queries[0].revents != 0 && !read_into(out_, out_fd_)) {
    ::close(out_fd_);
    out_fd_ = -1;
  }
  if (queries[1].revents != 0 && !read_into(err_, err_fd_)) {
    ::close(err_fd_);
    err_fd_ = -1;
  }
  return true;
}

bool Program::wait_for_text(const std::string& in, const std::string& text) {
  const auto end = Clock::now() + kPatience;
  while (in.find(text) == std::string::npos) {
    if (Clock::now() > end || !read_some()) {
      return false;
    }
  }
  return true;
}

int Program::unread() const {
  int bytes = 0;
  EXPECT_EQ(::ioctl(out_fd_, FIONREAD, &bytes), 0);
  return bytes;
}

int Program::finish() {
  if (pid_ < 0) {
    return status_;
  }
  const auto end = Clock::now() + kPatience;
  int wait_status = 0;
  while (::waitpid(pid_, &wait_status, WNOHANG) == 0) {
    if (Clock::now() > end) {
      ADD_FAILURE() << "the program did not end";
      ::kill(pid_, SIGKILL);
    }
    if (!read_some()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  seconds_ = std::chrono::duration<double>(Clock::now() - start_).count();
  pid_ = -1;
  while (read_some()) {  // reads to the end, because no process holds the streams any more
  }
  status_ = WIFSIGNALED(wait_status) ? -WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
  return status_;
}

std::string Program::last_line() const {
  if (out_.empty() || out_.back() != '\n') {
    return out_;
  }
  const std::size_t newline = out_.rfind('\n', out_.size() - 2);
  return out_.substr(newline == std::string::npos ? 0 : newline + 1);
}

Project::Project(const std::string& name) {
  std::filesystem::copy(std::filesystem::path(SERVOSIM_TEST_DIR) / "programs" / "projects" / name,
                        folder_.path(), std::filesystem::copy_options::recursive);
  world_ = folder_ / ("worlds/" + name + ".wbt");
}

std::string Project::controller(const std::string& name) const {
  return folder_ / ("controllers/" + name);
}

void Project::edit(const std::string& old, const std::string& text) const {
  std::string world = read_text(world_);
  const std::size_t found = world.find(old);
  ASSERT_NE(found, std::string::npos) << old;
  std::ofstream(world_, std::ios::binary) << world.replace(found, old.size(), text);
}

std::vector<std::string> Project::run_with(const std::string& controller_name,
                                           std::vector<std::string> more) const {
  std::vector<std::string> arguments{"run", world_, "--controller",
                                     "arm=" + controller(controller_name)};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace servosim::test
