// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

namespace servosim {

/// Returns whether this build has the page, which needs node, npm and the packages that npm
/// installs.
bool has_replay_page();
/// What to do if this build has no page.
inline constexpr const char* kNoReplayPage =
    "this servosim was built without its page, which needs node, npm and npm's registry; on "
    "Debian: "
    "sudo apt install nodejs npm; then build again";

struct NamedRecording {
  std::string name;   ///< name that the page shows
  std::string bytes;  ///< content of the file
};

/// Returns the HTML file that shows a recording, or a second recording over it. It needs no
/// network. Names and recordings cannot inject markup. Requires has_replay_page().
std::string replay_page(std::span<const NamedRecording> recordings);

/// Returns the HTML file that watches a run. It requests `/stream` and `/control` from the server
/// that it comes from, with the token in its own address (docs/reference/live-view.md). Requires
/// has_replay_page().
std::string live_page();

}  // namespace servosim
