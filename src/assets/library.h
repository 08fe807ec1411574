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

/// The places where files of others are looked for. Each list is in the order of the search. Any
/// place may be missing.
struct Places {
  std::vector<std::string> proto_paths;  ///< folders, with their subfolders; or clones of Webots
  /// Installations of Webots: folders that contain projects/.
  std::vector<std::string> installations;
  /// Folders with the layout of Webots' download cache, and zip archives of such folders. Those
  /// that a user names come first, then those of Webots.
  std::vector<std::string> named_stores;
  std::vector<std::string> webots_caches;
  std::vector<std::string> own_caches;  ///< folders of the same layout, which are searched last
};

/// Returns the places of this machine: `proto_paths` and `named_stores` as absolute paths, then
/// those of $SERVOSIM_ASSETS (separated by `:`), then the installation of Webots and its download
/// cache.
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
  /// Returns whether the folder or archive exists.
  bool exists() const;
  /// Returns why the store cannot be used, as a clause; empty if it can.
  std::string fault() const;
  /// `name` is a result of cache_name().
  bool has(const std::string& name) const;
  /// Returns the path of the file if the store is a folder; empty if it is an archive.
  std::string file_of(const std::string& name) const;
  /// @throws Shortage
  std::variant<std::string, FileError> read(const std::string& name) const;

 private:
  std::string path_;
  std::shared_ptr<const ZipArchive> archive_;  // null if the store is a folder
};

/// Finds and reads files of others on this machine. A file in a store is named by its address, any
/// other file by its path. A file may disappear at any time.
///
/// Threads: any number at once.
class Library {
 public:
  /// Receives the address of a file that find() does not find, and the folder of the file that
  /// names it.
  using OnMiss = std::function<void(const std::string& address, const std::string& folder)>;

  /// `on_miss` may be empty; it is called in the thread that calls find().
  explicit Library(Places places, OnMiss on_miss = {});

  const Places& places() const { return places_; }
  /// Returns the path of the file at `address` in the tree around `folder`; empty if there is none.
  /// A project may lie in a tree like that of Webots.
  static std::string find_around(const std::string& address, const std::string& folder);
  /// Returns the name of the first file at `address` that `fits`; empty if there is none. The
  /// search goes around `folder`, then through all places in their order, then through the stores
  /// by the addresses of other releases.
  std::string find(const std::string& address, const std::string& folder,
                   const std::function<bool(const std::string& name)>& fits = {}) const;
  /// Returns the text of a file. @throws Shortage
  std::variant<std::string, FileError> read(const std::string& name) const;
  /// Returns the open file, whose offset is at its beginning. @throws Shortage
  std::variant<Descriptor, FileError> open(const std::string& name) const;
  /// Returns a clause for each store that a user has named and that cannot be used.
  std::vector<std::string> faults() const;

 private:
  const Store* store_of(const std::string& name) const;

  Places places_;
  OnMiss on_miss_;
  std::vector<Store> stores_;  // ours included
};

/// Returns, as a clause, which steps of the search would find a file that is not on this machine.
std::string how_to_get(const std::string& address);

}  // namespace servosim::assets
