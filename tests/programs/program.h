// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "run/test_support.h"

namespace servosim::test {

inline long count(const std::string& text, const std::string& part) {
  long found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Skips a test of the Python API if the library is sanitized, because a Python that is not
/// sanitized cannot load it.
#define SKIP_WITHOUT_PYTHON_API()                             \
  if (sizeof(SERVOSIM_SANITIZE) > 1) {                        \
    GTEST_SKIP() << "Python cannot load a sanitized library"; \
  }

/// A run of the program under test.
class Program {
 public:
  /// What its standard output or error is connected to.
  enum class Sink { Captured, Unread, Full, Closed, Terminal };
  struct Setup {
    std::string folder = "/";
    Sink output = Sink::Captured;
    Sink errors = Sink::Captured;
  };

  explicit Program(const std::vector<std::string>& arguments) : Program(arguments, Setup()) {}
  Program(const std::vector<std::string>& arguments, const Setup& setup);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void send_signal(int number) const;
  pid_t pid() const { return pid_; }
  /// Returns whether the process has ended. finish() must still be called.
  bool over() const;
  /// Reads until a text has appeared on standard output or error. Returns false after a minute.
  bool wait_for_output(const std::string& text) { return wait_for_text(out_, text); }
  bool wait_for_errors(const std::string& text) { return wait_for_text(err_, text); }
  /// Returns how many bytes wait in the pipe of a standard output that is not read.
  int unread() const;
  /// Waits for the end and returns the exit status, or minus the signal number. Kills the process
  /// after a minute.
  int finish();

  const std::string& out() const { return out_; }
  const std::string& err() const { return err_; }
  std::string last_line() const;
  /// Returns the time from start to end [s].
  double seconds() const { return seconds_; }

  /// Reads what is there, or comes within 20 ms. Returns false when both streams are closed.
  bool read_some();

 private:
  bool wait_for_text(const std::string& in, const std::string& text);

  pid_t pid_ = -1;
  int out_fd_ = -1;
  int err_fd_ = -1;
  bool read_output_ = true;
  std::string out_;
  std::string err_;
  std::chrono::steady_clock::time_point start_;
  double seconds_ = 0.0;
  int status_ = 0;
};

/// A copy of one of the projects next to this file, in a folder with an awkward name. Controllers
/// are built there.
class Project {
 public:
  explicit Project(const std::string& name);
  std::string world() const { return world_; }
  std::string controller(const std::string& name) const;
  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }
  const TempFolder& folder() const { return folder_; }
  /// Replaces the first `old` in the world file, which must contain it.
  void edit(const std::string& old, const std::string& text) const;
  /// Returns arguments of `run` with that controller for the robot "arm".
  std::vector<std::string> run_with(const std::string& controller,
                                    std::vector<std::string> more = {}) const;

 private:
  TempFolder folder_;
  std::string world_;
};

}  // namespace servosim::test
