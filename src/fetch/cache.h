// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/bytes.h"
#include "base/files.h"
#include "base/scoped.h"
#include "fetch/licence.h"

namespace servosim::fetch {

/// Describes one file of a cache. Each entry is a line of the index.
struct CacheEntry {
  std::string address;
  std::uint64_t size = 0;
  std::string sha256;
  std::string date;  ///< time of the download, as 2026-11-26T05:00:00Z
  Licence licence;
};

using CacheEntries = std::map<std::string, CacheEntry>;  // the key is the address

/// Reads the index of the cache in `folder`. The result is empty if there is no index. Files that
/// the index lists may have been deleted.
CacheEntries read_index(const std::string& folder);

/// A file whose download is not complete. Its bytes are in the cache next to the complete files,
/// under the same name with the suffix `.part`. What the server says about them is in `.part.json`.
/// Both files remain when the process ends, so that a later process can continue the download.
///
/// Invariant: the file contains size() bytes.
class PartialFile {
 public:
  /// Continues with the bytes that the cache already has from `address`.
  PartialFile(const std::string& path, std::string address);

  std::uint64_t size() const { return size_; }
  /// The server recognizes the bytes by this validator (an ETag or a date). If it is empty, the
  /// download cannot be continued.
  const std::string& validator() const { return validator_; }
  /// Keeps the first `from` bytes; `from` is size() or 0. The bytes that follow have this
  /// validator.
  void begin(std::uint64_t from, const std::string& validator);
  void add(Bytes bytes);
  /// Writes everything to the disk and returns the content.
  /// @throws std::runtime_error if the file cannot be read
  std::string finish();
  void remove();

 private:
  void note() const;

  std::string path_;
  std::string address_;
  std::string validator_;
  std::uint64_t size_ = 0;
  Descriptor file_;
};

/// A folder with downloaded files, whose names are those of assets::cache_name(), and
/// `index.jsonl`, which has one JSON object per line and file. Only one process at a time writes
/// into the folder.
///
/// Every function throws std::runtime_error with the path if the system reports an error, and
/// Shortage if there is no space.
class Cache {
 public:
  /// Makes the folder. While another process writes into it, the constructor waits, and calls
  /// `on_wait` before that.
  template <class OnWait>
  Cache(std::string folder, OnWait on_wait) : folder_(std::move(folder)) {
    make_folder();
    if (!lock(false)) {
      on_wait();
      lock(true);
    }
    read_entries();
  }

  const std::string& folder() const { return folder_; }
  /// Returns the entry of a file that exists and has the bytes that the index states, else null.
  const CacheEntry* find(const std::string& address);
  /// Returns whether there is a file for this address. The content is not checked.
  bool has(const std::string& address) const;
  std::variant<std::string, FileError> read(const std::string& address) const;
  PartialFile open_part(const std::string& address) const;
  /// Turns the partial file of this address, which is finished, into the complete file.
  void keep(const std::string& address, const std::string& text, const Licence& licence);

 private:
  void make_folder() const;
  bool lock(bool wait);
  void read_entries();
  std::string path_of(const std::string& address) const;

  std::string folder_;
  Descriptor lock_;
  CacheEntries entries_;
  bool is_cut_ = false;  // the last line of the index is incomplete because a process was killed
};

}  // namespace servosim::fetch
