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

// Addresses, of IPv4 unless said otherwise, and sockets that never block: of an event loop, and
// plain ones.

namespace servosim::net {

/// An IPv4 address with a port.
struct Address {
  std::uint32_t ip = INADDR_LOOPBACK;  ///< in the byte order of the machine
  std::uint16_t port = 0;              ///< 0: any free port
  bool operator==(const Address&) const = default;
};

/// An address of IPv4 or IPv6 without a port. One of IPv4 is the same however it is written:
/// 127.1, 0x7f.1 and ::ffff:127.0.0.1 are 127.0.0.1.
class HostAddress {
 public:
  HostAddress() = default;  ///< 127.0.0.1
  /// Of an address as text, or the first that a name has, which may take a lookup.
  /// @throws std::runtime_error with the reason
  explicit HostAddress(const std::string& host);
  /// Of an address as text alone. @returns nothing for anything else, such as a name
  static std::optional<HostAddress> of_number(const std::string& text);

  bool operator==(const HostAddress& other) const;
  bool is_loopback() const;
  /// Whether it means all addresses of this machine, as 0.0.0.0 and :: do.
  bool is_any() const;
  /// Whether it is known in one network alone, as fe80::1%eth0, which no URL can name.
  bool is_link_local() const { return IN6_IS_ADDR_LINKLOCAL(&ip_); }
  /// As a URL has it: "127.0.0.1", "[::1]".
  std::string text() const;

 private:
  friend Descriptor listening_socket(const HostAddress& host, std::uint16_t port);
  HostAddress(const std::string& host, int flags, int* error);

  in6_addr ip_{{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1}}};  // IPv4: mapped
  std::uint32_t scope_ = 0;  // of a link-local address: the number of its interface
};

/// The address of "127.0.0.1" and the like, or of "localhost"; nothing for any other name, since a
/// lookup could take minutes, and for a port that is not in [0, 65535].
std::optional<Address> find_address(std::string_view host, int port);
/// The same of "HOST:PORT".
std::optional<Address> find_address(std::string_view endpoint);
/// The first address of this computer that other computers can reach; its port is 0.
std::optional<Address> own_address();
/// The address by which this computer reaches a socket that listens at `listening`: loopback where
/// it listens at all addresses.
Address dialable(const Address& listening);
/// The warning of a server that other computers can reach; empty if they cannot. `what` is a plural
/// such as "clients", `option` the option that sets the address; empty: there is none.
std::string exposure_warning(std::string_view what, const Address& listening,
                             std::string_view option);
/// "127.0.0.1"
std::string ip_text(const Address& address);
/// "127.0.0.1:10000"
std::string to_string(const Address& address);

// Non-blocking sockets. All throw std::system_error with the address in its text.

Descriptor listening_socket(const Address& local);
Descriptor listening_socket(const HostAddress& host, std::uint16_t port);
/// A TCP socket that is connected or connecting.
Descriptor dialling_socket(const Address& remote);
Descriptor udp_socket(const Address& local);
/// A UDP socket with one receiver: sending may fail with ECONNREFUSED when the receiver has ended.
Descriptor udp_sender(const Address& remote);
Address local_address(const Descriptor& socket);

/// Sends small messages at once, and detects a peer that vanished within about a minute.
void tune_connection(const Descriptor& socket);
/// Probes a silent peer after `idle` and then each `interval`; three probes without an answer end
/// the connection.
void set_keepalive(const Descriptor& socket, std::chrono::seconds idle,
                   std::chrono::seconds interval);

/// A TCP connection of an event loop. It never blocks: what cannot be sent at once is kept.
///
/// Invariants: unsent() <= kMaxUnsent while open; a closed stream has neither a socket nor a watch,
/// and calls nothing. While one of its calls runs, it must not be destroyed: pass it to
/// EventLoop::destroy_later().
class TcpStream {
 public:
  /// Most bytes kept for a peer that does not read.
  static constexpr std::size_t kMaxUnsent = 4u << 20;

  struct Calls {
    std::function<void()> connected;  ///< only of a stream that dials
    std::function<void(Bytes)> received;
    /// Closed by the other side or by an error, whose text is `why`; not after close().
    std::function<void(const std::string& why)> closed;
    std::function<void()> drained = {};  ///< the system has taken the last of what was kept
  };

  /// An accepted connection. @throws std::system_error
  TcpStream(EventLoop& loop, Descriptor socket, Calls calls);
  /// Connects to `remote`. @throws std::system_error
  TcpStream(EventLoop& loop, const Address& remote, Calls calls);

  void set_calls(Calls calls) { calls_ = std::move(calls); }
  bool is_open() const { return watch_ != nullptr; }
  /// Sends or keeps bytes; beyond kMaxUnsent the connection is closed, which `closed` reports.
  void send(Bytes bytes);
  std::size_t unsent() const { return unsent_.size() - sent_; }
  /// See net::set_keepalive().
  void set_keepalive(std::chrono::seconds idle, std::chrono::seconds interval) {
    net::set_keepalive(socket_, idle, interval);
  }
  /// Without reading, bytes stay with the operating system, which slows the other side down.
  void set_reading(bool reading);
  /// Closes once everything is sent; what still arrives is not read.
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
  std::size_t sent_ = 0;  // of unsent_
  bool connecting_ = false;
  bool reading_ = true;
  bool finishing_ = false;
  std::unique_ptr<Watch> watch_;  // destroyed before the socket
};

/// How long a server waits for the first byte of a connection. Servers close connections that are
/// silent for longer. With as many connections as they have room for, they close the one that has
/// been silent for longest in favour of a new one, so that others can connect.
inline constexpr std::chrono::milliseconds kFirstByteTimeout{1000};

/// Accepts connections in an event loop.
class Listener {
 public:
  using Accepted = std::function<void(Descriptor socket, const Address& peer)>;

  /// @throws std::system_error, such as when the port is in use
  Listener(EventLoop& loop, const Address& local, Accepted accepted)
      : Listener(loop, listening_socket(local), std::move(accepted)) {}
  /// `listening`: a socket of listening_socket(). Of addresses of IPv6 only the port is known.
  Listener(EventLoop& loop, Descriptor listening, Accepted accepted);
  const Address& address() const { return address_; }

 private:
  void accept_some();

  Descriptor socket_;
  Address address_;
  Accepted accepted_;
  Timer pause_;
  Watch watch_;
};

/// How many connections a server may have: as many as this process may have files open, less some
/// that it needs otherwise. Raises the soft limit of the process to the hard one first.
std::size_t max_connections();

}  // namespace servosim::net
