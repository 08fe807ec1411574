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

// The connection of an extern controller, which the simulator has not started: the code of both
// sides. The simulator listens at a socket in a folder of the user alone, or by TCP. The controller
// sends one message with the name of its robot and gets one answer; when it is accepted, the link
// is as any other.

namespace servosim {

inline constexpr int kDefaultExternPort = 1234;
inline constexpr std::size_t kMaxEntryMessage = 4096;  // [bytes]

/// The target that WEBOTS_CONTROLLER_URL names.
struct ControllerUrl {
  enum class Kind : std::uint8_t {
    Newest,  ///< the simulation on this machine that was started last
    Local,   ///< that of `port`
    Tcp      ///< the one that listens at `host`, `port`
  };
  Kind kind = Kind::Newest;
  std::string host;
  int port = kDefaultExternPort;
  std::string robot;  ///< empty: the only one that is extern
};

/// Of "ipc://PORT/ROBOT", "tcp://HOST:PORT/ROBOT" or "ROBOT"; the robot may be left out.
/// @throws std::invalid_argument that describes the error
ControllerUrl parse_controller_url(std::string_view text);

/// A name as it stands in a URL: what is neither letter, digit nor one of -._~ as %XX.
std::string percent_encoded(std::string_view text);

/// The folder with one folder for each simulation of this user, named after its port.
std::string instances_folder();
/// The socket in a folder of a simulation, by a name that is never too long. `folder` must stay
/// open while it is used.
std::string extern_socket_path(const Descriptor& folder);

/// The first message of a controller.
std::vector<std::byte> entry_request(std::string_view robot);
/// The robot that it names; nothing if the message is none of these.
std::optional<std::string> robot_of_entry_request(std::span<const std::byte> message);

struct EntryAnswer {
  enum class Kind : std::uint8_t {
    Welcome,  ///< the link begins
    Later,    ///< it may be accepted at another try: `text` is the reason
    Never     ///< `text` is the reason
  };
  Kind kind = Kind::Never;
  std::string text;
};
std::vector<std::byte> encode_entry_answer(const EntryAnswer& answer);
std::optional<EntryAnswer> decode_entry_answer(std::span<const std::byte> message);

// A second way to the simulator, for a controller that was started by a program which the simulator
// has started: a shell script, or Python's subprocess, may close the descriptor of the link. Both
// sides check that the other one is the same user.

inline constexpr const char* kFallbackSocketVariable = "SERVOSIM_CONTROLLER_SOCKET";
inline constexpr const char* kLinkVariable = "SERVOSIM_CONTROLLER_FD";
inline constexpr const char* kLinkInodeVariable = "SERVOSIM_CONTROLLER_INODE";

/// Listens, without blocking, at a socket of the abstract name space.
///
/// Invariant: name() is unique on this machine as long as the object exists.
class FallbackSocket {
 public:
  /// @throws std::system_error
  FallbackSocket();

  /// For the controller's environment.
  const std::string& name() const { return name_; }
  /// The next client, if there is one.
  Descriptor accept() const;

 private:
  std::string name_;
  Descriptor socket_;
};

/// Empty when no process of this user listens there.
Descriptor connect_fallback_socket(const std::string& name);
/// An identifier of a socket, the same in every process that has it; empty for none. The number of
/// a descriptor in the environment may belong to something else by now.
std::string inode_of(int fd);

}  // namespace servosim
