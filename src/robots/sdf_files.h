// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <string>

#include "base/xml.h"
#include "robots/robot_files.h"
#include "robots/xml_fields.h"

namespace servosim::robots {

/// Returns n of the version 1.n that an element has; 9 if it has none.
double sdf_minor_version(pugi::xml_node element);

/// Reads the files that an SDF includes. They are at most 1000, with 256 MB in all.
///
/// Threads: one at a time.
class SdfFiles {
 public:
  SdfFiles(XmlFields& xml, RobotFiles& files) : xml_(xml), files_(files) {}

  /// Returns the model that <include> names, and sets `minor` to the version of its file. Returns
  /// nothing after an error or a loss. The document stays as long as this object.
  pugi::xml_node model(pugi::xml_node include, double& minor);

 private:
  bool count_file(pugi::xml_node include, std::size_t size);
  void read_config(pugi::xml_node include, const std::string& uri, std::string& file);
  std::string file_of_model(pugi::xml_node include, const std::string& uri);

  XmlFields& xml_;
  RobotFiles& files_;
  std::list<pugi::xml_document> documents_;
  std::map<std::string, std::string> configured_;  // by a model's folder: its SDF
  std::size_t files_read_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace servosim::robots
