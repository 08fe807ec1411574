// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/assert.h"
#include "base/scoped.h"

namespace servosim {

/// A folder of one simulation. Its name is a port that no other simulation of this user has, and it
/// contains the socket for extern controllers. Only the user can read it. It is removed at the end;
/// one that a killed simulation has left behind is used again.
///
/// Invariant: its lock file is locked as long as the object exists.
class InstanceFolder {
 public:
  /// Returns nothing if another simulation has that port.
  /// @throws std::runtime_error with the path, the reason and a remedy
  static std::optional<InstanceFolder> claim(int port);
  /// Claims a folder without port and socket, for runs without extern controllers; returns nothing
  /// if none can be made.
  static std::optional<InstanceFolder> claim_closed();
  InstanceFolder(InstanceFolder&&) = default;
  InstanceFolder& operator=(InstanceFolder&&) = delete;
  ~InstanceFolder();

  int port() const { return port_; }
  /// Returns an absolute path with a slash at its end.
  const std::string& path() const { return path_; }
  /// Returns the listening socket, which does not block.
  const Descriptor& socket() const { return socket_; }

 private:
  InstanceFolder(int port, std::string path, Descriptor lock)
      : port_(port), path_(std::move(path)), lock_(std::move(lock)) {
    SERVOSIM_ASSERT(lock_, "'{}' is not locked", path_);
  }
  static std::optional<InstanceFolder> claim(const std::string& name, int port);
  void listen();

  int port_;
  std::string path_;
  Descriptor lock_;  // locked
  Descriptor socket_;
};

}  // namespace servosim
