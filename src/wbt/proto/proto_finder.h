// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "assets/library.h"
#include "base/files.h"
#include "wbt/lexer.h"

namespace servosim::wbt {

/// Finds the file of a PROTO by its name, on this machine only. A file is identified by its path
/// or, in a cache, by its address (see assets::Library).
///
/// Invariant: a result does not change as long as the EXTERNPROTO lines of its user do not change.
class ProtoFinder {
 public:
  /// `project` is the folder of the world's project.
  ProtoFinder(std::string project, std::shared_ptr<const assets::Library> library)
      : project_(std::move(project)), library_(std::move(library)) {}

  /// Finds NAME.proto for the file `user` that uses it. These places are searched in order: the
  /// path in an EXTERNPROTO line, the folder of `user`, protos/ of the project with its sub
  /// folders, the PROTO paths with their sub folders, and last the places of the library, by the
  /// address in an EXTERNPROTO line or of a PROTO of Webots. The result is empty if there is no
  /// such file.
  const std::string& find(std::string_view name, const Source& user);
  /// Returns whether find() finds the file without the places of the library.
  bool is_in_project(std::string_view name, const Source& user) {
    return !search_project(name, user).empty();
  }
  /// Returns the content of a file that find() has found. @throws Shortage
  std::variant<std::string, FileError> read(const std::string& file) const {
    return library_->read(file);
  }
  /// Says what to do about a PROTO that find() does not find, as the end of a message: `; put …`.
  /// The text is empty if the PROTO is not declared and Webots has none with this name.
  std::string remedy(std::string_view name, const Source& user);
  /// Returns the path that an EXTERNPROTO line states if that file does not exist; else empty.
  std::string missing_file(std::string_view name, const Source& user);
  /// Returns the address from which the PROTO can be downloaded; empty if there is none.
  std::string address(std::string_view name, const Source& user);
  /// Returns the addresses that are tried in order until one has the PROTO: the address in the
  /// EXTERNPROTO line or, for a version before EXTERNPROTO, the addresses of a PROTO of Webots in
  /// the releases near the release of `user`.
  std::vector<std::string> addresses(std::string_view name, const Source& user);
  /// Returns the current name of a PROTO of Webots if this version of a world uses an earlier name;
  /// or empty.
  static std::string_view later_name(std::string_view name, const Source& user);

 private:
  using Index = std::map<std::string, std::string, std::less<>>;  // PROTO name → path
  /// What the EXTERNPROTO lines of one file state for one name. Members are empty if no line does.
  struct Declaration {
    std::string path;     ///< the first path on this machine
    std::string address;  ///< the first address on another machine
  };
  struct Declarations {
    std::size_t lines = 0;  ///< number of lines read so far; a file may get more
    std::map<std::string, Declaration, std::less<>> by_name;
  };
  const Declaration& declaration(std::string_view name, const Source& user);
  const Index& index(const std::string& folder);
  const std::string* indexed(std::string_view name, const std::string& folder);
  std::string search(std::string_view name, const Source& user);
  std::string search_project(std::string_view name, const Source& user);
  std::string search_library(std::string_view name, const Source& user);
  std::vector<std::string> search_trees(const Source& user) const;
  std::vector<std::string> standard_places(std::string_view name, const Source& user);
  bool fits(const std::string& file, std::string_view name, const Source& user);

  std::string project_;
  std::shared_ptr<const assets::Library> library_;
  std::map<std::string, Index> indices_;  // the key is the folder
  // The key is the number of the file with these lines.
  std::map<std::uint32_t, Declarations> declared_;
  // The key is a PROTO's name, the value says why a file is not used.
  std::map<std::string, std::string, std::less<>> unfit_;
  // Results of find(). The key is the user, its number of EXTERNPROTO lines, which may grow, and
  // the name.
  std::map<std::tuple<std::uint32_t, std::size_t, std::string>, std::string> found_;
};

/// Returns the PROTO that an EXTERNPROTO line declares: the file name without folder and suffix.
std::string_view extern_proto_name(std::string_view url);

/// Returns the project of a file: the parent of the innermost folder called `folder_name` (worlds
/// or protos) that contains the file, else empty.
std::string project_of(const std::string& path, std::string_view folder_name);

/// Returns whether files of this version find the PROTOs of Webots by their names alone.
bool precedes_externproto(const Version& version);

/// Returns the tag of the release of Webots whose files a file of this version uses. R2019a is the
/// earliest tag, since it is the first release that Webots publishes.
std::string release_tag(const Version& version);

}  // namespace servosim::wbt
