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

/// A line of the index of a cache.
struct CacheEntry {
  std::string address;
  std::uint64_t size = 0;
  std::string sha256;
  std::string date;  ///< when it was fetched: 2026-11-26T05:00:00Z
  Licence licence;
};

using CacheEntries = std::map<std::string, CacheEntry>;  // by address

/// The index of the cache in that folder; empty without one. Its files may be gone.
CacheEntries read_index(const std::string& folder);

/// A file that is being fetched: its bytes stand in the cache beside the whole files, under the
/// same name with `.part`, with what the server says of them in `.part.json`. They stay when the
/// process ends.
///
/// Invariant: size() bytes are in the file.
class PartialFile {
 public:
  /// Goes on with what is there of that address.
  PartialFile(const std::string& path, std::string address);

  std::uint64_t size() const { return size_; }
  /// By which a server knows the bytes again; empty: they cannot be continued.
  const std::string& validator() const { return validator_; }
  /// Keeps the first `from` bytes, which is size() or 0; the next ones are those of `validator`.
  void begin(std::uint64_t from, const std::string& validator);
  void add(Bytes bytes);
  /// Makes it safe and gives its text. @throws std::runtime_error if it cannot be read
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

/// A folder of fetched files, under the names of assets::cache_name(), and `index.jsonl`, with a
/// JSON object in a line for each. One process at a time writes into it.
///
/// All functions throw std::runtime_error with the path for what the system refuses, Shortage for
/// want of space.
class Cache {
 public:
  /// Makes the folder and waits while another process writes into it; `on_wait` is called before.
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
  /// The entry of a file that is there with the bytes that the index says; else null.
  const CacheEntry* find(const std::string& address);
  /// Whether there is a file of that address, whatever is in it.
  bool has(const std::string& address) const;
  std::variant<std::string, FileError> read(const std::string& address) const;
  PartialFile open_part(const std::string& address) const;
  /// Makes a part, whose text was finished, the file of that address.
  void keep(const std::string& address, const std::string& text, const Licence& licence);

 private:
  void make_folder() const;
  bool lock(bool wait);
  void read_entries();
  std::string path_of(const std::string& address) const;

  std::string folder_;
  Descriptor lock_;
  CacheEntries entries_;
  bool is_cut_ = false;  // the last line of the index: a process was killed
};

}  // namespace servosim::fetch
