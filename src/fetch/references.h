// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace servosim::fetch {

/// The files that the text of a world or PROTO file names. Each name occurs once.
struct References {
  std::vector<std::string> externs;  ///< the urls of its EXTERNPROTO lines
  std::vector<std::string> meshes;   ///< urls with the suffix of a mesh file
  std::vector<std::string> textures;
  std::set<std::string> nodes;  ///< words before an opening brace: node types and PROTOs
};

/// Finds the references without expanding PROTOs. Urls that a template computes are not found.
References references_in(std::string_view text);

/// Returns whether `text` begins as a PROTO file does: with comments, EXTERNPROTO lines and a
/// PROTO.
bool is_proto(std::string_view text);

/// Returns whether `text` is a web page. Some servers send one instead of a file.
bool is_web_page(std::string_view text);

}  // namespace servosim::fetch
