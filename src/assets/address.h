// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Files have names here: absolute paths, or addresses (URLs) of files that a cache holds.

namespace servosim::assets {

/// Returns whether `text` is an address: `https://…`, `webots://…`.
bool is_address(std::string_view text);

/// Returns why an address is not downloaded, as a clause; empty if it may be downloaded.
std::string fault_of_address(std::string_view address);

/// Returns scheme, host and port of an address: `https://example.org`.
std::string_view server_of(std::string_view address);

/// A file in the tree of Webots' repository.
struct WebotsFile {
  std::string tag;   ///< the release, `R2023b`, or a branch or commit; empty in `webots://…`
  std::string path;  ///< in the tree: `projects/…`
};

/// Returns the file of Webots' tree that an address names: `webots://…` or
/// `https://raw.githubusercontent.com/cyberbotics/webots/<tag>/…`. Returns nothing for others.
std::optional<WebotsFile> webots_file(std::string_view address);

/// Returns the address at which a release of Webots publishes a file of its tree.
std::string published_address(std::string_view tag, std::string_view path);

/// Returns the releases in which a file of the release `tag` is looked for: that release, the newer
/// ones in ascending order, then the older ones in descending order. If `tag` is no release,
/// returns all releases, the newest first.
std::vector<std::string> releases_near(std::string_view tag);

/// Returns all addresses by which caches may know the file, the most exact one first: the address
/// itself and, for a file of Webots' tree, its addresses in the other releases in the order of
/// releases_near().
std::vector<std::string> equal_addresses(const std::string& address);

/// Returns the folder of a file: its path or address up to the last slash, without that slash.
std::string folder_of(std::string_view name);

/// Returns the path or address that `reference` names in a file of `folder`. A relative reference
/// continues `folder`. A `webots://` address gets the host and release of `folder` if that is an
/// address in Webots' tree, otherwise the release `tag`.
std::string resolve(std::string_view folder, std::string_view reference, std::string_view tag);

/// Returns the file name that an address has in Webots' cache and in ours: its SHA-1 in 40
/// hexadecimal digits.
std::string cache_name(std::string_view address);

/// Returns the paths in Webots' tree at which any release has the PROTO `name`, in the order of
/// their folders. The list is empty if Webots has no such PROTO.
std::vector<std::string> standard_protos(std::string_view name);

/// Returns the present name of a PROTO whose name was another one before Webots 8; empty for other
/// names.
std::string_view later_name(std::string_view name);

}  // namespace servosim::assets
