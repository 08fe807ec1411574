// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/files.h"

namespace servosim::assets {

class ZipArchive;

/// Where files of others are looked for, each list in its order. All may be missing.
struct Places {
  std::vector<std::string> proto_paths;    ///< folders, with their sub folders; or clones of Webots
  std::vector<std::string> installations;  ///< of Webots: folders that hold projects/
  /// Folders that are filled as Webots fills its download cache, and zip archives of such: those
  /// that a user names, then Webots' own.
  std::vector<std::string> named_stores;
  std::vector<std::string> webots_caches;
  std::vector<std::string> own_caches;  ///< folders like these; the last ones
};

/// `proto_paths` and `named_stores` as given, absolute; then those of $SERVOSIM_ASSETS, which has
/// `:` between them; then where Webots is installed and keeps what it downloads.
Places places_here(const std::vector<std::string>& proto_paths,
                   const std::vector<std::string>& named_stores);

/// A folder or archive whose files have the names that cache_name() gives to addresses. It need
/// not exist.
///
/// Threads: any number at once.
class Store {
 public:
  explicit Store(std::string path);

  const std::string& path() const { return path_; }
  /// Whether there is anything of that name.
  bool exists() const;
  /// Why it cannot be used, as a clause; empty if it can.
  std::string fault() const;
  /// `name`: of cache_name().
  bool has(const std::string& name) const;
  /// Of a folder, the path of the file; empty for an archive.
  std::string file_of(const std::string& name) const;
  /// @throws Shortage
  std::variant<std::string, FileError> read(const std::string& name) const;

 private:
  std::string path_;
  std::shared_ptr<const ZipArchive> archive_;  // null: a folder
};

/// Finds and reads files of others on this machine. A file that a store holds is named by its
/// address, any other one by its path. A file may be gone at any time.
///
/// Threads: any number at once.
class Library {
 public:
  /// Receives the address of a file that find() does not find, and the folder of what names it.
  using OnMiss = std::function<void(const std::string& address, const std::string& folder)>;

  /// `on_miss` may be empty; it is called in the thread that calls find().
  explicit Library(Places places, OnMiss on_miss = {});

  const Places& places() const { return places_; }
  /// The path of the file at `address` in the tree around `folder`, for a project may lie in a tree
  /// like that of Webots. Empty if there is none.
  static std::string find_around(const std::string& address, const std::string& folder);
  /// The name of the file at `address`: around `folder`, then in all places in their order, then in
  /// the stores by the address of another release; the first one that `fits`. Empty if there is
  /// none.
  std::string find(const std::string& address, const std::string& folder,
                   const std::function<bool(const std::string& name)>& fits = {}) const;
  /// The text of a file. @throws Shortage
  std::variant<std::string, FileError> read(const std::string& name) const;
  /// The file, to be read from its beginning. @throws Shortage
  std::variant<Descriptor, FileError> open(const std::string& name) const;
  /// A clause for each of the stores that a user has named and that cannot be used.
  std::vector<std::string> faults() const;

 private:
  const Store* store_of(const std::string& name) const;

  Places places_;
  OnMiss on_miss_;
  std::vector<Store> stores_;  // with our own
};

/// Which steps of the search would find a file that is not on this machine, as a clause.
std::string how_to_get(const std::string& address);

}  // namespace servosim::assets
