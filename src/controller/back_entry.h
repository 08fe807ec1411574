// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/descriptor.h"

// A second way to the simulator, for a controller that was started by a program which the simulator
// started: a shell script, or Python's subprocess, may close the descriptor of the link. Both sides
// check that the other one is the same user.

namespace servosim {

inline constexpr const char* kBackEntryVariable = "SERVOSIM_CONTROLLER_SOCKET";
inline constexpr const char* kLinkVariable = "SERVOSIM_CONTROLLER_FD";
inline constexpr const char* kLinkInodeVariable = "SERVOSIM_CONTROLLER_INODE";

/// Listens, and never waits, at a socket of the abstract name space.
class BackEntry {
 public:
  /// @throws std::system_error
  BackEntry();

  /// For the controller's environment.
  const std::string& name() const { return name_; }
  /// Who has come, if there is one.
  Descriptor accept() const;

 private:
  std::string name_;
  Descriptor socket_;
};

/// Empty when nobody of this user listens there.
Descriptor dial_back_entry(const std::string& name);
/// Tells a socket from all others, in every process that has it; empty for none. The number of a
/// descriptor in the environment may belong to something else by now.
std::string inode_of(int fd);

}  // namespace servosim
