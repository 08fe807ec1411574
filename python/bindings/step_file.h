// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings.h"
#include "servosim/simulation.h"

namespace servosim {
class FileRecorder;
class Recorder;
class Trace;
}  // namespace servosim

namespace servosim::python {

class Exclusive;

/// A trace or a recording cannot be written; OSError in Python.
class FileFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a simulation writes as it steps. A process that was forked since it began does not write
/// it: the thread that writes stays behind.
class StepFile {
 public:
  virtual ~StepFile() = default;
  StepFile(const StepFile&) = delete;
  StepFile& operator=(const StepFile&) = delete;

  const std::string& path() const { return path_; }
  bool is_closed() const { return is_closed_; }
  /// The same. @throws InUseError of Python while its owner is in use
  bool closed() const;
  bool is_in_use() const;  ///< its owner
  /// @throws std::runtime_error in a process that was forked since it began
  void check_process() const;
  /// Adds the present state; without Python's lock. @throws FileFailed, and it is closed then
  void row(Simulation& simulation);
  void episode();
  /// @throws FileFailed if not all could be written, InUseError of Python
  void close();
  /// The same; an error is only reported.
  void close_at_end();

 protected:
  /// `kind`: "trace". `owner` outlives it, or closes it.
  StepFile(Exclusive& owner, const char* kind, std::string path);
  bool is_of_another_process() const { return forks_ != forks; }
  /// @throws InUseError of Python while its owner is in use, whose thread changes what is here
  void check_idle() const;

 private:
  virtual void write_row(Simulation& simulation) = 0;
  virtual void write_episode() {}
  virtual void write_end() = 0;
  /// Lets go of what belongs to another process, without an end.
  virtual void abandon() = 0;

  void finish();

  std::weak_ptr<Exclusive> owner_;
  const char* kind_;
  std::string path_;
  std::uint64_t forks_;  // of this process when it began
  bool is_closed_ = false;
};

/// Keeps a file of an owner until both are closed, also at the end of the interpreter.
void keep_open(Exclusive& owner, const std::shared_ptr<StepFile>& file);

class TraceFile : public StepFile {
 public:
  /// @throws FileFailed, and std::invalid_argument as Trace
  TraceFile(Exclusive& owner, Simulation& simulation, const std::string& world,
            const std::string& path, const std::vector<std::string>& watch);
  ~TraceFile() override;

 private:
  void write_row(Simulation& simulation) override;
  void write_episode() override;
  void write_end() override;
  void abandon() override;

  std::unique_ptr<Trace> trace_;
};

/// A recording, in a file or in memory.
class RecordingFile : public StepFile {
 public:
  /// @param path  empty: in memory
  /// @param rate  frames per second of simulated time
  /// @throws FileFailed, and std::invalid_argument as FileRecorder
  RecordingFile(Exclusive& owner, Simulation& simulation, const std::string& world,
                const std::string& path, double rate);
  ~RecordingFile() override;

  /// @throws InUseError of Python
  std::int64_t frames() const;
  /// The HTML page that shows it, as far as it is. @throws FileFailed; std::runtime_error without a
  /// page in this build
  std::string page();

 private:
  void write_row(Simulation& simulation) override;
  void write_end() override;
  void abandon() override;
  Recorder& recorder() const;

  std::string world_;
  std::string bytes_;                      // in memory
  std::unique_ptr<Recorder> in_memory_;    // or null
  std::unique_ptr<FileRecorder> in_file_;  // or null
  std::int64_t frames_ = 0;
  double seconds_ = 0.0;  // simulated since it began
};

/// The page of one state. @throws std::runtime_error without a page in this build
std::string page_of_state(Simulation& simulation, const std::string& world);

/// A page as an object that notebooks show.
py::object replay_of(const std::string& page, const std::string& world);

}  // namespace servosim::python
