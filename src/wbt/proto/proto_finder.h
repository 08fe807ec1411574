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

/// Finds the file of a PROTO by its name, on this machine only. A file is named by its path or, in
/// a cache, by its address: see assets::Library.
///
/// Invariant: a result does not change while its user's EXTERNPROTO lines do not.
class ProtoFinder {
 public:
  /// `project`: of the world.
  ProtoFinder(std::string project, std::shared_ptr<const assets::Library> library)
      : project_(std::move(project)), library_(std::move(library)) {}

  /// The file of NAME.proto as seen from the file that uses it: where an EXTERNPROTO line says on
  /// this machine, beside that file, in the project's protos/ with its sub folders, in the proto
  /// paths with theirs, then by the address of its EXTERNPROTO line, or of a PROTO that comes with
  /// Webots, in the places of the library. Empty if there is none.
  const std::string& find(std::string_view name, const Source& user);
  /// Whether find() finds it without the places of the library.
  bool is_in_project(std::string_view name, const Source& user) {
    return !search_project(name, user).empty();
  }
  /// The text of a file that find() names. @throws Shortage
  std::variant<std::string, FileError> read(const std::string& file) const {
    return library_->read(file);
  }
  /// What to do about a PROTO that find() does not find, to end a message with: `; put …`. Empty if
  /// it is neither declared nor of Webots.
  std::string remedy(std::string_view name, const Source& user);
  /// The file that its EXTERNPROTO line names, if it is not there; else empty.
  std::string missing_file(std::string_view name, const Source& user);
  /// The address by which a PROTO could be had from elsewhere; empty without one.
  std::string address(std::string_view name, const Source& user);
  /// The addresses at which a PROTO is asked for until there is one: that of its EXTERNPROTO line;
  /// or, before EXTERNPROTO, those of a PROTO of Webots in the releases near that of `user`.
  std::vector<std::string> addresses(std::string_view name, const Source& user);
  /// The present name of a PROTO of Webots, where a world of this age uses a former one; or empty.
  static std::string_view later_name(std::string_view name, const Source& user);

 private:
  using Index = std::map<std::string, std::string, std::less<>>;  // PROTO name → path
  /// The EXTERNPROTO lines of one file for one name; empty where there is none.
  struct Declaration {
    std::string path;     ///< the first that names a file of this machine
    std::string address;  ///< the first that names one of another
  };
  struct Declarations {
    std::size_t lines = 0;  ///< read so far: a file may get more
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
  std::map<std::string, Index> indices_;            // by folder
  std::map<std::uint32_t, Declarations> declared_;  // by the number of the file that has them
  std::map<std::string, std::string, std::less<>> unfit_;  // by name: why a file is not used
  // Results of find(): by user, number of its externs, which may grow, and name.
  std::map<std::tuple<std::uint32_t, std::size_t, std::string>, std::string> found_;
};

/// The PROTO an EXTERNPROTO line declares: the file's name without folder and suffix.
std::string_view extern_proto_name(std::string_view url);

/// The project a file belongs to: the parent of the innermost `folder_name` (worlds or protos)
/// it stands below, else empty.
std::string project_of(const std::string& path, std::string_view folder_name);

/// Whether files of that version find the PROTOs of Webots by their names alone.
bool precedes_externproto(const Version& version);

/// The release of Webots whose files a file of that version means, as its addresses name it: from
/// R2019a on, which is the first that publishes them.
std::string release_tag(const Version& version);

}  // namespace servosim::wbt
