// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "controller/protocol/protocol.h"
#include "controller/protocol/stream.h"

namespace servosim {

/// A controller's connection to its Session: one request, one answer, in turn. Over a socket when
/// the simulator started the controller, in the same process when it is embedded. It is shared by
/// libController and libservosim, so it is purely virtual and lets no exception out.
class Link {
 public:
  virtual ~Link() = default;
  /// Hands a request over; does not wait. False when the simulation is gone.
  virtual bool send(Bytes message) noexcept = 0;
  /// Waits for the answer. Valid until the next call; empty when the simulation is gone.
  virtual Bytes receive() noexcept = 0;
  /// Whether receive() may spin before it blocks.
  virtual void set_spin(bool) noexcept {}
};

/// The settings of an embedded simulation; strings may be null.
struct EmbeddedSettings {
  std::uint32_t version = kProtocolVersion;
  const char* world = nullptr;       ///< file name
  const char* robot = nullptr;       ///< needed when the world has several
  const char* trace = nullptr;       ///< .csv or .jsonl file to write, one row per basic step
  const char* watch = nullptr;       ///< globs with commas in between: what the trace is limited to
  const char* seed = nullptr;        ///< a number, over WorldInfo.randomSeed
  const char* proto_path = nullptr;  ///< folders with PROTO files, with colons in between
};

/// The function of that name in libservosim. Returns null after the reason was printed on stderr.
using OpenEmbedded = Link*(const EmbeddedSettings*);
inline constexpr const char* kOpenEmbedded = "servosim_open_embedded";

/// A link over a stream on which nothing of it has been sent yet.
std::unique_ptr<Link> open_socket_link(MessageStream stream);
/// A link to a simulation in this process: loads libservosim. Null after the reason was printed on
/// stderr.
std::unique_ptr<Link> open_embedded_link(const EmbeddedSettings& settings);

}  // namespace servosim
