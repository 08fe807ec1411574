// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Names of files: absolute paths, or addresses (URLs) of files that a cache holds.

namespace servosim::assets {

/// Whether `text` is an address: `https://…`, `webots://…`.
bool is_address(std::string_view text);

/// Why an address is not downloaded, as a clause; empty if it may be.
std::string fault_of_address(std::string_view address);

/// Scheme, host and port of an address: `https://example.org`.
std::string_view server_of(std::string_view address);

/// A file of Webots' own tree.
struct WebotsFile {
  std::string tag;   ///< the release, `R2023b`, or a branch or commit; empty in `webots://…`
  std::string path;  ///< in the tree: `projects/…`
};

/// What an address names in Webots' tree: `webots://…` or
/// `https://raw.githubusercontent.com/cyberbotics/webots/<tag>/…`. Nothing for other addresses.
std::optional<WebotsFile> webots_file(std::string_view address);

/// Where a release of Webots publishes a file of its tree.
std::string published_address(std::string_view tag, std::string_view path);

/// The releases in which a file of the release `tag` is looked for: that one, the newer ones from
/// it on, and the older ones from it back. Of a tag that is no release, all from the newest on.
std::vector<std::string> releases_near(std::string_view tag);

/// All addresses by which caches may know the file, the most exact first: the address itself, and
/// for a file of Webots' tree the same of other releases, as by releases_near().
std::vector<std::string> equal_addresses(const std::string& address);

/// The folder of a file: its path or address up to the last slash, without it.
std::string folder_of(std::string_view name);

/// What `reference`, found in a file of `folder`, names: a path or an address. A relative one leads
/// on from `folder`; `webots://` has the host and release of the folder, where that is an address
/// of Webots' tree, else the release `tag`.
std::string resolve(std::string_view folder, std::string_view reference, std::string_view tag);

/// The file name of an address in Webots' cache, and in ours: its SHA-1 in 40 hexadecimal digits.
std::string cache_name(std::string_view address);

/// The places in Webots' tree where a release of it has, or had, the PROTO of that name, in the
/// order of their folders; none for a name that is not one of Webots.
std::vector<std::string> standard_protos(std::string_view name);

/// The present name of a PROTO of Webots that had another one before Webots 8; else empty.
std::string_view later_name(std::string_view name);

}  // namespace servosim::assets
