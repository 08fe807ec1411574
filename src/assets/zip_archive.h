// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>

#include "base/files.h"

namespace servosim::assets {

/// A zip file, from which files are read without unpacking the others. Its list of files is read at
/// the first request.
///
/// Threads: any number at once.
class ZipArchive {
 public:
  explicit ZipArchive(std::string path);
  ~ZipArchive();
  ZipArchive(const ZipArchive&) = delete;
  ZipArchive& operator=(const ZipArchive&) = delete;

  /// Returns why the archive cannot be used, as a clause; empty if it can. The list of files is
  /// read by the first has() or read(), which takes 30 ms for 5,000 files; before that an archive
  /// without a fault may still be damaged.
  std::string fault() const;
  /// Returns whether the archive has a file of that name in any of its folders.
  bool has(std::string_view name) const;
  /// Returns the bytes of that file, at most kMaxFileSize. @throws Shortage
  std::variant<std::string, FileError> read(std::string_view name) const;

 private:
  struct Handle;

  void open() const;
  void read_list() const;
  std::variant<std::string, FileError> read_entry(std::uint64_t place, std::uint64_t number) const;

  std::string path_;
  mutable std::mutex mutex_;  // guards everything that follows
  mutable bool is_opened_ = false;
  mutable bool has_list_ = false;
  mutable std::string fault_;
  mutable std::unique_ptr<Handle> handle_;
  struct Entry {
    std::uint64_t place = 0;  // position in the list of files
    std::uint64_t number = 0;
  };
  mutable std::unordered_map<std::string, Entry> entries_;
};

}  // namespace servosim::assets
