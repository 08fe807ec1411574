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
  std::vector<std::string> watch;  ///< globs, see watch(); all joints and propellers without any
  std::string world;               ///< file name, for the header of a .jsonl file
  /// A .csv file has lines `# …` for labels and episodes; they are no strict CSV.
  bool comments = false;
  /// Readable once the wait for a FIFO without a reader shall end; -1: wait for ever.
  int given_up = -1;
};

/// Traces are .csv or .jsonl files, or go to a FIFO or device of any name.
const GrowingFileKind& trace_kind();

/// Writes what joints, muscles and propellers do to a file, one row per basic step: as CSV, or as
/// JSON lines when the name ends in `.jsonl`. docs/reference/traces.md describes both.
///
/// Once there is enough to write, a thread of its own formats and writes while the simulation goes
/// on; row() waits when that thread falls behind.
class Trace {
 public:
  /// @throws std::runtime_error naming the path and the reason if it cannot be written,
  ///   std::invalid_argument for a glob that matches nothing (there is then no file) and by
  ///   check_growing_file().
  Trace(const Simulation& simulation, std::string path, const TraceOptions& options = {});
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;
  /// Closes the file; errors are lost, so call close().
  ~Trace();

  /// Appends the present state; call after each step. @throws std::runtime_error if it cannot be
  /// written (perhaps earlier rows could not), which closes the file, and when the file is closed.
  void row();
  /// A supervisor's label, before the next row. Errors come with the next row. @returns false where
  /// the file can have none: CSV without comments
  bool label(const TraceLabel& label);
  /// Time was reset: the next rows are of the next episode, and a line before them marks it, if the
  /// file can have one.
  void episode();
  /// The next rows come from another simulation, which must have the same columns. @throws
  /// std::runtime_error if it has others.
  void go_on_with(const Simulation& simulation);
  /// Everything reaches the file. Does nothing when it is closed. @throws std::runtime_error if
  /// not.
  void close();

  const std::string& path() const { return path_; }

 private:
  /// Rows, and lines that stand before number `first` of them.
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
  Descriptor file_;  // none when closed
  Batch filling_;
  int episode_ = 1;

  // Of the thread while it runs.
  std::unique_ptr<TraceRowPrinter> printer_;
  std::unique_ptr<char[]> text_;  // printed rows, whole ones
  std::size_t text_size_ = 0;

  BatchThread<Batch> writer_;
};

}  // namespace servosim
