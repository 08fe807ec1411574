// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netinet/in.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/scoped.h"

namespace servosim::net {

/// Where a socket is, in IPv4.
struct Address {
  std::uint32_t ip = INADDR_LOOPBACK;  ///< in the order of the machine
  std::uint16_t port = 0;              ///< 0: any that is free
  bool operator==(const Address&) const = default;
};

/// Of "127.0.0.1" and the like, or "localhost". No other name is looked up: that could take
/// minutes.
std::optional<Address> find_address(std::string_view host, int port);
/// Of "HOST:PORT".
std::optional<Address> find_address(std::string_view endpoint);
/// The first address of this computer that is not for itself alone.
std::optional<Address> own_address();
/// What this computer dials to reach a socket that listens there: of all its addresses, loopback.
Address dialable(const Address& listening);
/// The warning of a server that listens where other computers may reach it; "": they cannot.
/// `what` is a plural, `option` what said where to listen.
std::string exposure_warning(std::string_view what, const Address& listening,
                             std::string_view option);
std::string ip_text(const Address& address);
/// "127.0.0.1:10000"
std::string to_string(const Address& address);

// Sockets that never wait. All throw std::system_error, with the address in its text.

Descriptor listening_socket(const Address& local);
/// Connected, or about to be.
Descriptor dialling_socket(const Address& remote);
Descriptor udp_socket(const Address& local);
/// For one receiver: sending may fail with ECONNREFUSED when nobody is there any more.
Descriptor udp_sender(const Address& remote);
Address local_address(const Descriptor& socket);

/// Small messages at once, and word of a machine that has vanished.
void tune_connection(const Descriptor& socket);
/// Three questions without an answer end the connection.
void set_keepalive(const Descriptor& socket, std::chrono::seconds idle,
                   std::chrono::seconds interval);

}  // namespace servosim::net
