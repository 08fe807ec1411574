// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "wbt/lexer.h"

namespace servosim::wbt {

/// Finds the file of a PROTO by its name, on this machine only: of a URL, the name of the file
/// counts.
///
/// Invariant: a result does not change while its user's EXTERNPROTO lines do not.
class ProtoFinder {
 public:
  /// `project`: of the world. `proto_paths`: searched last, with their sub folders.
  ProtoFinder(std::string project, std::vector<std::string> proto_paths)
      : project_(std::move(project)), proto_paths_(std::move(proto_paths)) {}

  /// The path of NAME.proto as seen from the file that uses it: where an EXTERNPROTO line says,
  /// the project's protos/ with its sub folders, the folder of that file, then the proto paths.
  /// Empty if there is none.
  const std::string& find(std::string_view name, const Source& user);
  /// The folders that find() searches, for a message.
  std::string places(std::string_view name, const Source& user);
  /// What to do about a PROTO that a file declares but find() does not find, to end a message with:
  /// `; put …`. Empty if it is not declared.
  std::string remedy(std::string_view name, const Source& user);

 private:
  using Index = std::map<std::string, std::string, std::less<>>;  // PROTO name → path
  /// The EXTERNPROTO lines of one file for one name; empty where there is none.
  struct Declaration {
    std::string place;  ///< the first that names a file on this machine, or a place in Webots' tree
    std::string url;    ///< the first URL
  };
  struct Declarations {
    std::size_t lines = 0;  ///< read so far: a file may get more
    std::map<std::string, Declaration, std::less<>> by_name;
  };
  const Declaration& declaration(std::string_view name, const Source& user);
  std::string extern_path(std::string_view name, const Source& user);
  const Index& index(const std::string& folder);
  std::string search(std::string_view name, const Source& user);
  std::vector<std::string> search_trees(const Source& user) const;

  std::string project_;
  std::vector<std::string> proto_paths_;
  std::map<std::string, Index> indices_;            // by folder
  std::map<std::uint32_t, Declarations> declared_;  // by the number of the file that has them
  // Results of find(): by user, number of its externs, which may grow, and name.
  std::map<std::tuple<std::uint32_t, std::size_t, std::string>, std::string> found_;
};

/// The PROTO an EXTERNPROTO line declares: the file's name without folder and suffix.
std::string_view extern_proto_name(std::string_view url);

/// The project a file belongs to: the parent of the innermost `folder_name` (worlds or protos)
/// it stands below, else empty.
std::string project_of(const std::string& path, std::string_view folder_name);

}  // namespace servosim::wbt
