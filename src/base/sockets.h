// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netinet/in.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/event_loop.h"
#include "base/scoped.h"

// Addresses, which are IPv4 unless stated otherwise, and sockets that never block: those of an
// event loop, and plain ones.

namespace servosim::net {

/// An IPv4 address with a port.
struct Address {
  std::uint32_t ip = INADDR_LOOPBACK;  ///< in the byte order of the machine
  std::uint16_t port = 0;              ///< 0: any free port
  bool operator==(const Address&) const = default;
};

/// An IPv4 or IPv6 address without a port. An IPv4 address is the same in every notation: 127.1,
/// 0x7f.1 and ::ffff:127.0.0.1 are 127.0.0.1.
class HostAddress {
 public:
  HostAddress() = default;  ///< 127.0.0.1
  /// Reads an address from text, or takes the first address of a name, which may need a lookup.
  /// @throws std::runtime_error with the reason
  explicit HostAddress(const std::string& host);
  /// Reads an address from text, without lookups. @returns nothing for anything else, such as a
  /// name
  static std::optional<HostAddress> of_number(const std::string& text);

  bool operator==(const HostAddress& other) const;
  bool is_loopback() const;
  /// Returns whether the address means all addresses of this machine, as 0.0.0.0 and :: do.
  bool is_any() const;
  /// Returns whether the address is known in one network only, such as fe80::1%eth0, which no URL
  /// can name.
  bool is_link_local() const { return IN6_IS_ADDR_LINKLOCAL(&ip_); }
  /// Returns the address as it appears in a URL: "127.0.0.1", "[::1]".
  std::string text() const;

 private:
  friend Descriptor listening_socket(const HostAddress& host, std::uint16_t port);
  HostAddress(const std::string& host, int flags, int* error);

  // An IPv4 address is mapped.
  in6_addr ip_{{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1}}};
  std::uint32_t scope_ = 0;  // the number of the interface of a link-local address
};

/// Returns the address of "localhost" or of a numeric host such as "127.0.0.1". Returns nothing for
/// any other name, since a lookup could take minutes, and for a port that is not in [0, 65535].
std::optional<Address> find_address(std::string_view host, int port);
/// Does the same for "HOST:PORT".
std::optional<Address> find_address(std::string_view endpoint);
/// Returns the first address of this computer that other computers can reach; its port is 0.
std::optional<Address> own_address();
/// Returns the address by which this computer reaches a socket that listens at `listening`: the
/// loopback address if the socket listens at all addresses.
Address dialable(const Address& listening);
/// Returns the warning of a server that other computers can reach; empty if they cannot. `what` is
/// a plural such as "clients". `option` is the option that sets the address; it is empty if there
/// is none.
std::string exposure_warning(std::string_view what, const Address& listening,
                             std::string_view option);
/// Returns the host alone: "127.0.0.1".
std::string ip_text(const Address& address);
/// Returns host and port: "127.0.0.1:10000".
std::string to_string(const Address& address);

// Non-blocking sockets. All throw std::system_error with the address in its text.

Descriptor listening_socket(const Address& local);
Descriptor listening_socket(const HostAddress& host, std::uint16_t port);
/// Returns a TCP socket that is connected or connecting.
Descriptor dialling_socket(const Address& remote);
Descriptor udp_socket(const Address& local);
/// Returns a UDP socket with one receiver. Sending may fail with ECONNREFUSED when the receiver has
/// ended.
Descriptor udp_sender(const Address& remote);
Address local_address(const Descriptor& socket);

/// Makes small messages leave at once and detects within about a minute that a peer has vanished.
void tune_connection(const Descriptor& socket);
/// Probes a silent peer after `idle` and then each `interval`; three probes without an answer end
/// the connection.
void set_keepalive(const Descriptor& socket, std::chrono::seconds idle,
                   std::chrono::seconds interval);

/// A TCP connection of an event loop. It never blocks: it keeps what cannot be sent at once.
///
/// Invariants: unsent() <= kMaxUnsent while open; a closed stream has neither a socket nor a watch,
/// and calls nothing. It must not be destroyed while one of its calls runs; pass it to
/// EventLoop::destroy_later() instead.
class TcpStream {
 public:
  /// The most bytes that are kept for a peer that does not read.
  static constexpr std::size_t kMaxUnsent = 4u << 20;

  struct Calls {
    std::function<void()> connected;  ///< only called for a stream that dials
    std::function<void(Bytes)> received;
    /// Called when the other side or an error, whose text is `why`, has closed the stream; not
    /// after close().
    std::function<void(const std::string& why)> closed;
    std::function<void()> drained = {};  ///< the system has taken the last of what was kept
  };

  /// Takes over an accepted connection. @throws std::system_error
  TcpStream(EventLoop& loop, Descriptor socket, Calls calls);
  /// Connects to `remote`. @throws std::system_error
  TcpStream(EventLoop& loop, const Address& remote, Calls calls);

  void set_calls(Calls calls) { calls_ = std::move(calls); }
  bool is_open() const { return watch_ != nullptr; }
  /// Sends or keeps bytes. Beyond kMaxUnsent the connection is closed, which `closed` reports.
  void send(Bytes bytes);
  std::size_t unsent() const { return unsent_.size() - sent_; }
  /// See net::set_keepalive().
  void set_keepalive(std::chrono::seconds idle, std::chrono::seconds interval) {
    net::set_keepalive(socket_, idle, interval);
  }
  /// While reading is off, bytes stay with the operating system, which slows the other side down.
  void set_reading(bool reading);
  /// Closes the stream after everything is sent; does not read what still arrives.
  void finish();
  void close();

 private:
  void on_events(std::uint32_t events);
  bool connect_result();
  void read_some();
  void flush();
  void fail(const std::string& why);
  void update_events();

  Descriptor socket_;
  Calls calls_;
  std::vector<std::byte> unsent_;
  std::size_t sent_ = 0;  // number of bytes of unsent_ that were sent
  bool connecting_ = false;
  bool reading_ = true;
  bool finishing_ = false;
  std::unique_ptr<DescriptorWatch> watch_;  // destroyed before the socket
};

/// How long a server waits for the first byte of a connection. Servers close connections that are
/// silent for longer. A server that has no room for another connection closes the one that has been
/// silent for longest, so that a new one can connect.
inline constexpr std::chrono::milliseconds kFirstByteTimeout{1000};

/// Accepts connections in an event loop.
class Listener {
 public:
  using Accepted = std::function<void(Descriptor socket, const Address& peer)>;

  /// @throws std::system_error, for example if the port is in use
  Listener(EventLoop& loop, const Address& local, Accepted accepted)
      : Listener(loop, listening_socket(local), std::move(accepted)) {}
  /// `listening` is a socket of listening_socket(). If its address is IPv6, only the port is known;
  /// that of a Unix socket means nothing.
  Listener(EventLoop& loop, Descriptor listening, Accepted accepted);
  const Address& address() const { return address_; }

 private:
  void accept_some();

  Descriptor socket_;
  Address address_;
  Accepted accepted_;
  Timer pause_;
  DescriptorWatch watch_;
};

/// Returns how many connections a server may have: as many as this process may have files open,
/// minus some for other purposes. First raises the soft limit of the process to the hard one.
std::size_t max_connections();

}  // namespace servosim::net
