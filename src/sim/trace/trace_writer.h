// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/batch_thread.h"
#include "base/growing_file.h"
#include "base/scoped.h"
#include "sim/trace/trace_format.h"
#include "sim/trace/trace_recorder.h"

namespace servosim {

class Simulation;

struct TraceOptions {
  std::vector<std::string> watch;  ///< globs, see watch(); none: all joints and propellers
  std::string world;               ///< file name, for the header of a .jsonl file
  /// Whether a .csv file has lines `# …` for labels and episodes, which strict CSV does not have.
  bool comments = false;
  /// A descriptor that becomes readable when the wait for a slow reader of a FIFO ends; -1: the
  /// wait never ends.
  int given_up = -1;
};

/// The files that a trace may be written to: .csv, .jsonl, and a FIFO or device of any name.
const GrowingFileKind& trace_kind();

/// Writes what joints, muscles and propellers do to a file, one row per basic step: as CSV, or as
/// JSON lines when the name ends in `.jsonl`. docs/reference/traces.md describes both.
///
/// Once there is enough to write, another thread formats and writes while the simulation goes on.
/// row() waits when that thread falls behind.
///
/// Threads: one at a time, with the simulation.
class Trace {
 public:
  /// Creates the file. `simulation` must outlive this object or the next go_on_with().
  /// @throws std::runtime_error if the file cannot be written; the message has the path and the
  ///   reason
  /// @throws std::invalid_argument for a glob that matches nothing, and where check_growing_file()
  ///   throws it; there is then no file
  Trace(const Simulation& simulation, std::string path, const TraceOptions& options = {});
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;
  /// Closes the file. Errors are lost, so call close() before.
  ~Trace();

  /// Appends the present state. The caller calls it after each step.
  /// @throws std::runtime_error if this or an earlier row cannot be written, which closes the file,
  ///   and when the file is closed
  void row();
  /// Adds a supervisor's label before the next row. The next row() throws errors.
  /// @returns false if the file can have none, as CSV without comments
  bool label(const TraceLabel& label);
  /// Begins the next episode after a reset of the time. A line before its rows marks it, if the
  /// file can have one.
  void episode();
  /// Takes the next rows from another simulation, which must have the same columns.
  /// @throws std::runtime_error if it has others
  void go_on_with(const Simulation& simulation);
  /// Writes everything and closes the file. It does nothing when the file is closed.
  /// @throws std::runtime_error if not everything could be written
  void close();

  const std::string& path() const { return path_; }

 private:
  /// Rows, and lines with the number of the row before which each is written.
  struct Batch {
    std::vector<double> rows;
    std::vector<std::pair<std::size_t, std::string>> lines;

    void swap(Batch& other) {
      rows.swap(other.rows);
      lines.swap(other.lines);
    }
    void clear() {
      rows.clear();
      lines.clear();
    }
    bool empty() const { return rows.empty() && lines.empty(); }
  };

  bool is_jsonl() const;
  bool has_lines() const { return is_jsonl() || comments_; }
  void add_line(std::string line);
  void open(const std::string& header);
  void enqueue();
  void write_batch(const Batch& batch);
  bool print(const Batch& batch);
  bool print_lines(const Batch& batch, std::size_t until, std::size_t& next);
  bool flush();
  bool write(const char* text, std::size_t size);
  bool wait_for_reader() const;
  [[noreturn]] void fail(int error);

  std::optional<TraceRecorder> recorder_;
  std::vector<std::string> watched_;
  std::size_t width_;  // of a row
  std::string path_;
  int given_up_;
  bool comments_;
  Descriptor file_;  // empty when closed
  Batch filling_;
  int episode_ = 1;

  // While the writing thread runs, only this thread uses these.
  std::unique_ptr<TraceRowPrinter> printer_;
  std::unique_ptr<char[]> text_;  // whole printed rows
  std::size_t text_size_ = 0;

  BatchThread<Batch> writer_;
};

}  // namespace servosim
