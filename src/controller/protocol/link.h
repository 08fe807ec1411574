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

/// Which part of the settings is wrong when there is no embedded simulation.
enum class Refusal : int { World, Robot, Settings };

/// The protocol's version, and above it that of EmbeddedSettings.
inline constexpr std::uint32_t kEmbeddedVersion = kProtocolVersion + (1u << 16);

/// The settings of an embedded simulation; strings may be null.
struct EmbeddedSettings {
  std::uint32_t version = kEmbeddedVersion;
  const char* world = nullptr;       ///< file name
  const char* robot = nullptr;       ///< needed when the world has several
  const char* trace = nullptr;       ///< .csv or .jsonl file to write, one row per basic step
  const char* watch = nullptr;       ///< globs with commas in between: what the trace is limited to
  const char* seed = nullptr;        ///< a number, over WorldInfo.randomSeed
  const char* proto_path = nullptr;  ///< folders with PROTO files, with colons in between
  /// Gets `reason` and why there is no simulation, which is not printed then; may be null.
  void (*report)(void* reason, Refusal refusal, const char* text) = nullptr;
  void* reason = nullptr;
};

/// The function of that name in libservosim. Returns null after the reason was reported or printed
/// on stderr.
using OpenEmbedded = Link*(const EmbeddedSettings*);
inline constexpr const char* kOpenEmbedded = "servosim_open_embedded";

/// A link over a stream on which nothing of it has been sent yet.
std::unique_ptr<Link> open_socket_link(MessageStream stream);
/// A link to a simulation in this process: loads libservosim. @throws Ending
std::unique_ptr<Link> open_embedded_link(EmbeddedSettings settings);

}  // namespace servosim
