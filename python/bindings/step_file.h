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

/// A trace or a recording cannot be written. Python gets an OSError.
class FileFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file that a simulation writes as it steps. A process that was forked after it was begun does
/// not write it, since the thread that writes stays behind.
class StepFile {
 public:
  virtual ~StepFile() = default;
  StepFile(const StepFile&) = delete;
  StepFile& operator=(const StepFile&) = delete;

  const std::string& path() const { return path_; }
  bool is_closed() const { return is_closed_; }
  /// Whether it is closed. @throws InUseError of Python while its owner is in use
  bool closed() const;
  bool is_in_use() const;  ///< whether its owner is
  /// @throws std::runtime_error in a process that was forked after it was begun
  void check_process() const;
  /// Adds the present state, with Python's lock released. @throws FileFailed, after which the file
  /// is closed
  void row(Simulation& simulation);
  void episode();
  /// Closes it. @throws FileFailed if not everything could be written, InUseError of Python
  void close();
  /// Closes it. An error is reported and not thrown.
  void close_at_end();

 protected:
  /// @param owner  must outlive the file, or close it
  /// @param kind  such as "trace"
  StepFile(Exclusive& owner, const char* kind, std::string path);
  bool is_of_another_process() const { return forks_ != forks; }
  /// @throws InUseError of Python while its owner is in use, since the owner's thread changes the
  ///   members
  void check_idle() const;

 private:
  virtual void write_row(Simulation& simulation) = 0;
  virtual void write_episode() {}
  virtual void write_end() = 0;
  /// Releases what belongs to another process, without writing the end of the file.
  virtual void abandon() = 0;

  void finish();

  std::weak_ptr<Exclusive> owner_;
  const char* kind_;
  std::string path_;
  std::uint64_t forks_;  // number of forks of this process when it was begun
  bool is_closed_ = false;
};

/// Keeps a file and its owner until the file is closed, also at the end of the interpreter.
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
  /// @param images  pictures of each enabled sensor per second of simulated time; 0: none
  /// @throws FileFailed, and std::invalid_argument as FileRecorder
  RecordingFile(Exclusive& owner, Simulation& simulation, const std::string& world,
                const std::string& path, double rate, double images = 0.0);
  ~RecordingFile() override;

  /// The number of frames. @throws InUseError of Python
  std::int64_t frames() const;
  /// The HTML page that shows the recording so far. @throws FileFailed; std::runtime_error if this
  /// build has no page
  std::string page();

 private:
  void write_row(Simulation& simulation) override;
  void write_end() override;
  void abandon() override;
  Recorder& recorder() const;

  std::string world_;
  std::string bytes_;                      // the recording, if it is in memory
  std::unique_ptr<Recorder> in_memory_;    // may be null
  std::unique_ptr<FileRecorder> in_file_;  // may be null
  std::int64_t frames_ = 0;
  double seconds_ = 0.0;  // simulated time since it was begun [s]
};

/// The page that shows one state. @throws std::runtime_error if this build has no page
std::string page_of_state(Simulation& simulation, const std::string& world);

/// A page as an object that notebooks show.
py::object replay_of(const std::string& page, const std::string& world);

}  // namespace servosim::python
