// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace servosim::fetch {

/// What a PROTO file says of its licence, in the comments `# license:` and `# license url:` at its
/// head.
struct Licence {
  std::string text;     ///< empty if it says nothing
  std::string address;  ///< likewise

  bool is_stated() const { return !text.empty() || !address.empty(); }
  /// Whether it says that the file may be used with Webots only.
  bool is_for_webots_only() const;
  /// For a message: `Apache License 2.0 (http://…)`.
  std::string shown() const;
};

Licence licence_of(std::string_view proto_text);

/// That of Webots' own PROTOs, meshes and textures that state none.
Licence webots_assets_licence();

}  // namespace servosim::fetch
