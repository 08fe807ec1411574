// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/growing_file.h"
#include "base/scoped.h"
#include "sweep/sweep.h"

namespace servosim {

/// Returns the kind of files that hold results. A .csv file names the columns in its first line; a
/// .jsonl file has a line with all values of a run for each run, in any order.
const GrowingFileKind& results_kind();

/// A set of runs of a sweep, with one bit for each run.
class RunSet {
 public:
  /// Returns false if the run was in the set already.
  bool add(std::uint64_t number);
  bool has(std::uint64_t number) const;
  std::uint64_t size() const { return size_; }
  /// Returns how many of the `length` runs from `first` on are in the set.
  std::uint64_t count(std::uint64_t first, std::uint64_t length) const;

 private:
  static constexpr std::uint64_t kBits = 4096;  // size of a block

  std::unordered_map<std::uint64_t, std::bitset<kBits>> blocks_;
  std::uint64_t size_ = 0;
};

/// A summary of the rows of a file.
struct SweepTally {
  RunSet runs;
  /// Number of runs by Sweep::Exit; other exit codes count as Failed.
  std::array<std::uint64_t, 4> by_exit{};

  void add(std::uint64_t number, std::int64_t exit_code);
};

/// A file with the results of a sweep, which grows row by row. Each row is written at once, so a
/// killed process leaves whole rows and at most one incomplete row. The next process that opens the
/// file removes that.
///
/// Invariant: before add() the file contains whole rows of one sweep, and each run at most once.
class ResultsFile {
 public:
  /// What the rows of a file have in common.
  struct Header {
    std::string id;
    std::string version;
    std::vector<std::string> columns;
    std::uint64_t runs;  ///< number of runs of the sweep
  };
  static Header header_of(const Sweep& sweep);

  /// Opens a file for the rows of a sweep. @param resume  the file may exist and have rows of this
  /// sweep
  /// @throws std::invalid_argument for a file of another sweep, a file of another kind or in use,
  /// or without `resume` any existing file; std::runtime_error if it cannot be written
  ResultsFile(std::string path, Header header, bool resume);
  ResultsFile(const ResultsFile&) = delete;
  ResultsFile& operator=(const ResultsFile&) = delete;
  ~ResultsFile() = default;

  const SweepTally& tally() const { return tally_; }
  /// Returns how many bytes of an incomplete row were removed.
  std::uint64_t removed() const { return removed_; }
  /// @throws std::runtime_error if the row cannot be written; then the file still has whole rows
  void add(const SweepRow& row);
  /// Syncs everything to the disk. @throws std::runtime_error
  void close();

  /// The result of a merge.
  struct Merged {
    SweepTally tally;
    std::uint64_t runs = 0;         ///< number of runs of the sweep
    std::vector<std::string> torn;  ///< files whose last row is incomplete and left out
  };
  /// Writes the rows of several files of one sweep to the new file `path`, all or nothing. A run
  /// that is in several of them is taken from the first.
  /// @throws as the constructor
  static Merged merge(const std::string& path, const std::vector<std::string>& parts);

 private:
  void read_present();
  std::uint64_t read_rows(std::istream& in);
  [[noreturn]] void refuse_other(const std::string& id, const std::string& version,
                                 const std::string& first_line) const;
  void write(std::string_view text);
  [[noreturn]] void fail(int error) const;

  std::string path_;
  Header header_;
  std::string first_line_;  // first line of a .csv file; otherwise empty
  bool grows_;              // whether it is a regular file, not a device or the like
  Descriptor file_;
  std::uint64_t size_ = 0;  // size of the whole rows [bytes]
  std::uint64_t removed_ = 0;
  SweepTally tally_;
};

/// Returns a row as a line of a .csv or .jsonl file, with its line break.
std::string csv_line(const SweepRow& row);
std::string jsonl_line(const std::vector<std::string>& columns, const SweepRow& row);

}  // namespace servosim
