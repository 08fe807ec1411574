// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/scoped.h"
#include "run/console.h"

namespace servosim {

/// The last line of an output that an OutputPump copies, for another thread.
class LastLine {
 public:
  /// Stores the last of these lines that is not blank.
  void set(std::string_view lines);
  void close();
  /// Returns the last line that is not blank, once the output has ended or `at_most` has passed.
  std::string wait(std::chrono::milliseconds at_most);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string line_;
  bool closed_ = false;
};

/// Copies what programs print to the console, line by line, in its own thread, so that endless
/// output delays no other program and is not stored. A line longer than 64 KiB is printed in
/// pieces; other programs may print between these.
///
/// Invariant: at most one line of each program is stored, and after finish() none.
class OutputPump {
 public:
  /// A target that discards everything.
  static constexpr int kNowhere = -1;

  explicit OutputPump(Console& console);
  ~OutputPump() { finish(); }
  OutputPump(const OutputPump&) = delete;
  OutputPump& operator=(const OutputPump&) = delete;

  /// Copies the lines from `pipe` to descriptor `target`, each after `prefix`. The lines are
  /// unchanged, since a controller is a program of the user and may use colours.
  std::shared_ptr<LastLine> add(Descriptor pipe, int target, const std::string& prefix);
  void start();
  /// Copies what is available, including unfinished lines, and ends the thread.
  void finish();

 private:
  struct Source {
    Descriptor pipe;
    int target;
    std::string prefix;
    std::string rest;         // the present line, without the pieces that were printed
    bool line_begun = false;  // its prefix was printed
    std::shared_ptr<LastLine> last_line = std::make_shared<LastLine>();
  };

  void pump();
  void take_incoming();
  bool read_some(Source& source);
  void drain(Source& source);
  void pass_on(Source& source, bool all);

  Console& console_;
  std::vector<Source> sources_;  // used by the thread while it runs
  std::mutex mutex_;
  std::vector<Source> incoming_;
  std::vector<char> chunk_;
  std::string lines_;
  Descriptor wake_reader_;
  Descriptor wake_writer_;
  std::thread thread_;
};

}  // namespace servosim
