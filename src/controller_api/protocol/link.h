// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/scoped.h"
#include "controller_api/protocol/protocol.h"
#include "controller_api/protocol/stream.h"

namespace servosim {

/// A controller's connection to its Session. It sends one request, gets one answer, and so on. It
/// uses a socket if the simulator has started the controller, and is in the same process if the
/// simulation is embedded. libController and libservosim share it, so it has only virtual functions
/// and lets no exception out.
class Link {
 public:
  virtual ~Link() = default;
  /// Hands over a request and does not wait. @returns false if the simulation is gone
  virtual bool send(Bytes message) noexcept = 0;
  /// Waits for the answer, which is valid until the next call. @returns an empty one if the
  /// simulation is gone
  virtual Bytes receive() noexcept = 0;
  /// The descriptors of shared memory that have come with answers since the last call.
  virtual std::vector<Descriptor> take_descriptors() noexcept { return {}; }
  /// Whether receive() may spin before it blocks.
  virtual void set_spin(bool) noexcept {}
};

/// Which part of the settings is wrong when there is no embedded simulation.
enum class Refusal : int { World, Robot, Settings };

/// The version of the protocol and, in the upper bits, that of EmbeddedSettings.
inline constexpr std::uint32_t kEmbeddedVersion = kProtocolVersion + (1u << 16);

/// The settings of an embedded simulation; strings may be null.
struct EmbeddedSettings {
  std::uint32_t version = kEmbeddedVersion;
  const char* world = nullptr;       ///< file name
  const char* robot = nullptr;       ///< required if the world has several
  const char* trace = nullptr;       ///< .csv or .jsonl file to write, one row per basic step
  const char* watch = nullptr;       ///< patterns for the trace, with commas between them
  const char* seed = nullptr;        ///< a number that replaces WorldInfo.randomSeed
  const char* proto_path = nullptr;  ///< folders with PROTO files, with colons between them
  /// Gets `reason` and the text that says why there is no simulation, which is then not printed.
  /// May be null.
  void (*report)(void* reason, Refusal refusal, const char* text) = nullptr;
  void* reason = nullptr;
};

/// The function of libservosim that has this name. It returns null after it has reported the
/// reason, or has printed it on stderr.
using OpenEmbedded = Link*(const EmbeddedSettings*);
inline constexpr const char* kOpenEmbedded = "servosim_open_embedded";

/// A link over a stream that has not been used yet.
std::unique_ptr<Link> open_socket_link(MessageStream stream);
/// A link to a simulation in this process: loads libservosim. @throws Ending
std::unique_ptr<Link> open_embedded_link(EmbeddedSettings settings);

}  // namespace servosim
