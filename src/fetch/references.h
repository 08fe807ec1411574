// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace servosim::fetch {

/// The other files that the text of a world or PROTO file names, each once.
struct References {
  std::vector<std::string> externs;  ///< what its EXTERNPROTO lines name
  std::vector<std::string> meshes;   ///< urls with the ending of a mesh file
  std::vector<std::string> textures;
  std::set<std::string> nodes;  ///< words before a brace: nodes and PROTOs
};

/// Finds them without expanding anything. A url that a template computes is not among them.
References references_in(std::string_view text);

/// Whether `text` begins as a PROTO file does: with comments, EXTERNPROTO lines and a PROTO.
bool is_proto(std::string_view text);

/// Whether it is a page for browsers, which servers send in place of a file.
bool is_web_page(std::string_view text);

}  // namespace servosim::fetch
