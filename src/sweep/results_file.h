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

/// Results are .csv files, whose first line names the columns, or .jsonl files: a line for each run
/// that has all that is known of it, in any order.
const GrowingFileKind& results_kind();

/// Which runs of a sweep there are: a bit for each.
class RunSet {
 public:
  /// False if it was there.
  bool add(std::uint64_t number);
  bool has(std::uint64_t number) const;
  std::uint64_t size() const { return size_; }
  /// How many of `first` and those that follow there are.
  std::uint64_t count(std::uint64_t first, std::uint64_t length) const;

 private:
  static constexpr std::uint64_t kBits = 4096;  // of a block

  std::unordered_map<std::uint64_t, std::bitset<kBits>> blocks_;
  std::uint64_t size_ = 0;
};

/// What the rows of a file say together.
struct SweepTally {
  RunSet runs;
  std::array<std::uint64_t, 4> by_exit{};  ///< by Sweep::Exit; others count as Failed

  void add(std::uint64_t number, std::int64_t exit_code);
};

/// The results of a sweep, which grow row by row: each is written at once, and a killed process
/// leaves whole rows and at most one torn one, which the next one that opens the file removes.
///
/// Invariant: what is in the file before add() are whole rows of one sweep, each run once.
class ResultsFile {
 public:
  /// What the rows of a file have in common.
  struct Header {
    std::string id;
    std::string version;
    std::vector<std::string> columns;
    std::uint64_t runs;  ///< that the sweep has
  };
  static Header header_of(const Sweep& sweep);

  /// Opens a file for the rows of a sweep. @param resume  rows of it may be there already
  /// @throws std::invalid_argument for a file of another sweep, one that is no such file or in use,
  /// or without `resume` one that is there; std::runtime_error if it cannot be written
  ResultsFile(std::string path, Header header, bool resume);
  ResultsFile(const ResultsFile&) = delete;
  ResultsFile& operator=(const ResultsFile&) = delete;
  ~ResultsFile() = default;

  const SweepTally& tally() const { return tally_; }
  /// Bytes of a torn row that was removed.
  std::uint64_t removed() const { return removed_; }
  /// @throws std::runtime_error if it cannot be written; then the file has whole rows still
  void add(const SweepRow& row);
  /// Everything reaches the disk. @throws std::runtime_error
  void close();

  /// What a merge has made.
  struct Merged {
    SweepTally tally;
    std::uint64_t runs = 0;         ///< that the sweep has
    std::vector<std::string> torn;  ///< parts whose last row was torn, and is left out
  };
  /// Puts the rows of several files of one sweep into `path`, all or nothing; it must not be there.
  /// A run that is in several of them is taken from the first.
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
  std::string first_line_;  // of a .csv file; empty of others
  bool grows_;              // a regular file, not a device or the like
  Descriptor file_;
  std::uint64_t size_ = 0;  // of whole rows
  std::uint64_t removed_ = 0;
  SweepTally tally_;
};

/// A row as a line of a .csv or .jsonl file, with its end.
std::string csv_line(const SweepRow& row);
std::string jsonl_line(const std::vector<std::string>& columns, const SweepRow& row);

}  // namespace servosim
