// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace servosim::fetch {

/// The licence that a PROTO file states in the comments `# license:` and `# license url:` at its
/// head.
struct Licence {
  std::string text;     ///< empty if the file states none
  std::string address;  ///< empty if the file states none

  bool is_stated() const { return !text.empty() || !address.empty(); }
  /// Returns whether the licence permits the use with Webots only.
  bool is_for_webots_only() const;
  /// Returns the licence for a message, as `Apache License 2.0 (http://…)`.
  std::string shown() const;
};

Licence licence_of(std::string_view proto_text);

/// Returns the licence of Webots' PROTOs, meshes and textures that state none themselves.
Licence webots_assets_licence();

}  // namespace servosim::fetch
