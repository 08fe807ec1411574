// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

namespace servosim {

/// Whether this build has the page: it needs node, npm and the packages that npm installs.
bool has_replay_page();
/// What to do where it has not.
inline constexpr const char* kNoReplayPage =
    "this servosim was built without its page, which needs node, npm and npm's registry; on Debian: "
    "sudo apt install nodejs npm; then build again";

struct NamedRecording {
  std::string name;   ///< as the page shows it
  std::string bytes;  ///< of the file
};

/// The HTML file that shows a recording, or a second one over it. It needs no network, and nothing
/// in a name or a recording is markup in it. Requires has_replay_page().
std::string replay_page(std::span<const NamedRecording> recordings);

/// The HTML file that watches a run: it asks the server that it comes from for `/stream` and
/// `/control`, with the token of its own address (docs/reference/live-view.md). Requires
/// has_replay_page().
std::string live_page();

}  // namespace servosim
