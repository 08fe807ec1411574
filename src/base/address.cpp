// SPDX-License-Identifier: Apache-2.0
#include "base/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <system_error>

namespace servosim::net {

namespace {

constexpr int kBacklog = 128;

sockaddr_in to_sockaddr(const Address& address) {
  sockaddr_in in{};
  in.sin_family = AF_INET;
  in.sin_addr.s_addr = htonl(address.ip);
  in.sin_port = htons(address.port);
  return in;
}

void check(int result, const char* what, const Address& address) {
  if (result < 0) {
    throw std::system_error(errno, std::generic_category(),
                            fmt::format("{} {}", what, to_string(address)));
  }
}

Descriptor open_socket(int type, const Address& address) {
  const int fd = ::socket(AF_INET, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  check(fd, "opening a socket for", address);
  return Descriptor(fd);
}

using AddressCall = int(int, const sockaddr*, socklen_t);

int with_address(AddressCall call, const Descriptor& socket, const Address& address) {
  const sockaddr_in in = to_sockaddr(address);
  return call(socket.get(), reinterpret_cast<const sockaddr*>(&in), sizeof in);
}

void set_option(const Descriptor& socket, int level, int option, int value) {
  // Without it all works too, only slower.
  static_cast<void>(::setsockopt(socket.get(), level, option, &value, sizeof value));
}

}  // namespace

std::optional<Address> find_address(std::string_view host, int port) {
  in_addr in{};
  const std::string text(host == "localhost" ? "127.0.0.1" : host);
  if (port < 0 || port > 65535 || ::inet_pton(AF_INET, text.c_str(), &in) != 1) {
    return std::nullopt;
  }
  return Address{ntohl(in.s_addr), static_cast<std::uint16_t>(port)};
}

std::optional<Address> find_address(std::string_view endpoint) {
  const std::size_t colon = endpoint.rfind(':');
  if (colon == endpoint.npos) {
    return std::nullopt;
  }
  int port = -1;
  const char* const end = endpoint.data() + endpoint.size();
  const auto [stop, error] = std::from_chars(endpoint.data() + colon + 1, end, port);
  return error == std::errc() && stop == end ? find_address(endpoint.substr(0, colon), port)
                                             : std::nullopt;
}

std::optional<Address> own_address() {
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) {
    return std::nullopt;
  }
  std::optional<Address> own;
  for (const ifaddrs* i = first; i != nullptr && !own; i = i->ifa_next) {
    if (i->ifa_addr != nullptr && i->ifa_addr->sa_family == AF_INET &&
        (i->ifa_flags & IFF_UP) != 0 && (i->ifa_flags & IFF_LOOPBACK) == 0) {
      own = Address{ntohl(reinterpret_cast<const sockaddr_in*>(i->ifa_addr)->sin_addr.s_addr), 0};
    }
  }
  ::freeifaddrs(first);
  return own;
}

Address dialable(const Address& listening) {
  return {listening.ip == INADDR_ANY ? INADDR_LOOPBACK : listening.ip, listening.port};
}

std::string exposure_warning(std::string_view what, const Address& listening,
                             std::string_view option) {
  constexpr std::uint32_t kLoopbackNet = 127;
  if (listening.ip >> 24 == kLoopbackNet) {
    return {};
  }
  return fmt::format(
      "{} are accepted at {} from everyone who reaches that address, without authentication or "
      "encryption. {} 127.0.0.1 is for this computer alone",
      what, listening.port == 0 ? ip_text(listening) : to_string(listening), option);
}

std::string ip_text(const Address& address) {
  return fmt::format("{}.{}.{}.{}", address.ip >> 24, address.ip >> 16 & 255, address.ip >> 8 & 255,
                     address.ip & 255);
}

std::string to_string(const Address& address) {
  return fmt::format("{}:{}", ip_text(address), address.port);
}

Descriptor listening_socket(const Address& local) {
  Descriptor socket = open_socket(SOCK_STREAM, local);
  set_option(socket, SOL_SOCKET, SO_REUSEADDR, 1);  // also right after a run that had it
  check(with_address(::bind, socket, local), "listening at", local);
  check(::listen(socket.get(), kBacklog), "listening at", local);
  return socket;
}

Descriptor dialling_socket(const Address& remote) {
  Descriptor socket = open_socket(SOCK_STREAM, remote);
  const int result = with_address(::connect, socket, remote);
  check(result < 0 && errno != EINPROGRESS ? -1 : 0, "connecting to", remote);
  return socket;
}

Descriptor udp_socket(const Address& local) {
  Descriptor socket = open_socket(SOCK_DGRAM, local);
  check(with_address(::bind, socket, local), "listening at", local);
  return socket;
}

Descriptor udp_sender(const Address& remote) {
  Descriptor socket = open_socket(SOCK_DGRAM, remote);
  check(with_address(::connect, socket, remote), "sending to", remote);
  return socket;
}

Address local_address(const Descriptor& socket) {
  sockaddr_in in{};
  socklen_t size = sizeof in;
  check(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&in), &size), "getsockname", {});
  return {ntohl(in.sin_addr.s_addr), ntohs(in.sin_port)};
}

void tune_connection(const Descriptor& socket) {
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set_keepalive(socket, std::chrono::seconds(30), std::chrono::seconds(10));
}

void set_keepalive(const Descriptor& socket, std::chrono::seconds idle,
                   std::chrono::seconds interval) {
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, static_cast<int>(idle.count()));
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, static_cast<int>(interval.count()));
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
}

}  // namespace servosim::net
