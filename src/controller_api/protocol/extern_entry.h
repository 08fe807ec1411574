// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/scoped.h"

// The connection of an extern controller, which the simulator has not started; both sides use this
// code. The simulator listens at a socket in a folder that only the user can read, or by TCP. The
// controller sends one message with the name of its robot and gets one answer. When it is accepted,
// the link is the same as any other.

namespace servosim {

inline constexpr int kDefaultExternPort = 1234;
inline constexpr std::size_t kMaxEntryMessage = 4096;  // [bytes]

/// The target that WEBOTS_CONTROLLER_URL names.
struct ControllerUrl {
  enum class Kind : std::uint8_t {
    Newest,  ///< the simulation on this machine that was started last
    Local,   ///< the simulation on this machine that has `port`
    Tcp      ///< the simulation that listens at `host`, `port`
  };
  Kind kind = Kind::Newest;
  std::string host;
  int port = kDefaultExternPort;
  std::string robot;  ///< empty: the only one that is extern
};

/// Reads "ipc://PORT/ROBOT", "tcp://HOST:PORT/ROBOT" or "ROBOT"; the robot may be left out.
/// @throws std::invalid_argument that describes the error
ControllerUrl parse_controller_url(std::string_view text);

/// A name in the form that URLs have: a byte that is neither letter, digit nor one of -._~ becomes
/// %XX.
std::string percent_encoded(std::string_view text);

/// The folder that has one folder for each simulation of this user, named by its port.
std::string instances_folder();
/// The path of the socket in a folder of a simulation, which is never too long. `folder` must stay
/// open while the path is used.
std::string extern_socket_path(const Descriptor& folder);

/// The first message of a controller.
std::vector<std::byte> entry_request(std::string_view robot);
/// The robot that the message names; nothing if it is no such message.
std::optional<std::string> robot_of_entry_request(std::span<const std::byte> message);

struct EntryAnswer {
  enum class Kind : std::uint8_t {
    Welcome,  ///< the controller is accepted, and the link begins
    Later,    ///< another try may be accepted; `text` is the reason
    Never     ///< no other try will be accepted; `text` is the reason
  };
  Kind kind = Kind::Never;
  std::string text;
};
std::vector<std::byte> encode_entry_answer(const EntryAnswer& answer);
std::optional<EntryAnswer> decode_entry_answer(std::span<const std::byte> message);

// A second way to the simulator, for a controller that was started by a program which the simulator
// has started. A shell script, or Python's subprocess, may close the descriptor of the link. Both
// sides check that the other one is of the same user.

inline constexpr const char* kFallbackSocketVariable = "SERVOSIM_CONTROLLER_SOCKET";
inline constexpr const char* kLinkVariable = "SERVOSIM_CONTROLLER_FD";
inline constexpr const char* kLinkInodeVariable = "SERVOSIM_CONTROLLER_INODE";

/// A socket with an abstract name that listens without blocking.
///
/// Invariant: name() is unique on this machine as long as the object exists.
class FallbackSocket {
 public:
  /// @throws std::system_error
  FallbackSocket();

  /// The name, for the environment of the controller.
  const std::string& name() const { return name_; }
  /// The next client; empty if none waits.
  Descriptor accept() const;

 private:
  std::string name_;
  Descriptor socket_;
};

/// The connected socket; empty if no process of this user listens there.
Descriptor connect_fallback_socket(const std::string& name);
/// An identifier of a socket, which is the same in every process that has the socket; empty for
/// none. The number of a descriptor in the environment may belong to something else by now.
std::string inode_of(int fd);

}  // namespace servosim
