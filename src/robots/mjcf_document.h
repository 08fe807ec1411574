// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/xml.h"
#include "robots/robot_files.h"
#include "robots/xml_fields.h"

namespace servosim::robots {

/// An MJCF file with all files that it includes. The elements of an included file take the place of
/// its `include`.
///
/// Threads: one at a time.
class MjcfDocument {
 public:
  /// The most files of one model, and how deep they may include each other.
  static constexpr std::size_t kMaxFiles = 500;
  static constexpr int kMaxDepth = 10;

  /// Reads the files that `root` includes. A file that is missing, outside of the search path, no
  /// XML, or included twice is an error.
  MjcfDocument(pugi::xml_node root, RobotFiles& files, XmlFields& xml);

  /// Returns the elements in `parent`, those of included files among them.
  std::vector<pugi::xml_node> children(pugi::xml_node parent) const;
  /// Returns the elements in all sections of that name.
  std::vector<pugi::xml_node> sections(const char* name) const;
  /// Returns the element of the main file.
  pugi::xml_node root() const { return root_; }

 private:
  void include_all(pugi::xml_node top, const std::string& folder, int depth);
  void include(pugi::xml_node node, const std::string& folder, int depth);
  void add_children(pugi::xml_node parent, std::vector<pugi::xml_node>& found) const;

  pugi::xml_node root_;
  RobotFiles& files_;
  XmlFields& xml_;
  std::set<std::string> paths_;
  std::map<pugi::xml_node, std::unique_ptr<pugi::xml_document>> included_;  // by `include`
  std::size_t bytes_ = 0;
};

}  // namespace servosim::robots
