// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <thread>

#include "base/files.h"
#include "run/test_support.h"

namespace servosim::test {
namespace {

namespace fs = std::filesystem;

// This is more than one write() to a pipe takes.
const std::string kOld(100'000, 'o');
const std::string kNew(200'000, 'n');

long files_in(const TempFolder& folder) {
  return std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator());
}

// NAME_MAX of Linux's file systems is 255 bytes.
TEST(WriteFile, AcceptsTheLongestName) {
  const TempFolder folder;
  const fs::path path = folder / std::string(255, 'n');
  EXPECT_FALSE(write_file(path, "new", false));
  EXPECT_EQ(read_text(path), "new");
  EXPECT_FALSE(write_file(path, "newer", true));
  EXPECT_EQ(read_text(path), "newer");
  EXPECT_EQ(files_in(folder), 1);
  const auto error = write_file(folder / std::string(256, 'n'), "new", false);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->reason, "cannot be written: File name too long");
  EXPECT_EQ(files_in(folder), 1);
}

TEST(WriteFile, GivesANewFileTheModeOfNewFilesAndKeepsThatOfAnOldOne) {
  const TempFolder folder;
  const fs::path path = folder / "f";
  const mode_t before = ::umask(027);
  EXPECT_FALSE(write_file(path, "new", false));
  ::umask(before);
  EXPECT_EQ(fs::status(path).permissions(), fs::perms(0640));
  for (const fs::perms mode : {fs::perms(0600), fs::perms(0666), fs::perms(0755)}) {
    fs::permissions(path, mode);
    EXPECT_FALSE(write_file(path, "newer", true));
    EXPECT_EQ(fs::status(path).permissions(), mode);
  }
}

TEST(WriteFile, KeepsAnExistingFileUnlessAskedToReplaceIt) {
  const TempFolder folder;
  const fs::path path = folder.write("f", "old");
  const auto error = write_file(path, "new", false);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->reason, "exists already");
  EXPECT_EQ(read_text(path), "old");
  EXPECT_EQ(files_in(folder), 1);
}

TEST(WriteFile, FollowsLinksToExistingAndNewFiles) {
  const TempFolder folder;
  const fs::path target = folder.write("far/target", "old");
  fs::create_symlink("far/target", folder / "second");
  fs::create_symlink(folder / "second", folder / "first");
  EXPECT_FALSE(write_file(folder / "first", "new", true));
  EXPECT_EQ(read_text(target), "new");
  fs::remove(target);
  EXPECT_FALSE(write_file(folder / "first", "again", false));
  EXPECT_EQ(read_text(target), "again");
  EXPECT_TRUE(fs::is_symlink(folder / "first"));
  EXPECT_TRUE(fs::is_symlink(folder / "second"));
  fs::create_symlink("loop", folder / "loop");
  const auto error = write_file(folder / "loop", "new", true);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->reason, "cannot be written: Too many levels of symbolic links");
}

TEST(WriteFile, KeepsTheOwner) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can give files away";
  }
  const TempFolder folder;
  const fs::path path = folder.write("f", "old");
  ASSERT_EQ(::chown(path.c_str(), 1234, 2345), 0);
  fs::permissions(path, fs::perms(0640));
  EXPECT_FALSE(write_file(path, "new", true));
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, 1234u);
  EXPECT_EQ(info.st_gid, 2345u);
  EXPECT_EQ(info.st_mode & 07777, 0640u);
}

TEST(WriteFile, WritesIntoPipesAndDevices) {
  const TempFolder folder;
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto unread = write_file(pipe, kNew, false);
  ASSERT_TRUE(unread);
  EXPECT_EQ(unread->reason, "cannot be written: it has no reader");
  const Descriptor open_end(::open(pipe.c_str(), O_RDWR | O_CLOEXEC));
  std::string read(kNew.size(), ' ');
  std::thread reader([&] {
    for (std::size_t done = 0; done < read.size();) {
      const ssize_t n = ::read(open_end.get(), read.data() + done, read.size() - done);
      ASSERT_GT(n, 0);
      done += static_cast<std::size_t>(n);
    }
  });
  EXPECT_FALSE(write_file(pipe, kNew, false));
  reader.join();
  EXPECT_TRUE(read == kNew);
  EXPECT_TRUE(fs::is_fifo(pipe));
  const auto error = write_file("/dev/full", "new", true);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->reason, "cannot be written: No space left on device");
}

// Both ends are open, so the pipe is not broken. Nothing reads it.
TEST(WriteFile, TimesOutWhenAReaderStops) {
  const TempFolder folder;
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const Descriptor open_end(::open(pipe.c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_GT(kNew.size(), static_cast<std::size_t>(::fcntl(open_end.get(), F_GETPIPE_SZ)));
  const auto error = write_file(pipe, kNew, false);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->reason, "is written in part only: its reader does not read on");
}

// Runs `child` in a process of its own and returns its pid.
template <class Work>
pid_t in_child(const Work& work) {
  std::fflush(nullptr);  // otherwise the child may write it, too, as ThreadSanitizer's _exit() does
  const pid_t pid = ::fork();
  if (pid == 0) {
    work();
    ::_exit(0);
  }
  return pid;
}

TEST(WriteFile, WritesToStandardOutputInPlace) {
  const TempFolder folder;
  const fs::path path = folder.write("f", "");
  const pid_t pid = in_child([&] {
    ::dup2(::open(path.c_str(), O_WRONLY), STDOUT_FILENO);
    static_cast<void>(::write(STDOUT_FILENO, "before ", 7) == 7 &&
                      !write_file("/dev/stdout", "text", true) &&
                      ::write(STDOUT_FILENO, " after", 6) == 6);
  });
  ASSERT_EQ(::waitpid(pid, nullptr, 0), pid);
  EXPECT_EQ(read_text(path), "before text after");
}

// Standard output is a blocking pipe that other processes share.
TEST(WriteFile, TimesOutWhenTheReaderOfStandardOutputStops) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const Descriptor unread(ends[0]);
  const Descriptor full(ends[1]);
  const pid_t pid = in_child([&] {
    ::dup2(full.get(), STDOUT_FILENO);
    const auto error = write_file("/dev/stdout", kNew, true);
    ::_exit(error && error->reason == "is written in part only: its reader does not read on" ? 3
                                                                                             : 4);
  });
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(WEXITSTATUS(status), 3);
}

// `docker -v f:/f` mounts a file in this way.
TEST(WriteFile, ReportsAMountPoint) {
  const TempFolder folder;
  const std::string path = folder.write("f", kOld);
  constexpr int kMayNotMount = 5;
  const pid_t pid = in_child([&] {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount(path.c_str(), path.c_str(), nullptr, MS_BIND, nullptr) != 0) {
      ::_exit(kMayNotMount);
    }
    const auto error = write_file(path, kNew, true);
    ::_exit(error && error->reason ==
                         "is a mount point, which no other file can replace; choose "
                         "another name"
                ? 3
                : 4);
  });
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  if (WEXITSTATUS(status) == kMayNotMount) {
    GTEST_SKIP() << "this user may not mount";
  }
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_TRUE(read_text(path) == kOld);
  EXPECT_EQ(files_in(folder), 1);
}

TEST(WriteFile, LeavesTheOldFileWhenTheDiskIsFull) {
  const TempFolder folder;
  const fs::path path = folder.write("f", kOld);
  const pid_t pid = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{150'000, 150'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto error = write_file(path, kNew, true);
    ::_exit(error && error->reason == "cannot be written: File too large" ? 3 : 4);
  });
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_TRUE(read_text(path) == kOld);
  EXPECT_EQ(files_in(folder), 1);
}

// Kills `pid`, which waits to be traced, before its system call number `n`, counted from 0. Returns
// false if the process ended before that.
bool kill_before_call(pid_t pid, int n) {
  int status = 0;
  ::waitpid(pid, &status, 0);
  ::ptrace(PTRACE_SETOPTIONS, pid, nullptr, PTRACE_O_TRACESYSGOOD);
  for (int stop = 0;; ++stop) {  // a call stops twice: on entry and on return
    ::ptrace(PTRACE_SYSCALL, pid, nullptr, nullptr);
    ::waitpid(pid, &status, 0);
    if (!WIFSTOPPED(status)) {
      return false;
    }
    if (stop == 2 * n) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, &status, 0);
      return true;
    }
  }
}

TEST(WriteFile, LeavesAWholeFileWhereverItIsKilled) {
  int old = 0;
  int calls = 0;
  for (bool killed = true; killed; ++calls) {
    const TempFolder folder;
    const fs::path path = folder.write("f", kOld);
    const pid_t pid = in_child([&] {
      ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
      ::raise(SIGSTOP);
      static_cast<void>(write_file(path, kNew, true));
    });
    killed = kill_before_call(pid, calls);
    const std::string text = read_text(path);
    EXPECT_TRUE(text == kOld || text == kNew)
        << "killed before call " << calls << ": " << text.size() << " bytes";
    old += text == kOld;
  }
  EXPECT_GE(calls, 8);  // stat, open, fchmod, write, fsync, rename, open and fsync are the least
  EXPECT_GE(old, 5);
  EXPECT_LT(old, calls);
}

}  // namespace
}  // namespace servosim::test
